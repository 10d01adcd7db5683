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
import { uuid } from "../kit/uuid.js";

const placesMax = 200;
const searchCharactersMax = 120;
const searchAfterMilliseconds = 350;

export function show(root, { query }, app) {
  const { net } = app;
  const frame = consolePage(root, app, { part: "places", title: "Places and zones" });
  if (!frame || frame.isRefused) return frame?.close;
  /** `places` or `zones`. */
  let which = query?.get("show") === "zones" || query?.has("zone") ? "zones" : "places";
  let places = [];
  let isMore = false;
  let form = null;
  let generation = 0;
  let searchTimer = 0;
  let closed = false;
  let wanted = { place: Number(query?.get("place")) || null, zone: Number(query?.get("zone")) || null };

  const map = makeAdminMap({ app,
    tapped(where) {
      if (form) form.tapped(where);
      else if (which === "places") openPlace(null, where);
    },
    chosen(place) { if (which === "places") openPlace(place); },
    moved: (index, point) => form?.moved?.(index, point) });
  const search = h("input", { class: "input search-input", type: "search", id: "place-search", "aria-label": "Search places", placeholder: "Search places", maxlength: searchCharactersMax, autocomplete: "off", oninput: () => {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(load, searchAfterMilliseconds);
  } });
  const searchBox = h("div", { class: "search-box" }, icon("search"), search);
  const tab = (id, label) => h("button", { class: "chip-button", type: "button", dataset: { show: id }, onclick: () => change(id) }, label);
  const tabs = h("div", { class: "row place-tabs", role: "group", "aria-label": "What" }, tab("places", "Places"), tab("zones", "Zones"));
  const add = h("button", { class: "button primary", type: "button", id: "add-place",
    onclick: () => (which === "places" ? openPlace(null, null) : openZone(null)) });
  const note = h("div", { class: "place-note" });
  const found = h("p", { class: "muted small", role: "status", id: "places-found" });
  const list = h("ul", { class: "place-list", id: "place-list" });
  const status = h("div", {});
  const listSide = h("div", { class: "stack list-side" }, h("div", { class: "row between" }, tabs, add), searchBox, note, found, list,
    status);
  const formSide = h("div", { class: "form-side", hidden: true });
  frame.page.append(h("div", { class: "places-grid" }, h("div", { class: "stack places-side" }, listSide, formSide), map.element));

  function change(id) {
    which = id;
    note.replaceChildren();
    history.replaceState(history.state, "", which === "zones" ? "/admin/places?show=zones" : "/admin/places");
    drawTabs();
    load();
  }

  function drawTabs() {
    for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.show === which));
    add.replaceChildren(icon("plus"), which === "places" ? "Add a place" : "Draw a zone");
    searchBox.hidden = which !== "places";
  }

  // MARK: lists

  async function load() {
    const mine = ++generation;
    if (list.childElementCount === 0) status.replaceChildren(loading(net));
    try {
      if (which === "places") {
        const text = search.value.trim();
        const reply = await net.request("places.list", { limit: placesMax, ...(text && { text }) });
        if (closed || mine !== generation) return;
        ({ places, more: isMore } = reply);
        drawPlaces();
        const place = places.find(({ id }) => id === wanted.place);
        if (place) openPlace(place);
        else if (wanted.place) toast("This place is not there any more, or has another name: search for it.");
        wanted.place = null;
      } else {
        const [info, geojson] = await Promise.all([net.request("campus.info"), app.campusMap()]);
        if (closed || mine !== generation) return;
        const zones = zonesOf(info, geojson);
        drawZones(zones);
        const zone = zones.find(({ id }) => id === wanted.zone);
        if (zone) openZone(zone);
        wanted.zone = null;
      }
    } catch (error) {
      if (closed || mine !== generation) return;
      list.replaceChildren();
      setText(found, "");
      status.replaceChildren(trouble(error, load));
    }
  }

  function zonesOf({ zones }, { features }) {
    const geometries = new Map(
      features.filter(({ properties }) => properties?.kind === "zone").map(({ properties, geometry }) => [properties.id, geometry]));
    return zones.map((zone) => ({ ...zone, geometry: geometries.get(zone.id) ?? null })).sort((a, b) => a.name.localeCompare(b.name));
  }

  function row({ key, title, hint, tag, open }) {
    return h("li", { dataset: { key } },
      h("button", { class: "place-row", type: "button", onclick: open },
        h("span", { class: "grow" }, h("strong", {}, title), h("span", { class: "muted small" }, hint)), tag
        ? h("span", { class: "tag" }, tag) : null, icon("edit")));
  }

  function drawPlaces() {
    const zones = new Map((net.campus?.zones ?? []).map(({ id, name }) => [id, name]));
    list.replaceChildren(...places.map(
      (place) => row(
        { key: place.id, title: place.name, hint: [kindWords(place.class), zones.get(place.zone)].filter(Boolean).join(" · "),
          tag: place.edited ? "by an admin" : null, open: () => openPlace(place) })));
    setText(found, places.length === 0 ? "" : isMore ? `The first ${places.length}. Search to see others.` : count(places.length, "place"));
    status.replaceChildren(places.length > 0 ? ""
      : emptyState(
        { id: "places-empty", iconElement: icon("pin"), title: search.value.trim() ? "Nothing is found" : "No places yet",
          text: search.value.trim() ? "No place has these words in its name." : "Tap the map to mark the first one." }));
    map.showPlaces(places);
  }

  function drawZones(zones) {
    list.replaceChildren(...zones.map(
      (zone) => row({ key: zone.id, title: zone.name, hint: `Short name ${zone.ref}`, tag: null, open: () => openZone(zone) })));
    setText(found, zones.length === 0 ? "" : count(zones.length, "zone"));
    status.replaceChildren(zones.length > 0 ? ""
      : emptyState({ id: "zones-empty", iconElement: icon("zone"), title: "No zones yet", text: "Draw the first one on the map." }));
    map.showPlaces([]);
  }

  // MARK: forms

  function open(made) {
    form?.close();
    form = made;
    note.replaceChildren();
    listSide.hidden = true;
    formSide.hidden = false;
    formSide.replaceChildren(form.element);
    form.heading.focus({ preventScroll: true });
    formSide.scrollIntoView({ block: "nearest" });
  }

  /** Back to the list, with the focus where it came from. */
  function back(key = null) {
    form?.close();
    form = null;
    formSide.hidden = true;
    formSide.replaceChildren();
    listSide.hidden = false;
    if (which === "places") map.showPlaces(places);
    (list.querySelector(`[data-key="${key}"] button`) ?? add).focus({ preventScroll: true });
  }

  /** After a change: the drawing, the names and the list are fetched anew. */
  async function renew(key = null) {
    try {
      await Promise.all([map.renew(), app.loadCampus()]);
    } catch {
      // What is shown is older than what is stored; the next visit has it.
    }
    if (closed) return;
    await load();
    if (!closed) back(key);
  }

  function openPlace(place, position = null) {
    map.showPlaces(places.filter(({ id }) => id !== place?.id));
    open(makePlaceForm({ app, map, place, position, saved: ({ id }) => renew(id), cancelled: () => back(place?.id),
      removed: (gone) => {
        const { name, class: kind, lat, lon, details } = gone;
        const id = uuid();
        tellRemoved(`${name} is off the map.`,
          () => net.request("admin.savePlace", { id, name, class: kind, lat, lon, ...(details && { details }) }));
      } }));
  }

  function openZone(zone) {
    if (zone && !zone.geometry) return toast("The outline of this zone could not be loaded. Check the network and try again.");
    return open(makeZoneForm({ app, map, zone, saved: ({ id }) => renew(id), cancelled: () => back(zone?.id),
      removed: (gone, undo) => tellRemoved(`${gone.name} is removed.`, undo) }));
  }

  /** Says that something is gone, with a way back that waits for whoever wants it. */
  async function tellRemoved(text, undo) {
    announce(text);
    await renew();
    if (closed) return;
    const button = undo ? h("button", { class: "button small-button", type: "button", id: "undo-removal", onclick: async () => {
      button.disabled = true;
      if (await attempt(undo, "It is back.")) {
        note.replaceChildren();
        renew();
      } else button.disabled = false;
    } }, icon("undo"), "Undo") : null;
    note.replaceChildren(h("div", { class: "notice removal", id: "removal-note" }, h("span", { class: "grow" }, text), button));
    button?.focus({ preventScroll: true });
  }

  const live = () => { if (net.state === "live" && list.childElementCount === 0 && !form) load(); };
  net.addEventListener("state", live);
  drawTabs();
  load();
  return () => {
    closed = true;
    clearTimeout(searchTimer);
    net.removeEventListener("state", live);
    form?.close();
    map.close();
    frame.close();
  };
}
