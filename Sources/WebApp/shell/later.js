// What the document loads after the first page, declared there in the template `later`: styles, and the modules of the features, which in a
// release load beside their entry.

/**
 * Adds it where the template stands; once. Returns `{modules, styles}`: the addresses of the modules, and a promise that resolves when the
 * styles are loaded, also when that fails: pages work without.
 */
export function addLater() {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("later"));
  /** @type {HTMLLinkElement[]} */
  const links = [...template.content.querySelectorAll("link")];
  const loaded = links.filter(({ rel }) => rel === "stylesheet")
    .map((link) => new Promise((resolve) => { link.onload = link.onerror = resolve; }));
  template.replaceWith(template.content);
  return { modules: links.filter(({ rel }) => rel === "modulepreload").map(({ href }) => href), styles: Promise.all(loaded) };
}
