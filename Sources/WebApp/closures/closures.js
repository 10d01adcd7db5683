// The console's page of closures: lifts out of order, locked doors, closed paths; found in a list or on the map, closed and reopened.

import "../routes/icons.js";
import { consolePage, trouble } from "../admin/frame.js";
import { attempt } from "../kit/dialog.js";
import { emptyState, h, refocus, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loading } from "../kit/loading.js";
import { loadStyles } from "../kit/styles.js";
import { makeAdminMap } from "../map/editmap.js";
import { openClosureDialog } from "./closuredialog.js";
import { byState, closedWord, foundObjects, kindIcon, kindNames, periodText, reopenVerb } from "./closurewords.js";

await loadStyles("/app/routes/routes.css");

const searchAfterMilliseconds = 250;
const searchCharactersMax = 120;
/** Objects that the server lists. */
const objectsMax = 50;
/** Planned closures begin and active ones end while the page is open. */
const drawEveryMilliseconds = 15_000;
const pastMax = 20;
const groupNames = { active: "Now", planned: "Planned", past: "Past" };

/** Serves `/admin/closures`. */
export function show(root, _params, app) {
  const frame = consolePage(root, app, { part: "closures", title: "Closures" });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new ClosuresPage(app, frame);
  page.start();
  return () => page.close();
}

class ClosuresPage {
  #net; #frame; #map;
  #closures = [];
  #objects = [];
  #generation = 0;
  #timer = 0;
  #ticker = setInterval(() => this.#draw(), drawEveryMilliseconds);
  #ending = new AbortController();
  #search = h("input", { class: "input search-input", type: "search", id: "closable-search", "aria-label": "Find a lift, door or path",
    placeholder: "Find a lift, door or path", maxlength: searchCharactersMax, autocomplete: "off", oninput: () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#find(), searchAfterMilliseconds);
    } });
  #found = h("p", { class: "muted small", role: "status", id: "closable-found" });
  #results = h("ul", { class: "place-list", id: "closable" });
  #status = h("div", {});
  #list = h("div", { class: "stack", id: "closures" });

  constructor(app, frame) {
    this.#net = app.net;
    this.#frame = frame;
    this.#map = makeAdminMap({ app, label: "Map of lifts, doors and paths", tapped: () => {}, moved: () => {},
      chosen: ({ id }) => this.#choose(this.#objects.find(({ object }) => object === id)) });
    frame.page.append(
      h("p", { class: "muted" }, "What's out of order, locked or closed. Routes avoid it, and people on the way get a new route at once."),
      h("div", { class: "places-grid" },
        h("div", { class: "stack closures-side" }, this.#list, this.#status,
          h("section", { class: "stack tight list-side", "aria-labelledby": "close-title" },
            h("h2", { id: "close-title" }, "Close something"),
            h("div", { class: "search-box" }, icon("search"), this.#search), this.#found, this.#results)),
        this.#map.element));
  }

  start() {
    this.#net.addEventListener("state", () => { if (this.#net.state === "live") this.#load(); }, { signal: this.#ending.signal });
    this.#load();
    this.#find();
  }

  close() {
    this.#ending.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    this.#map.close();
    this.#frame.close();
  }

  get #isClosed() { return this.#ending.signal.aborted; }

  // MARK: closures

  async #load() {
    if (this.#list.childElementCount === 0) this.#status.replaceChildren(loading(this.#net));
    try {
      const { closures } = await this.#net.request("admin.closures");
      if (this.#isClosed) return;
      this.#closures = closures;
      this.#status.replaceChildren();
      this.#draw();
    } catch (error) {
      if (!this.#isClosed) this.#status.replaceChildren(trouble(error, () => this.#load()));
    }
  }

  #draw() {
    if (this.#status.childElementCount > 0) return;
    const now = Date.now() + this.#net.clock.offset;
    const groups = byState(this.#closures, now);
    groups.past = groups.past.slice(0, pastMax);
    const focused = document.activeElement?.closest("[data-closure]")?.getAttribute("data-closure");
    const sections = Object.entries(groups).filter(([, closures]) => closures.length > 0)
      .map(([state, closures]) => h("section", { class: "stack tight", "aria-labelledby": `closures-${state}` },
        h("h2", { id: `closures-${state}` }, groupNames[state]),
        h("ul", { class: "closure-list" }, ...closures.map((closure) => this.#row(closure, state, now)))));
    const empty = emptyState({ id: "closures-empty", iconElement: icon("tick"), title: "Everything is open",
      text: "No lift is out of order, no door locked, no path closed." });
    empty.classList.add("small-empty");
    this.#list.replaceChildren(...(groups.active.length + groups.planned.length === 0 ? [empty] : []), ...sections);
    if (focused) /** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-closure="${focused}"] button`))?.focus();
  }

  #row(closure, state, now) {
    const { id, kind, name, reason, by } = closure;
    const what = state === "active" ? closedWord(kind) : kindNames[kind] ?? "Path";
    const hints = [`${what} · ${periodText(closure, now)}`, reason, by && `By ${by}`];
    const label = state === "active" ? reopenVerb(kind) : "Cancel plan";
    return h("li", { class: "closure", dataset: { closure: id, state } }, icon(kindIcon(kind)),
      h("span", { class: "grow" }, h("strong", {}, name),
        ...hints.filter(Boolean).map((hint) => h("span", { class: "muted small" }, hint))),
      state === "past" ? null : h("button", { class: "button", type: "button", "aria-label": `${label}: ${name}`,
        onclick: () => this.#end(closure, state) }, label));
  }

  async #end({ id, name }, state) {
    const done = state === "active" ? `${name}: open again.` : `${name}: plan cancelled.`;
    if (!(await attempt(() => this.#net.request("admin.endClosure", { closure: id }), done))) return;
    await this.#load();
    refocus();
  }

  // MARK: what can be closed

  async #find() {
    const mine = ++this.#generation;
    const text = this.#search.value.trim();
    try {
      const { objects } = await this.#net.request("admin.closable", text ? { text } : {});
      if (this.#isClosed || mine !== this.#generation) return;
      this.#objects = objects;
      setText(this.#found, foundObjects(objects.length, { max: objectsMax, isSearched: text !== "" }));
      this.#results.replaceChildren(...objects.map((object) => this.#objectRow(object)));
      this.#point(null);
    } catch (error) {
      if (!this.#isClosed && mine === this.#generation) setText(this.#found, error.message);
    }
  }

  /** Makes the dot of an object stand out on the map; with `goes`, the map moves there. */
  #point(object, { goes = false } = {}) {
    // The last dot lies above the others.
    const others = this.#objects.filter((one) => one !== object);
    const dots = [...others, ...(object ? [object] : [])].map(({ object: id, name, lat, lon }) => ({ id, name, lat, lon }));
    this.#map.showPlaces(dots, object?.object);
    this.#map.mark(goes ? object : null, { goes });
  }

  #objectRow(object) {
    const { kind, name, level } = object;
    const hint = [kindNames[kind], level === undefined ? null : `Level ${level}`].filter(Boolean).join(" · ");
    const point = () => this.#point(object);
    return h("li", { dataset: { object: object.object }, onmouseenter: point, onfocusin: point },
      h("button", { class: "place-row", type: "button", onclick: () => this.#choose(object) }, icon(kindIcon(kind)),
        h("span", { class: "grow" }, h("strong", {}, name), h("span", { class: "muted small" }, hint))));
  }

  #choose(object) {
    if (!object) return;
    this.#point(object, { goes: true });
    openClosureDialog({ net: this.#net, object, saved: () => this.#load() });
  }
}
