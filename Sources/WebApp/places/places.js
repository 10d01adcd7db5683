// Places: searching one, the saved ones, and those visited most often; beside a map.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeAdminMap } from "../map/editmap.js";
import { makePlaceSearch } from "./search.js";
import { SavedPlaces } from "./savedlist.js";
import { VisitedPlaces } from "./visited.js";

/** Shows `/map/places`. */
export function show(root, _params, app) {
  if (!app.net.account) {
    app.router.go("/login?next=/map/places", { replace: true });
    return undefined;
  }
  const page = new PlacesPage(app);
  root.append(page.element);
  return () => page.close();
}

/** The page of places. */
class PlacesPage {
  element;

  #net; #router;
  #ending = new AbortController();
  #map; #search; #saved; #visited;
  #card = h("div", { class: "marked-place", role: "status", id: "marked-place" });
  /** The mark on the map: `{name?, lat, lon, place?, zone?, destination?}`, or a saved place with its `id`; null without one. */
  #marked = null;
  /** See `#stateOf`. */
  #drawnState = "unsaved";
  #wasLive;

  constructor(app) {
    this.#net = app.net;
    this.#router = app.router;
    const goTo = (place) => this.#mark(place, { goes: true });
    this.#map = makeAdminMap({ app, tapped: (where) => this.#mark(where), chosen: (place) => this.#mark(place), moved: () => {} });
    this.#saved = new SavedPlaces({
      net: this.#net, chosen: goTo, changed: (place) => this.#savedChanged(place),
      sent: (clientId, place) => this.#sent(clientId, place), removed: (place, next) => this.#removed(place, next),
    });
    this.#visited = new VisitedPlaces({ net: this.#net, chosen: goTo });
    const home = h("div", { hidden: true });
    this.#drawHome(home, goTo);
    const lists = h("div", { class: "stack" }, home, this.#saved.element, this.#visited.element);
    this.#search = makePlaceSearch({
      app, id: "places-search", label: "Search places", remembers: true,
      // A saved place has an id of its own.
      chosen: ({ id: destination, name, lat, lon, place }) => {
        goTo({ destination, name, lat, lon, place });
      },
      changed: (isEmpty) => { lists.hidden = !isEmpty; },
    });
    this.element = this.#page(lists);
    this.#drawCard();
    this.#saved.load();
    this.#visited.load();
    this.#wasLive = this.#net.state === "live";
    const { signal } = this.#ending;
    this.#net.addEventListener("state", () => this.#stateChanged(), { signal });
    this.#net.addEventListener("account", () => { if (!this.#net.account) this.#router.go("/map", { replace: true }); }, { signal });
  }

  close() {
    this.#ending.abort();
    for (const part of [this.#search, this.#saved, this.#visited, this.#map]) part.close();
  }

  #page(lists) {
    const middle = h("button", { class: "button small-button", type: "button", id: "mark-middle", onclick: () => {
      const where = this.#map.middle();
      if (where) this.#mark(where);
    } }, icon("pin"), "Use map centre");
    return h("div", { class: "page stack places-page" },
      h("p", {}, h("a", { href: "/map", class: "back" }, "← Map")), h("h1", { tabindex: "-1" }, "Places"),
      h("div", { class: "places-grid" },
        h("div", { class: "stack places-side" }, this.#search.element, lists),
        h("div", { class: "stack tight places-map" }, this.#map.element, this.#card, h("div", { class: "row" }, middle))));
  }

  /** The home location, if the person has chosen one (C-2). */
  async #drawHome(element, goTo) {
    try {
      const { home } = (await this.#net.read("account.profile")).profile;
      if (!home || this.#ending.signal.aborted) return;
      element.hidden = false;
      element.replaceChildren(h("button", { class: "button wide", type: "button", id: "go-home", onclick: () => goTo({ ...home }) },
        icon("pin"), home.name));
    } catch {
      // The page works without.
    }
  }

  /** Loads again when the connection is back. */
  #stateChanged() {
    const isLive = this.#net.state === "live";
    if (isLive && !this.#wasLive) {
      this.#saved.load();
      this.#visited.load();
      this.#search.reload();
    }
    this.#wasLive = isLive;
  }

  // MARK: the mark

  #mark(where, { goes = false } = {}) {
    this.#marked = where;
    this.#map.mark(where, { goes });
    this.#drawCard();
    if (!where) return;
    if (!where.name) this.#nameZone(where);
    // On a phone the map is far below the list.
    if (goes) this.#map.element.scrollIntoView({ block: "nearest" });
  }

  /** A point of the map is called by the zone it is in, until somebody gives it a name. */
  async #nameZone(where) {
    try {
      const { zone } = await this.#net.request("campus.locate", { lat: where.lat, lon: where.lon });
      if (this.#ending.signal.aborted || this.#marked !== where || !zone) return;
      this.#marked = { ...where, zone: zone.name };
      this.#drawCard();
    } catch {
      // It is a place without a zone's name, too.
    }
  }

  /** What the card says of the mark besides its name. */
  #stateOf(marked) {
    const saved = marked && this.#saved.places.find((place) => place.id === marked.id);
    return saved?.isWaiting ? "waits" : saved ? "saved" : "unsaved";
  }

  #drawCard() {
    this.#drawnState = this.#stateOf(this.#marked);
    if (!this.#marked) {
      this.#card.replaceChildren(h("p", { class: "hint" },
        "Tap the map or search to save a place. With a keyboard, move the map with the arrow keys, then use its centre."));
      return;
    }
    const { name, zone, id, place, destination = place && `place/${place}` } = this.#marked;
    const state = this.#drawnState;
    const shownName = destination ? h("a", { class: "link", href: `/place/${destination}` }, name) : name ?? "A point on the map";
    const where = state === "waits" ? "Waits until you're back online" : state === "saved" ? "Saved"
      : zone ? `In ${zone}` : "Marked on the map";
    this.#card.replaceChildren(h("div", { class: "row between" },
      h("div", { class: "grow" }, h("strong", {}, shownName), h("p", { class: "muted small" }, where)),
      state === "unsaved" ? this.#saveButton(this.#marked)
        : state === "waits" ? null : h("a", { class: "button", href: `/map?saved=${id}` }, icon("map"), "Show on map")));
  }

  #saveButton({ id, name = null, lat, lon, place }) {
    // A place that waited is not saved twice.
    const clientId = typeof id === "string" ? id : null;
    const save = () => this.#saved.save({ name, lat, lon, ...(place && { place }), ...(clientId && { clientId }) });
    return h("button", { class: "button primary", type: "button", id: "save-marked", onclick: save }, icon("bookmark"), "Save");
  }

  // MARK: saved places

  /** The list was loaded, or `place` was saved or renamed. */
  #savedChanged(place) {
    if (place) this.#marked = place;
    this.#map.showPlaces(this.#saved.places, this.#marked?.id ?? null);
    if (place || this.#stateOf(this.#marked) !== this.#drawnState) this.#drawCard();
  }

  /** A place that waited as `clientId` was saved. */
  #sent(clientId, place) {
    if (this.#marked?.id === clientId) this.#marked = place;
  }

  /** A place was removed; `next` is a button of the list, or null when none is left. */
  #removed(place, next) {
    if (this.#marked?.id === place.id) this.#mark(null);
    this.#map.showPlaces(this.#saved.places, this.#marked?.id ?? null);
    (next ?? this.#search.input).focus({ preventScroll: true });
  }
}
