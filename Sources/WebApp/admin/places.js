// Places and zones of the campus: a map and a list, to add, change, move and remove.

import { announce, emptyState, h, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage, trouble } from "./frame.js";
import { makeAdminMap } from "../map/editmap.js";
import { kindWords } from "../places/words.js";
import { makePlaceForm } from "./placeform.js";
import { makeZoneForm } from "./zoneform.js";
import { loading } from "../kit/loading.js";
import { attempt } from "../kit/dialog.js";
import { uuid } from "../client/uuid.js";

const placesMax = 200;
const searchCharactersMax = 120;
const searchAfterMilliseconds = 350;

/** Serves `/admin/places`. */
export function show(root, { query }, app) {
  const frame = consolePage(root, app, { part: "places", title: "Places and zones" });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new PlacesPage(app, frame, query);
  page.start();
  return () => page.close();
}

/** Zones with their outlines, by name. Pure. */
function zonesOf({ zones }, { features }) {
  const drawn = features.filter(({ properties }) => properties?.kind === "zone");
  const geometries = new Map(drawn.map(({ properties, geometry }) => [properties.id, geometry]));
  return zones.map((zone) => ({ ...zone, geometry: geometries.get(zone.id) ?? null }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function row({ key, title, hint, tag, open }) {
  return h("li", { dataset: { key } }, h("button", { class: "place-row", type: "button", onclick: open },
    h("span", { class: "grow" }, h("strong", {}, title), h("span", { class: "muted small" }, hint)),
    tag ? h("span", { class: "tag" }, tag) : null, icon("edit")));
}

class PlacesPage {
  #app;
  #net;
  #frame;
  #map;
  /** `places` or `zones`. */
  #which;
  #places = [];
  /** The open form, or null while the list is shown. */
  #form = null;
  /** Numbers of the place and the zone that the page's address names, until they were opened. */
  #wanted;
  #generation = 0;
  #searchTimer = 0;
  #closed = new AbortController();
  #search = h("input", { class: "input search-input", type: "search", id: "place-search", "aria-label": "Search places",
    placeholder: "Search places", maxlength: searchCharactersMax, autocomplete: "off", oninput: () => {
      clearTimeout(this.#searchTimer);
      this.#searchTimer = setTimeout(() => this.#load(), searchAfterMilliseconds);
    } });
  #searchBox = h("div", { class: "search-box" }, icon("search"), this.#search);
  #tabs = h("div", { class: "row place-tabs", role: "group", "aria-label": "What" }, this.#tab("places", "Places"),
    this.#tab("zones", "Zones"));
  #add = h("button", { class: "button primary", type: "button", id: "add-place",
    onclick: () => (this.#which === "places" ? this.#openPlace(null) : this.#openZone(null)) });
  #note = h("div", { class: "place-note" });
  #found = h("p", { class: "muted small", role: "status", id: "places-found" });
  #list = h("ul", { class: "place-list", id: "place-list" });
  #status = h("div", {});
  #listSide = h("div", { class: "stack list-side" }, h("div", { class: "row between" }, this.#tabs, this.#add), this.#searchBox, this.#note,
    this.#found, this.#list, this.#status);
  #formSide = h("div", { class: "form-side", hidden: true });

  constructor(app, frame, query) {
    this.#app = app;
    this.#net = app.net;
    this.#frame = frame;
    this.#which = query?.get("show") === "zones" || query?.has("zone") ? "zones" : "places";
    this.#wanted = { place: Number(query?.get("place")) || null, zone: Number(query?.get("zone")) || null };
    this.#map = makeAdminMap({ app, tapped: (where) => this.#tapped(where),
      chosen: (place) => { if (this.#which === "places") this.#openPlace(place); },
      moved: (index, point) => this.#form?.moved?.(index, point) });
    frame.page.append(h("div", { class: "places-grid" }, h("div", { class: "stack places-side" }, this.#listSide, this.#formSide),
      this.#map.element));
  }

  start() {
    this.#net.addEventListener("state", () => {
      if (this.#net.state === "live" && this.#list.childElementCount === 0 && !this.#form) this.#load();
    }, { signal: this.#closed.signal });
    this.#drawTabs();
    this.#load();
  }

  close() {
    this.#closed.abort();
    clearTimeout(this.#searchTimer);
    this.#form?.close();
    this.#map.close();
    this.#frame.close();
  }

  get #isClosed() {
    return this.#closed.signal.aborted;
  }

  #tapped(where) {
    if (this.#form) this.#form.tapped(where);
    else if (this.#which === "places") this.#openPlace(null, where);
  }

  // MARK: places or zones

  #tab(id, label) {
    return h("button", { class: "chip-button", type: "button", dataset: { show: id }, onclick: () => this.#choose(id) }, label);
  }

  #choose(which) {
    this.#which = which;
    this.#note.replaceChildren();
    history.replaceState(history.state, "", which === "zones" ? "/admin/places?show=zones" : "/admin/places");
    this.#drawTabs();
    this.#load();
  }

  #drawTabs() {
    const which = this.#which;
    for (const button of this.#tabs.children) button.setAttribute("aria-pressed", String(button.dataset.show === which));
    this.#add.replaceChildren(icon("plus"), which === "places" ? "Add place" : "Add zone");
    this.#searchBox.hidden = which !== "places";
  }

  // MARK: lists

  async #load() {
    const mine = ++this.#generation;
    const isStale = () => this.#isClosed || mine !== this.#generation;
    if (this.#list.childElementCount === 0) this.#status.replaceChildren(loading(this.#net));
    try {
      if (this.#which === "places") await this.#loadPlaces(isStale);
      else await this.#loadZones(isStale);
    } catch (error) {
      if (isStale()) return;
      this.#list.replaceChildren();
      setText(this.#found, "");
      this.#status.replaceChildren(trouble(error, () => this.#load()));
    }
  }

  async #loadPlaces(isStale) {
    const text = this.#search.value.trim();
    const { places, more } = await this.#net.request("places.list", { limit: placesMax, ...(text && { text }) });
    if (isStale()) return;
    this.#places = places;
    this.#drawPlaces({ isMore: more });
    const wanted = this.#wanted.place;
    const place = places.find(({ id }) => id === wanted);
    if (place) this.#openPlace(place);
    else if (wanted) toast("This place was removed or renamed. Search for it.");
    this.#wanted.place = null;
  }

  async #loadZones(isStale) {
    const [info, geojson] = await Promise.all([this.#net.request("campus.info"), this.#app.campusMap()]);
    if (isStale()) return;
    const zones = zonesOf(info, geojson);
    this.#drawZones(zones);
    const zone = zones.find(({ id }) => id === this.#wanted.zone);
    if (zone) this.#openZone(zone);
    this.#wanted.zone = null;
  }

  #drawPlaces({ isMore }) {
    const places = this.#places;
    const isSearch = this.#search.value.trim() !== "";
    const zones = new Map((this.#net.campus?.zones ?? []).map(({ id, name }) => [id, name]));
    this.#list.replaceChildren(...places.map((place) => row({
      key: place.id, title: place.name, hint: [kindWords(place.class), zones.get(place.zone)].filter(Boolean).join(" · "),
      tag: place.edited ? "by an admin" : null, open: () => this.#openPlace(place),
    })));
    setText(this.#found,
      places.length === 0 ? "" : isMore ? `First ${places.length}. Search to see others.` : count(places.length, "place"));
    this.#status.replaceChildren(places.length > 0 ? "" : emptyState({
      id: "places-empty", iconElement: icon("pin"), title: isSearch ? "No results" : "No places yet",
      text: isSearch ? "No place has that name." : "Tap the map to add the first one.",
    }));
    this.#map.showPlaces(places);
  }

  #drawZones(zones) {
    this.#list.replaceChildren(...zones.map((zone) => row({
      key: zone.id, title: zone.name, hint: `Short name ${zone.ref}`, tag: null, open: () => this.#openZone(zone),
    })));
    setText(this.#found, zones.length === 0 ? "" : count(zones.length, "zone"));
    this.#status.replaceChildren(zones.length > 0 ? "" : emptyState({
      id: "zones-empty", iconElement: icon("zone"), title: "No zones yet", text: "Add the first one on the map.",
    }));
    this.#map.showPlaces([]);
  }

  // MARK: forms

  #openPlace(place, position = null) {
    this.#map.showPlaces(this.#places.filter(({ id }) => id !== place?.id));
    this.#open(makePlaceForm({ app: this.#app, map: this.#map, place, position, saved: ({ id }) => this.#renew(id),
      cancelled: () => this.#back(place?.id), removed: (gone) => this.#placeRemoved(gone) }));
  }

  #openZone(zone) {
    if (zone && !zone.geometry) {
      toast("Couldn't load this zone's outline. Check your connection and try again.");
      return;
    }
    this.#open(makeZoneForm({ app: this.#app, map: this.#map, zone, saved: ({ id }) => this.#renew(id),
      cancelled: () => this.#back(zone?.id), removed: (gone, undo) => this.#showRemoval(`${gone.name} removed.`, undo) }));
  }

  #open(form) {
    this.#form?.close();
    this.#form = form;
    this.#note.replaceChildren();
    this.#listSide.hidden = true;
    this.#formSide.hidden = false;
    this.#formSide.replaceChildren(form.element);
    form.heading.focus({ preventScroll: true });
    this.#formSide.scrollIntoView({ block: "nearest" });
  }

  /** Shows the list again, with the focus where it came from. */
  #back(key = null) {
    this.#form?.close();
    this.#form = null;
    this.#formSide.hidden = true;
    this.#formSide.replaceChildren();
    this.#listSide.hidden = false;
    if (this.#which === "places") this.#map.showPlaces(this.#places);
    (this.#list.querySelector(`[data-key="${key}"] button`) ?? this.#add).focus({ preventScroll: true });
  }

  /** After a change: the drawing, the names and the list are loaded again. */
  async #renew(key = null) {
    try {
      await Promise.all([this.#map.renew(), this.#app.loadCampus()]);
    } catch {
      // The page shows older values than are stored; the next visit loads them.
    }
    if (this.#isClosed) return;
    await this.#load();
    if (!this.#isClosed) this.#back(key);
  }

  // MARK: removal

  #placeRemoved({ name, class: kind, lat, lon, details }) {
    const id = uuid();
    const undo = () => this.#net.request("admin.savePlace", { id, name, class: kind, lat, lon, ...(details && { details }) });
    this.#showRemoval(`${name} removed.`, undo);
  }

  /** States that something is gone, with a way back that stays until the next step. */
  async #showRemoval(text, undo) {
    announce(text);
    await this.#renew();
    if (this.#isClosed) return;
    const button = undo ? h("button", { class: "button small-button", type: "button", id: "undo-removal",
      onclick: () => this.#undoRemoval(button, undo) }, icon("undo"), "Undo") : null;
    this.#note.replaceChildren(
      h("div", { class: "notice removal", id: "removal-note" }, h("span", { class: "grow" }, text), button));
    button?.focus({ preventScroll: true });
  }

  async #undoRemoval(button, undo) {
    button.disabled = true;
    if (await attempt(undo, "Restored.")) {
      this.#note.replaceChildren();
      this.#renew();
    } else button.disabled = false;
  }
}
