// The fields of an event's place: its name, and its position on a small map. A known name sets the position.

import { h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { makePlacePicker, namedPlaces } from "../map/picker.js";
import { problemLine } from "./formparts.js";
import { titleCharactersMax } from "./formvalues.js";

/** A card's content in `elements`; `changed()` follows each change. `close` ends the map. */
export class PlaceField {
  /** Name and its problem, as of `makeField`. */
  name;

  #problem = problemLine("position");
  #picker;
  #known = new Map();
  /** Whether the mark was set by a name and not by the person: another name may move it. */
  #isMarkByName;

  constructor({ app, values, changed }) {
    const names = h("datalist", { id: "place-names" });
    this.#isMarkByName = values.position === null;
    this.name = makeField({
      name: "place", label: "Where", maxlength: titleCharactersMax * 2, autocomplete: "off", list: "place-names",
      placeholder: "Boathouse, main door", value: values.place,
    });
    this.#picker = makePlacePicker({ app, value: values.position, changed: (position) => {
      this.#isMarkByName = position === null;
      this.#problem.textContent = "";
      changed();
    } });
    this.name.input.addEventListener("input", () => {
      changed();
      if (this.#followName()) changed();
    });
    this.elements = [this.name.element, names, this.#picker.element, this.#problem];
    namedPlaces(app).then((found) => {
      this.#known = found;
      names.replaceChildren(...[...found.keys()].sort((a, b) => a.localeCompare(b)).map((name) => h("option", { value: name })));
    }, () => {});
  }

  /** `{place, position}` of the form's values. */
  get values() {
    return { place: this.name.input.value, position: this.#picker.value };
  }

  set({ place, position }) {
    this.name.input.value = place;
    this.#isMarkByName = position === null;
    this.#picker.set(position);
  }

  /** Of the position; the name has its own. */
  setProblem(message) {
    this.#problem.textContent = message ?? "";
  }

  close() {
    this.#picker.close();
  }

  /** Moves the mark to the place of that name; gives whether it did. */
  #followName() {
    const place = this.#known.get(this.name.input.value.trim());
    if (!place || !this.#isMarkByName) return false;
    this.#picker.set(place);
    return true;
  }
}
