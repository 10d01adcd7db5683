// Places nearby: by kind, the nearest first, with the time to walk there and whether they are open.

import { announce, h, setText, toast } from "../kit/dom.js";
import { count, distanceText, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { Loader } from "../kit/loader.js";
import { loading } from "../kit/loading.js";
import { whenLive } from "../kit/loadable.js";
import { loadStyles } from "../kit/styles.js";
import { askOrDrawn } from "./asking.js";
import { className, filterParams, foldAmenities, hintOf, pathOf, walkText } from "./destinations.js";
import { classesOf, drawnDestinations, nearbyInDrawing } from "./drawing.js";
import { makeToggle } from "./filters.js";
import { PlaceMap } from "./placemap.js";
import { askPosition, knownPosition } from "./whereabouts.js";

/** As many as the server lists: several of a kind become one row. */
const placesMax = 50;
const classesMax = 12;
/** Space before the first button of the kinds, in pixels. */
const classesPadding = 12;
/** Fixes that are worse do not say which place is nearer. */
const accuracyMetresShown = 20;
/** The list does not wait longer for a position. */
const positionMillisecondsMax = 2_500;

await loadStyles("/app/places/places.css");

/** Serves `/nearby`; the query may have `class`. */
export function show(root, { query }, app) {
  const page = new NearbyPage(app, query ?? new URLSearchParams());
  root.append(page.element);
  page.start();
  return () => page.close();
}

class NearbyPage {
  element;

  #app; #map; #loader;
  #class;
  #toggles = { isOpen: false, isStepFree: false };
  #places = [];
  /** `{lat, lon, words}` of the point from which times count. */
  #from = null;
  #isFromMiddle = false;
  #isClosed = false;
  #stopFollowing;
  #fromLine = h("p", { class: "muted small", role: "status", id: "nearby-from" });
  /** Kinds of the drawing of the campus, and those of which several became one row. */
  #names = [];
  #folded = [];
  #classes = h("div", { class: "nearby-classes", role: "group", "aria-label": "Kind of place" });
  #status = h("div", { id: "nearby-status" });
  #list = h("ul", { class: "place-list", id: "nearby-list", "aria-label": "Places nearby" });
  #locate = h("button", {
    class: "icon-button", type: "button", id: "nearby-locate", "aria-label": "Use my location", title: "Use my location",
    onclick: () => this.#ask(),
  }, icon("here"));

  constructor(app, query) {
    this.#app = app;
    this.#class = query.get("class") ?? "";
    const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, "Nearby"), this.#fromLine),
      this.#locate,
      h("a", { class: "icon-button", href: "/search", "aria-label": "Search", title: "Search", id: "to-search" }, icon("search")));
    this.#map = new PlaceMap(app, {
      label: "Places nearby", mapLabel: "Map of places nearby", header, initial: "half",
      chosen: (index) => app.router.go(pathOf(this.#places[index])), tapped: (where) => this.#start(where, "From the point on the map"),
    });
    const change = (part) => {
      Object.assign(this.#toggles, part);
      this.#loader.load();
    };
    const open = makeToggle({ id: "nearby-open", label: "Open now", isOn: false, changed: (isOpen) => change({ isOpen }) });
    const stepFree = makeToggle({
      id: "nearby-step-free", label: "Step-free", isOn: false, changed: (isStepFree) => change({ isStepFree }),
    });
    this.#loader = new Loader({
      fetch: () => this.#fetch(),
      loading: () => { if (this.#list.childElementCount === 0) this.#status.replaceChildren(loading(app.net)); },
      loaded: (reply) => this.#draw(reply), failed: (error) => this.#fail(error),
    });
    const filters = h("div", { class: "place-filters", role: "group", "aria-label": "Filters" }, open, stepFree);
    this.#map.sheet.body.append(h("div", { class: "stack tight" }, this.#classes, filters, this.#status, this.#list));
    this.#stopFollowing = whenLive(app.net, () => this.#loader.load());
    this.element = this.#map.element;
  }

  async start() {
    this.#drawClasses();
    this.#status.replaceChildren(loading(this.#app.net));
    this.#learnClasses();
    const known = knownPosition(this.#app);
    const isLate = new Promise((resolve) => { setTimeout(() => resolve(null), positionMillisecondsMax); });
    const here = await Promise.race([known, isLate]);
    if (this.#from) return;
    if (here) return void this.#startHere(here);
    this.#start(this.#middle, "From the middle of the campus", { isMiddle: true });
    const late = await known;
    if (late && this.#isFromMiddle) this.#startHere(late);
  }

  close() {
    this.#isClosed = true;
    this.#stopFollowing();
    this.#loader.close();
    this.#map.close();
  }

  // MARK: from where

  async #ask() {
    this.#locate.disabled = true;
    try {
      this.#startHere(await askPosition());
      announce("From your location.");
    } catch (error) {
      toast(error.message);
    } finally {
      this.#locate.disabled = false;
    }
  }

  #startHere(here) {
    const accuracy = here.accuracy > accuracyMetresShown ? `, accurate to ${distanceText(here.accuracy)}` : "";
    this.#start(here, `From your location${accuracy}`);
  }

  #start(where, words, { isMiddle = false } = {}) {
    if (this.#isClosed) return;
    this.#isFromMiddle = isMiddle;
    if (!where) {
      this.#status.replaceChildren(h("p", { class: "muted" }, "Tap the map, or use your location."));
      return;
    }
    this.#from = { lat: where.lat, lon: where.lon };
    setText(this.#fromLine, words);
    this.#map.here(this.#from);
    this.#loader.load();
  }

  get #middle() {
    const { net } = this.#app;
    const bounds = (net.campus ?? this.#app.lastCampus())?.bounds;
    if (bounds) return { lat: (bounds.south + bounds.north) / 2, lon: (bounds.west + bounds.east) / 2 };
    return null;
  }

  // MARK: the list

  async #fetch() {
    const params = filterParams({ kind: this.#class && `class:${this.#class}`, ...this.#toggles });
    const asked = { ...this.#from, ...params, limit: placesMax };
    const { reply, drawn, problem } = await askOrDrawn(this.#app, "places.nearby", asked);
    return reply ? { ...reply, problem } : { places: nearbyInDrawing(drawn, this.#from, params), isEstimate: true, problem };
  }

  #draw({ places: found, isEstimate = false, problem }) {
    const places = this.#class === "" ? foldAmenities(found) : found;
    this.#places = places;
    this.#offerAmenities(places);
    this.#list.replaceChildren(...places.map((place, index) => row(place, index, (name) => this.#chooseAmenity(name))));
    const notes = [
      problem && `${problem} These are from the campus map.`,
      isEstimate && places.length > 0 ? "Walking times are estimates." : null,
    ].filter(Boolean);
    const isFiltered = this.#class !== "" || this.#toggles.isOpen || this.#toggles.isStepFree;
    const none = isFiltered ? "No places like this nearby. Choose another kind or fewer filters." : "No places nearby.";
    this.#status.replaceChildren(h("p", { class: "muted small", role: "status" },
      [places.length === 0 ? none : count(places.length, "place"), ...notes].join(places.length === 0 ? " " : " · ")));
    this.#map.show(places);
  }

  #fail(error) {
    this.#places = [];
    this.#list.replaceChildren();
    this.#map.show([]);
    this.#status.replaceChildren(
      h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, sentence(error.message))),
      h("button", { class: "button small-button", type: "button", onclick: () => this.#loader.load() }, "Try again"));
  }

  // MARK: kinds

  async #learnClasses() {
    try {
      const names = classesOf(drawnDestinations(await this.#app.campusMap()));
      if (this.#isClosed) return;
      this.#names = names.slice(0, classesMax);
      this.#drawClasses();
    } catch {
      // The list works without.
    }
  }

  /** Amenities that became one row have a button, too: the drawing of the campus has only places with a name. */
  #offerAmenities(places) {
    const folded = places.filter(({ others }) => others > 0).map(({ class: name }) => name);
    if (folded.every((name) => this.#folded.includes(name))) return;
    this.#folded = [...new Set([...this.#folded, ...folded])];
    this.#drawClasses();
  }

  #drawClasses() {
    const isSought = (name) => name === "toilets";
    const names = [...new Set([...this.#folded.filter(isSought), ...this.#names, ...this.#folded])];
    const shown = this.#class && !names.includes(this.#class) ? [this.#class, ...names] : names;
    const button = (name, label) => h("button", {
      class: "chip-button", type: "button", "aria-pressed": String(name === this.#class), dataset: { class: name },
      onclick: () => this.#choose(name),
    }, label);
    this.#classes.replaceChildren(button("", "All"), ...shown.map((name) => button(name, className(name))));
  }

  /** The row of the button goes: the focus moves to the kind's own button. */
  #chooseAmenity(name) {
    this.#choose(name);
    /** @type {HTMLElement | null} */ (this.#classes.querySelector("[aria-pressed=true]"))?.focus({ preventScroll: true });
    announce(`${className(name)} only.`);
  }

  #choose(name) {
    this.#class = name;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.#classes.querySelectorAll("button"))) {
      const isChosen = button.dataset.class === name;
      button.setAttribute("aria-pressed", String(isChosen));
      if (isChosen) this.#classes.scrollLeft = button.offsetLeft - this.#classes.offsetLeft - classesPadding;
    }
    history.replaceState(history.state, "", name ? `/nearby?class=${encodeURIComponent(name)}` : "/nearby");
    if (this.#from) this.#loader.load();
  }
}

function row(place, index, choose) {
  const { name, class: kind, open, others, seconds } = place;
  const all = others > 0 ? h("button", { class: "button quiet small-button nearby-others", type: "button", dataset: { others: kind },
    "aria-label": `All ${others + 1}: ${className(kind)}`, onclick: () => choose(kind) }, `All ${others + 1}`) : null;
  return h("li", { class: all ? "place-row-with-button" : "" },
    h("a", { class: "place-row", href: pathOf(place), dataset: { destination: place.id } },
      h("span", { class: "number-mark", "aria-hidden": "true" }, String(index + 1)),
      h("span", { class: "grow" }, h("strong", {}, name), h("span", { class: "muted small" }, hintOf({ ...place, code: undefined }))),
      open === undefined ? null : h("span", { class: open ? "tag good" : "tag quiet" }, open ? "Open" : "Closed"),
      h("span", { class: "walk-time number" }, walkText(seconds), h("span", { class: "visually-hidden" }, " to walk"))), all);
}
