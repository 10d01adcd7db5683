// The page of the search: one field, filters, and what is found as a list and on the map.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";
import { narrow } from "../map/narrow.js";
import { className, pathOf } from "./destinations.js";
import { classesOf, drawnDestinations } from "./drawing.js";
import { makeFilters } from "./filters.js";
import { PlaceMap } from "./placemap.js";
import { makePlaceSearch } from "./search.js";
import { addressOf, filterOf } from "./searchfilter.js";

/** Links to places nearby for somebody who does not know a name. */
const quickLinksMax = 6;

await loadStyles("/app/places/places.css");

/** Serves `/search`; the query may have `q`, and the filters as `filterOf` reads them. */
export function show(root, { query }, app) {
  const page = new SearchPage(app, query ?? new URLSearchParams());
  root.append(page.element);
  page.start();
  return () => page.close();
}

const iconLink = ({ id, href, label, name }) => h("a", { class: "icon-button", id, href, "aria-label": label, title: label }, icon(name));

class SearchPage {
  element;

  #app; #map; #search; #filters;
  #ending = new AbortController();
  #links = h("div", { class: "stack tight search-start" });

  constructor(app, query) {
    this.#app = app;
    const { net, router } = app;
    const filter = filterOf(query);
    const toMap = h("button", { class: "button small-button only-narrow", type: "button", id: "show-map", hidden: true, onclick: () => {
      this.#search.input.blur();
      this.#map.sheet.set("half");
    } }, icon("map"), "Map");
    const heading = h("h1", { tabindex: "-1" }, "Search");
    const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, heading), toMap,
      net.account ? iconLink({ id: "to-saved", href: "/map/places", label: "Saved places", name: "bookmark" }) : null);
    this.#map = new PlaceMap(app, {
      label: "Search", mapLabel: "Map of what is found", header, initial: narrow.matches ? "full" : "half",
      chosen: (index) => this.#search.take(index),
    });
    this.#filters = makeFilters({ value: filter, changed: (value) => {
      this.#search.filter = value;
      this.#keepAddress();
    } });
    this.#search = makePlaceSearch({
      app, id: "search", label: "Search the campus", hint: "Name or room code", remembers: true, isNumbered: true, keepsText: true,
      text: (query.get("q") ?? "").slice(0, 120), filter, chosen: (destination) => router.go(pathOf(destination)),
      clearFilter: () => this.#filters.clear(), pointed: (index) => this.#map.point(index),
      changed: (isEmpty) => { this.#links.hidden = !isEmpty; },
      shown: (results) => {
        this.#keepAddress();
        toMap.hidden = results.length === 0;
        this.#map.show(results);
      },
    });
    const [box, ...rest] = this.#search.element.children;
    this.#search.element.replaceChildren(box, this.#filters.element, ...rest, this.#links);
    this.#map.sheet.body.append(this.#search.element);
    this.#links.hidden = !this.#search.isEmpty;
    this.element = this.#map.element;
  }

  start() {
    const { net } = this.#app;
    const { signal } = this.#ending;
    const drawZones = () => this.#filters.setZones(net.campus?.zones ?? []);
    drawZones();
    this.#drawLinks([]);
    this.#learnClasses();
    let wasLive = net.state === "live";
    net.addEventListener("state", () => {
      const isLive = net.state === "live";
      if (isLive && !wasLive) {
        drawZones();
        this.#search.reload();
      }
      wasLive = isLive;
    }, { signal });
    this.#search.input.addEventListener("focus", () => { if (narrow.matches) this.#map.sheet.set("full"); }, { signal });
    // A keyboard over half of a phone is for those who tap the field.
    if (!matchMedia("(pointer: coarse)").matches && this.#search.isEmpty) setTimeout(() => this.#search.input.focus());
  }

  close() {
    this.#ending.abort();
    this.#search.close();
    this.#map.close();
  }

  /** The address has what is searched for, so that a reload and the way back show it again. */
  #keepAddress() {
    // Before the field is there, it is the address that says what is searched for.
    if (!this.#search || !location.pathname.startsWith("/search")) return;
    history.replaceState(history.state, "", addressOf(this.#search.text, this.#filters.value));
  }

  async #learnClasses() {
    try {
      const names = classesOf(drawnDestinations(await this.#app.campusMap()));
      if (this.#ending.signal.aborted) return;
      this.#filters.setClasses(names);
      this.#drawLinks(names.slice(0, quickLinksMax));
    } catch {
      // The search works without.
    }
  }

  #drawLinks(names) {
    const link = (href, label) => h("a", { class: "chip-button", href }, label);
    this.#links.replaceChildren(h("h2", { class: "small-title" }, "Nearby"),
      h("div", { class: "chip-buttons" }, ...names.map((name) => link(`/nearby?class=${encodeURIComponent(name)}`, className(name))),
        link("/nearby", "All places")));
  }
}
