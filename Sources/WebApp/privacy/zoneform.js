// The form of one private zone: its name, its size, and where it is.

import { rounded } from "../map/shape.js";
import { announce, h } from "../kit/dom.js";
import { watchPosition } from "../kit/geolocation.js";
import { icon } from "../kit/icons.js";
import { hiddenShareText, recommendedSize, sizeWords, zoneSizeHint, zoneSizes } from "./words.js";
import { uuid } from "../client/uuid.js";
import { makeRadios } from "../kit/fields.js";
import { makeField, makeForm } from "../kit/form.js";
import { makePlaceSearch } from "../places/search.js";

const nameCharactersMax = 60;
/** The least radius of a size. */
const metresOf = (size) => zoneSizes.find(({ id }) => id === size)?.metres;

/** Box of the campus, of this connection or of the last visit; null before the first one. */
export const campusBounds = (app) => app.net.campus?.bounds ?? app.lastCampus()?.bounds ?? null;

export class PrivateZoneForm {
  /** The zone that is changed, or null for a new one. */
  zone;
  /** Where the map of zones stands while the form is open. */
  mapPlace = h("div", {});
  #app;
  #moved;
  #saved;
  /** The same for each attempt, so that a new zone is made once however often it is sent. */
  #clientId = uuid();
  /** `{lat, lon}` of the mark, or null. */
  #where;
  #stopWatching = () => {};
  #name;
  #size;
  #search;
  #note = h("p", { class: "hint", role: "status", id: "zone-note" });
  #problem = h("p", { class: "problem", dataset: { problem: "lat" } });
  #share = h("p", { class: "hint number", role: "status", id: "zone-share" });

  /**
   * `moved(value, options)` after each change of the mark or the size, `middle()` gives the middle of the map or null, `saved(zone)` gets
   * the server's reply, or null when the change waits, `cancelled()`.
   */
  constructor({ app, zone, moved, middle, saved, cancelled }) {
    this.#app = app;
    this.zone = zone;
    this.#moved = moved;
    this.#saved = saved;
    this.#where = zone && { lat: zone.lat, lon: zone.lon };
    this.#name = makeField({ name: "name", label: "Name (only you see it)", value: zone?.name ?? "", maxlength: nameCharactersMax,
      autocomplete: "off", placeholder: "Home", id: "zone-name" });
    this.#size = this.#makeSizes();
    this.#search = makePlaceSearch({ app, id: "zone-search", label: "Search the campus", chosen: (place) => this.#putPlace(place) });
    this.heading = h("h3", { tabindex: "-1" }, zone ? `Edit ${zone.name}` : "New private zone");
    this.element = h("div", { class: "stack zone-card" }, this.heading, this.#makeForm({ middle, cancelled }));
    queueMicrotask(() => this.#changed());
  }

  /** The zone as the form has it, or null without a mark. */
  get value() {
    return this.#where && { ...this.#where, name: this.#name.input.value.trim(), size: this.#size.value };
  }

  put({ lat, lon }, options) {
    this.#where = { lat: rounded(lat), lon: rounded(lon) };
    this.#problem.textContent = "";
    announce("Place marked.");
    this.#changed(options);
  }

  close() {
    this.#stopWatching();
    this.#search.close();
  }

  #makeSizes() {
    const campus = campusBounds(this.#app);
    return makeRadios({
      name: "size", label: "Size", isColumn: true, hint: zoneSizeHint(campus),
      value: this.zone?.size ?? recommendedSize(campus) ?? zoneSizes[0].id,
      options: zoneSizes.map(({ id }) => ({ id, label: sizeWords(id, campus) })), changed: () => this.#changed(),
    });
  }

  #makeForm({ middle, cancelled }) {
    const { zone } = this;
    const form = makeForm({
      id: "zone-form", fields: [this.#name], submitLabel: zone ? "Save zone" : "Create zone",
      check: (values) => {
        this.#problem.textContent = this.#where ? "" : "Mark the place: tap the map, search, or use your location.";
        return {
          ...(values.name === "" && { name: "Enter a name." }), ...(!this.#where && { lat: this.#problem.textContent }),
        };
      },
      send: async (values) => {
        const id = zone && !zone.clientId ? { zone: zone.id } : { clientId: zone?.clientId ?? this.#clientId };
        const params = { ...id, name: values.name, ...this.#where, size: this.#size.value };
        const before = zone ? { lat: zone.lat, lon: zone.lon, metres: metresOf(zone.size) } : null;
        const shown = { before, metres: metresOf(params.size) };
        this.#saved(await this.#app.net.writes.write("privacy.saveZone", params, shown));
      },
    });
    const tool = (id, iconName, label, onclick) =>
      h("button", { class: "button small-button", type: "button", id, onclick }, icon(iconName), label);
    const putMiddle = () => {
      const where = middle();
      if (where) this.put(where, { goes: false });
    };
    this.#name.element.after(this.#size.element,
      h("div", { class: "field" }, h("span", { class: "legend" }, "Where"), this.#note, this.#search.element, this.mapPlace, this.#share,
        h("div", { class: "row" }, tool("zone-here", "target", "My location", () => this.#locate()),
          tool("zone-middle", "pin", "Use map centre", putMiddle)), this.#problem));
    form.append(h("button", { class: "button", type: "button", id: "zone-cancel", onclick: cancelled }, "Cancel"));
    return form;
  }

  /** A place of the campus gives its name to a zone that has none. */
  #putPlace(place) {
    if (this.#name.input.value.trim() === "") {
      this.#name.input.value = [...place.name].slice(0, nameCharactersMax).join("");
      this.#name.setProblem(null);
    }
    this.put(place);
  }

  #changed(options) {
    const where = this.#where;
    this.#note.textContent = where ? "Marked. Tap the map to move it."
      : "Tap the map, search, or use your location.";
    const bounds = campusBounds(this.#app);
    this.#share.textContent = where && bounds ? hiddenShareText(this.#size.value, where, bounds) : "";
    this.#moved(this.value, options);
  }

  #locate() {
    this.#stopWatching();
    this.#note.textContent = "Finding your location…";
    this.#stopWatching = watchPosition((fix) => {
      this.#stopWatching();
      this.put(fix);
    }, ({ text }) => {
      this.#stopWatching();
      this.#note.textContent = text;
    });
  }
}
