// Private zones: places around which one is shown to nobody. A list and a map; a form to make, change and remove one.

import { rounded } from "../map/shape.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { watchPosition } from "../kit/geolocation.js";
import { icon } from "../kit/icons.js";
import { hiddenShareText, recommendedSize, sizeWords, zoneSizeHint, zoneSizes } from "./words.js";
import { uuid } from "../kit/uuid.js";
import { makeRadios } from "../kit/fields.js";
import { makeField, makeForm } from "../kit/form.js";
import { makeLoadable } from "../kit/loadable.js";
import { makePlaceSearch } from "../places/search.js";
import { makeZoneMap } from "./zonemap.js";

const nameCharactersMax = 60;
const zonesMax = 10;
const secret = "Its true size and middle are secret, also to you, so that your door is hard to work out from where your routes end.";

/** `{element, returned(), close()}`; `changed()` after each change. */
export function makePrivateZones({ app, changed }) {
  const { net } = app;
  let zones = [];
  let form = null;
  let map = null;
  const list = h("ul", { class: "rows", id: "zone-list" });
  const empty = h("p", { class: "muted", id: "zones-empty" }, "You have no private zones. Most people make one around their home.");
  const full = h("p", { class: "muted small", hidden: true }, `There can be ${zonesMax} private zones. Delete one to make another.`);
  const add = h("button", { class: "button primary", type: "button", id: "add-zone", onclick: () => open(null) }, icon("plus"),
    "Add a private zone");
  const formPlace = h("div", { class: "zone-form-place" });
  const mapPlace = h("div", { class: "zone-map-place" });
  const body = h("div", { class: "stack", hidden: true }, list, empty, h("div", { class: "row" }, add), full, formPlace, mapPlace,
    h("p", { class: "hint", id: "zones-secret" }, `A zone is shown as a soft area. ${secret}`));
  const loadable = makeLoadable({ net, fetch: () => net.request("privacy.zones"), draw(result) {
    ({ zones } = result);
    body.hidden = false;
    draw();
  } });

  function draw() {
    list.replaceChildren(...zones.map((zone) => h("li", { class: "row-item", dataset: { zone: zone.id } }, icon("zone"),
      h("div", { class: "grow" }, h("strong", {}, zone.name), h("p", { class: "muted small" }, sizeWords(zone.size, campusBounds(app)))),
      h("button", { class: "button quiet", type: "button", "aria-label": `Change ${zone.name}`, onclick: () => open(zone) }, icon("edit"),
        h("span", { class: "wide-only" }, "Change")),
      h("button", { class: "icon-button", type: "button", "aria-label": `Delete ${zone.name}`, onclick: () => remove(zone) },
        icon("bin")))));
    empty.hidden = zones.length > 0 || form !== null;
    full.hidden = zones.length < zonesMax;
    list.hidden = form !== null;
    add.parentElement.hidden = form !== null || zones.length >= zonesMax;
    // A map only where there is something to show.
    if (zones.length > 0 || form) {
      map ??= makeZoneMap({ app, tapped: (where) => form?.put(where, { goes: false }) });
      const place = form?.mapPlace ?? mapPlace;
      if (map.element.parentElement !== place) place.append(map.element);
      map.element.hidden = false;
      map.element.classList.toggle("picks", form !== null);
    } else if (map) map.element.hidden = true;
    map?.show(form ? zones.filter(({ id }) => id !== form.zone?.id) : zones, form?.value ?? null);
  }

  function open(zone) {
    form = makeZoneForm({ app, zone, moved(value, options) {
      map?.show(zones.filter(({ id }) => id !== zone?.id), value, options);
    }, middle: () => map?.middle() ?? null, saved(result) {
      zones = [...zones.filter(({ id }) => id !== result.id), result].sort((a, b) => a.name.localeCompare(b.name));
      toast(zone ? `${result.name} is changed.` : `Around ${result.name} nobody sees you any more.`);
      back(result.id);
      changed();
    }, cancelled: () => back(zone?.id) });
    formPlace.replaceChildren(form.element);
    draw();
    form.heading.focus({ preventScroll: true });
    formPlace.scrollIntoView({ block: "nearest" });
  }

  function back(id) {
    form?.close();
    form = null;
    formPlace.replaceChildren();
    draw();
    (list.querySelector(`[data-zone="${id}"] button`) ?? add).focus({ preventScroll: true });
  }

  async function remove(zone) {
    const sure = await confirmDialog({ id: "delete-zone", title: `Delete ${zone.name}?`, danger: true, confirm: "Delete the zone",
      text: "You are shown there again, to everybody you share with, and in the routes you recorded there before." });
    if (!sure) return;
    try {
      await net.request("privacy.deleteZone", { zone: zone.id });
      zones = zones.filter(({ id }) => id !== zone.id);
      toast(`${zone.name} is deleted.`);
      announce(`${zone.name} is deleted.`);
      draw();
      add.focus({ preventScroll: true });
      changed();
    } catch (error) {
      toast(error.message);
      if (!error.isTransient) loadable.load();
    }
  }

  loadable.load();
  return {
    element: h("section", { class: "card stack", id: "zones", "aria-labelledby": "zones-title" }, h("h2", { id: "zones-title" }, "Private zones"),
      h("p", { class: "muted" },
        "Around your home, or wherever you want, you are shown to nobody: not on the map, not in shares, not in your routes. It holds "
        + "for what you recorded before, too. You yourself see everything."), loadable.element, body),
    returned: () => { if (!form) loadable.load(); },
    close() {
      loadable.close();
      form?.close();
      map?.close();
    },
  };
}

const campusBounds = (app) => app.net.campus?.bounds ?? app.lastCampus()?.bounds ?? null;

/** The form of one zone: `{element, heading, zone, mapPlace, value, put(where), close()}`. */
function makeZoneForm({ app, zone, moved, middle, saved, cancelled }) {
  const { net } = app;
  const clientId = uuid();
  let where = zone && { lat: zone.lat, lon: zone.lon };
  let stopWatching = () => {};
  const name = makeField({ name: "name", label: "Name, for you alone", value: zone?.name ?? "", maxlength: nameCharactersMax,
    autocomplete: "off", placeholder: "Home", id: "zone-name" });
  const campus = campusBounds(app);
  const size = makeRadios({
    name: "size", label: "How large", isColumn: true, hint: zoneSizeHint(campus),
    value: zone?.size ?? recommendedSize(campus) ?? zoneSizes[0].id,
    options: zoneSizes.map(({ id }) => ({ id, label: sizeWords(id, campus) })), changed: () => tell(),
  });
  const note = h("p", { class: "hint", role: "status", id: "zone-note" });
  const problem = h("p", { class: "problem", dataset: { problem: "lat" } });
  const share = h("p", { class: "hint number", role: "status", id: "zone-share" });
  const mapPlace = h("div", {});
  const search = makePlaceSearch({ app, id: "zone-search", label: "Search the campus", chosen: (place) => {
    if (name.input.value.trim() === "") {
      name.input.value = [...place.name].slice(0, nameCharactersMax).join("");
      name.setProblem(null);
    }
    put(place);
  } });
  const here = h("button", { class: "button small-button", type: "button", id: "zone-here", onclick: locate }, icon("target"),
    "Where I am now");
  const mark = h("button", { class: "button small-button", type: "button", id: "zone-middle",
    onclick: () => { const at = middle(); if (at) put(at, { goes: false }); } }, icon("pin"), "The middle of the map");

  const value = () => where && { ...where, name: name.input.value.trim(), size: size.value };

  function tell(options) {
    note.textContent = where ? "Marked. Tap the map to move it."
      : "Tap the map at what is to be hidden, search for it, or use one of the buttons.";
    const bounds = campusBounds(app);
    share.textContent = where && bounds ? hiddenShareText(size.value, where, bounds) : "";
    moved(value(), options);
  }

  function put({ lat, lon }, options) {
    where = { lat: rounded(lat), lon: rounded(lon) };
    problem.textContent = "";
    announce("The place is marked.");
    tell(options);
  }

  function locate() {
    stopWatching();
    note.textContent = "Looking for where you are…";
    stopWatching = watchPosition((fix) => {
      stopWatching();
      put(fix);
    }, ({ text }) => {
      stopWatching();
      note.textContent = text;
    });
  }

  const form = makeForm({
    id: "zone-form", fields: [name], submitLabel: zone ? "Save the zone" : "Make the zone",
    check: (values) => {
      problem.textContent = where ? "" : "Mark the place: tap the map, search for it, or use where you are.";
      return { ...(values.name === "" && { name: "Please give it a name." }), ...(!where && { lat: problem.textContent }) };
    },
    async send(values) {
      saved(await net.request("privacy.saveZone",
        { ...(zone ? { zone: zone.id } : { clientId }), name: values.name, ...where, size: size.value }));
    },
  });
  name.element.after(size.element,
    h("div", { class: "field" }, h("span", { class: "legend" }, "Where"), note, search.element, mapPlace, share,
      h("div", { class: "row" }, here, mark), problem));
  form.append(h("button", { class: "button", type: "button", id: "zone-cancel", onclick: cancelled }, "Cancel"));
  const heading = h("h3", { tabindex: "-1" }, zone ? `Change ${zone.name}` : "A new private zone");
  queueMicrotask(() => tell());
  return {
    element: h("div", { class: "stack zone-card" }, heading, form), heading, zone, mapPlace,
    get value() { return value(); },
    put,
    close() {
      stopWatching();
      search.close();
    },
  };
}
