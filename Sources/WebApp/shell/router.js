// Paths to pages with the History API.

/**
 * `{match(path), go(path), start(show)}` over pages (see pages.js). A clicked link without a page is left to the browser, which asks the
 * server; `missingPage` (missing.js) is for `go` and the history.
 */
export class Router {
  #routes;
  #missingPage;
  #show = (_page) => {};

  constructor(pages, missingPage) {
    this.#routes = pages.map((page) => ({ parts: page.path.split("/"), page }));
    this.#missingPage = missingPage;
  }

  /** `{page, params}` of a path, or null. Pure. */
  match(path) {
    const given = path.replace(/(.)\/+$/, "$1").split("/");
    for (const { parts, page } of this.#routes) {
      if (parts.length !== given.length) continue;
      const params = {};
      const fits = parts.every((part, index) => {
        if (!part.startsWith(":")) return part === given[index];
        params[part.slice(1)] = safeDecode(given[index]);
        return given[index] !== "";
      });
      if (fits) return { page, params };
    }
    return null;
  }

  /** Begins to follow links and the browser's back and forward; `show({page, params, query, first})` draws. */
  start(show) {
    this.#show = show;
    addEventListener("popstate", () => this.#draw());
    document.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      const link = /** @type {HTMLAnchorElement | null} */ (target.closest?.("a[href]"));
      if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      if (link.origin !== location.origin || link.target || link.hasAttribute("download") || !this.match(link.pathname)) return;
      if (link.getAttribute("href").startsWith("#")) return;
      event.preventDefault();
      this.go(link.pathname + link.search);
    });
    this.#draw(true);
  }

  /** Goes to a path inside the app. */
  go(path, { replace = false } = {}) {
    if (replace) history.replaceState(null, "", path);
    else if (path !== location.pathname + location.search) history.pushState(null, "", path);
    this.#draw();
  }

  #draw(first = false) {
    const found = this.match(location.pathname) ?? { page: this.#missingPage, params: {} };
    this.#show({ ...found, first, query: new URLSearchParams(location.search) });
  }
}

function safeDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
