// Marking a place, changing it, moving it, taking it away.

import { kindWords } from "../places/words.js";
import { rounded } from "../map/shape.js";
import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../kit/uuid.js";
import { makeField, makeForm } from "../kit/form.js";
import { attempt } from "../kit/dialog.js";

const nameCharactersMax = 120;
const kindCharactersMax = 40;
const detailsCharactersMax = 1_000;
const kinds = ["library", "cafe", "restaurant", "kiosk", "lecture hall", "laboratory", "office", "sports centre", "gym", "museum",
  "theatre", "clinic", "bus stop", "parking", "bicycle parking", "drinking water", "lift", "meeting point"];

const kindOf = (words) => words.trim().toLowerCase().replace(/[\s-]+/g, "_");

/** `{element, tapped, close}`. `place` is one to change or null, `position` where a new one is; `saved(place)`, `removed(place)`, `cancelled()`. */
export function makePlaceForm({ app, map, place, position, saved, removed, cancelled }) {
  const { net } = app;
  // The same for each try, so that it is one place however often it is sent.
  const id = uuid();
  const name = makeField({ name: "name", label: "Name", autocomplete: "off", maxlength: nameCharactersMax, value: place?.name ?? "" });
  const kind = makeField({ name: "kind", label: "Kind", autocomplete: "off", maxlength: kindCharactersMax, list: "place-kinds", value: place
    ? kindWords(place.class) : "", hint: "Such as library, cafe, lecture hall." });
  const details = makeField({ name: "details", label: "Details", rows: 3, maxlength: detailsCharactersMax, value: place?.details ?? "",
    hint: "Opening times and the like, if you want." });
  const lat = makeField({ name: "lat", label: "Latitude", inputmode: "decimal", autocomplete: "off" });
  const lon = makeField({ name: "lon", label: "Longitude", inputmode: "decimal", autocomplete: "off" });
  const zoneNote = h("p", { class: "hint", role: "status", id: "place-zone" });
  let asked = 0;

  function read() {
    const [latitude, longitude] = [lat.input.value, lon.input.value]
      .map((text) => (text.trim() === "" ? NaN : Number(text.trim().replace(",", "."))));
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { lat: latitude, lon: longitude } : null;
  }

  async function drawMark({ goes = false } = {}) {
    const chosen = read();
    map.mark(chosen, { goes });
    const mine = ++asked;
    if (!chosen) return setText(zoneNote,
      "Tap the map where it is. With the keyboard: move the map with the arrow keys and mark its middle, or type the coordinates.");
    try {
      const { zone } = await net.request("campus.locate", chosen);
      if (mine === asked) setText(zoneNote, zone ? `In the zone ${zone.name}.` : "Outside every zone.");
    } catch {
      // Whether it is on the campus is the server's to say when it is saved.
    }
    return undefined;
  }

  function put(where, options) {
    lat.input.value = rounded(where.lat).toFixed(6);
    lon.input.value = rounded(where.lon).toFixed(6);
    lat.setProblem(null);
    lon.setProblem(null);
    drawMark(options);
  }

  for (const { input } of [lat, lon]) input.addEventListener("input", () => drawMark({ goes: true }));
  const form = makeForm({
    id: "place-form", fields: [name, kind, details, lat, lon], submitLabel: place ? "Save the place" : "Add the place",
    check: (values) => ({
      ...(values.name === "" && { name: "Please give it a name." }),
      ...(!/^[a-z0-9_]+$/.test(kindOf(values.kind)) && { kind: "Say what it is in plain letters, such as lecture hall." }),
      ...(!read() && { lat: "Mark the place on the map, or type where it is.", lon: "Mark the place on the map, or type where it is." }),
    }),
    async send(values) {
      let result;
      try {
        result = await net.request("admin.savePlace",
          { ...(place ? { place: place.id } : { id }), name: values.name, class: kindOf(values.kind), ...read(),
            ...(values.details && { details: values.details }) });
      } catch (error) {
        // The field of the wire is another one than that of the form.
        if (error.data?.field === "class") error.data.field = "kind";
        throw error;
      }
      toast(place ? `${result.name} is saved.` : `${result.name} is on the map.`);
      saved(result);
    },
  });
  const middle = h("button", { class: "button small-button", type: "button", id: "mark-middle",
    onclick: () => { const where = map.middle(); if (where) put(where); } }, icon("pin"), "Mark the middle of the map");
  lat.element.before(h("div", { class: "two-fields coordinates" }));
  form.querySelector(".coordinates").append(lat.element, lon.element);
  form.querySelector(".coordinates").after(zoneNote, h("div", { class: "row" }, middle));
  form.append(h("datalist", { id: "place-kinds" }, ...kinds.map((value) => h("option", { value }))));

  async function remove() {
    const sure = await confirmDialog(
      { id: "delete-place", title: `Take ${place.name} off the map?`,
        text: "It goes from everybody’s map and from the choice of places. Events there stay. An import of the campus does not bring it "
        + "back.", confirm: "Take it off", danger: true });
    if (sure && (await attempt(() => net.request("admin.deletePlace", { place: place.id })))) removed(place);
  }

  const heading = h("h2", { tabindex: "-1" }, place ? place.name : "New place");
  const element = h("section", { class: "card stack console-form", id: "place-card" }, heading, place?.edited ? h("p", { class: "hint" }, "Marked or changed by an admin: imports leave it as it is.") : "", form,
    h("div", { class: "row form-more" },
      h("button", { class: "button", type: "button", id: "cancel-place", onclick: () => cancelled() }, "Cancel"), place
      ? h("button", { class: "button danger", type: "button", id: "remove-place", onclick: remove }, icon("bin"), "Take off the map…")
      : null));
  if (place ?? position) put(place ?? position, { goes: Boolean(place) });
  else drawMark();
  return { element, heading, tapped: (where) => put(where), close: () => map.mark(null) };
}
