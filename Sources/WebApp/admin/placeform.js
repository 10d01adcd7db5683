// Marking a place, changing it, moving it, taking it away.

import { kindWords } from "../places/words.js";
import { rounded } from "../map/shape.js";
import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../client/uuid.js";
import { makeField, makeForm } from "../kit/form.js";
import { attempt } from "../kit/dialog.js";
import { PlaceDetails } from "./placedetails.js";

const nameCharactersMax = 120;
const kindCharactersMax = 40;
const kinds = ["library", "cafe", "restaurant", "kiosk", "lecture hall", "laboratory", "office", "sports centre", "gym", "museum",
  "theatre", "clinic", "bus stop", "parking", "bicycle parking", "drinking water", "lift", "meeting point"];

const kindOf = (words) => words.trim().toLowerCase().replace(/[\s-]+/g, "_");

const unmarked = "Mark the place on the map, or enter its coordinates.";
const howToMark = "Tap the map where it is. With a keyboard, move the map with the arrow keys and use its centre, "
  + "or enter the coordinates.";

/** Coordinates of two texts, `{lat, lon}`; null when they are none. A comma is a decimal point. */
function coordinatesOf(latitude, longitude) {
  const [lat, lon] = [latitude, longitude].map((text) => (text.trim() === "" ? NaN : Number(text.trim().replace(",", "."))));
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

/**
 * The form of a place: `{element, heading, tapped(where), close()}`. `place` is one to change or null, `position` where a new one is;
 * `saved(place)`, `removed(place)`, `cancelled()`.
 */
export function makePlaceForm(options) {
  return new PlaceForm(options);
}

class PlaceForm {
  #net;
  #map;
  #place;
  #saved;
  #removed;
  /** The same for each attempt, so that a new place is made once however often it is sent. */
  #id = uuid();
  /** Counts marks, so that the reply for an earlier one is ignored. */
  #marks = 0;
  #fields;
  #details;
  #zoneNote = h("p", { class: "hint", role: "status", id: "place-zone" });

  constructor({ app, map, place, position, saved, removed, cancelled }) {
    this.#net = app.net;
    this.#map = map;
    this.#place = place;
    this.#saved = saved;
    this.#removed = removed;
    this.#details = new PlaceDetails(app, place);
    this.#fields = { ...fieldsOf(place), details: this.#details.fields.details };
    this.#fields.details.input.value = place?.details ?? "";
    this.heading = h("h2", { tabindex: "-1" }, place ? place.name : "New place");
    this.element = h("section", { class: "card stack console-form", id: "place-card" }, this.heading,
      place?.edited ? h("p", { class: "hint" }, "Edited by an admin. Imports don't change it.") : "", this.#form(),
      h("div", { class: "row form-more" },
        h("button", { class: "button", type: "button", id: "cancel-place", onclick: () => cancelled() }, "Cancel"),
        place ? h("button", { class: "button danger", type: "button", id: "remove-place", onclick: () => this.#remove() }, icon("bin"),
          "Remove…") : null));
    if (place ?? position) this.tapped(place ?? position, { goes: Boolean(place) });
    else this.#drawMark();
  }

  /** Marks the place; with `goes`, the map goes there. */
  tapped(where, { goes = false } = {}) {
    const { lat, lon } = this.#fields;
    lat.input.value = rounded(where.lat).toFixed(6);
    lon.input.value = rounded(where.lon).toFixed(6);
    lat.setProblem(null);
    lon.setProblem(null);
    this.#drawMark({ goes });
  }

  close() {
    this.#map.mark(null);
    this.#details.close();
  }

  get #coordinates() {
    return coordinatesOf(this.#fields.lat.input.value, this.#fields.lon.input.value);
  }

  #form() {
    const { name, kind, details, lat, lon } = this.#fields;
    for (const { input } of [lat, lon]) input.addEventListener("input", () => this.#drawMark({ goes: true }));
    const form = makeForm({
      id: "place-form", fields: [name, kind, lat, lon, ...Object.values(this.#details.fields)],
      submitLabel: this.#place ? "Save place" : "Add place",
      check: (values) => ({
        ...(values.name === "" && { name: "Enter a name." }),
        ...(!/^[a-z0-9_]+$/.test(kindOf(values.kind)) && { kind: "Describe it in plain letters, such as lecture hall." }),
        ...(!this.#coordinates && { lat: unmarked, lon: unmarked }), ...this.#details.problems(values),
      }),
      send: (values) => this.#save(values),
    });
    const markMiddle = () => {
      const where = this.#map.middle();
      if (where) this.tapped(where);
    };
    lat.element.before(h("div", { class: "two-fields coordinates" }));
    const coordinates = form.querySelector(".coordinates");
    coordinates.append(lat.element, lon.element);
    coordinates.after(this.#zoneNote, h("div", { class: "row" },
      h("button", { class: "button small-button", type: "button", id: "mark-middle", onclick: markMiddle }, icon("pin"),
        "Use map centre")));
    this.#details.arrange();
    kind.element.after(details.element);
    form.querySelector("#place-form-problem").before(this.#details.element);
    form.append(h("datalist", { id: "place-kinds" }, ...kinds.map((value) => h("option", { value }))));
    return form;
  }

  async #drawMark({ goes = false } = {}) {
    const where = this.#coordinates;
    this.#map.mark(where, { goes });
    const mine = ++this.#marks;
    if (!where) {
      setText(this.#zoneNote, howToMark);
      return;
    }
    try {
      const { zone } = await this.#net.request("campus.locate", where);
      if (mine === this.#marks) setText(this.#zoneNote, zone ? `In ${zone.name}.` : "Outside all zones.");
    } catch {
      // Whether it is on the campus is for the server to say when it is saved.
    }
  }

  async #save({ name, kind, details }) {
    const place = this.#place;
    let result;
    try {
      result = await this.#net.request("admin.savePlace", { ...(place ? { place: place.id } : { id: this.#id }), name, class: kindOf(kind),
        ...this.#coordinates, ...(details && { details }) });
      await this.#details.save(result.id);
    } catch (error) {
      // The protocol has another name for the field.
      if (error.data?.field === "class") error.data.field = "kind";
      if (error.data?.field in this.#details.fields) this.#details.open();
      throw error;
    }
    toast(place ? `${result.name} saved.` : `${result.name} added to the map.`);
    this.#saved(result);
  }

  async #remove() {
    const place = this.#place;
    const sure = await confirmDialog({ id: "delete-place", title: `Remove ${place.name}?`, confirm: "Remove place", danger: true,
      text: "It disappears from everyone's map and from search. Events there stay. "
        + "A campus import doesn't bring it back." });
    if (sure && (await attempt(() => this.#net.request("admin.deletePlace", { place: place.id })))) this.#removed(place);
  }
}

function fieldsOf(place) {
  return {
    name: makeField({ name: "name", label: "Name", autocomplete: "off", maxlength: nameCharactersMax, value: place?.name ?? "" }),
    kind: makeField({ name: "kind", label: "Kind", autocomplete: "off", maxlength: kindCharactersMax, list: "place-kinds",
      value: place ? kindWords(place.class) : "", hint: "For example library, cafe or lecture hall." }),
    lat: makeField({ name: "lat", label: "Latitude", inputmode: "decimal", autocomplete: "off" }),
    lon: makeField({ name: "lon", label: "Longitude", inputmode: "decimal", autocomplete: "off" }),
  };
}
