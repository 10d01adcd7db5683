// The choice of how long an event takes: a usual length, or hours and minutes.

import { h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { problemLine, setProblem } from "./formparts.js";
import { lengths } from "./formvalues.js";
import { lengthOf } from "./times.js";

/** `element` has the choice, `other` the fields of another length; both have their place in the form. `changed()` follows each change. */
export class LengthField {
  #problem = problemLine("length");
  #select;
  #hours;
  #minutes;

  constructor(values, changed) {
    const field = (given) => {
      const made = makeField({ ...given, type: "number", inputmode: "numeric", min: 0, value: values[given.name] });
      made.input.addEventListener("input", changed);
      return made;
    };
    this.#hours = field({ name: "hours", label: "Hours", max: 336 });
    this.#minutes = field({ name: "minutes", label: "Minutes", max: 59 });
    this.#select = h("select", { id: "field-length", name: "length", "aria-describedby": `${this.#problem.id} event-end`, onchange: () => {
      this.#showOther();
      this.setProblem(null);
      changed();
    } },
    ...lengths.map((one) => h("option", { value: one, selected: String(one) === values.length }, lengthOf(one * 60))),
    h("option", { value: "other", selected: values.length === "other" }, "Other"));
    this.other = h("div", { class: "two-fields length-other" }, this.#hours.element, this.#minutes.element);
    this.element = h("div", { class: "field" }, h("label", { for: "field-length" }, "Length"), this.#select, this.#problem);
    this.other.hidden = values.length !== "other";
  }

  /** `{length, hours, minutes}` of the form's values. */
  get values() {
    return { length: this.#select.value, hours: this.#hours.input.value, minutes: this.#minutes.input.value };
  }

  set({ length, hours, minutes }) {
    this.#hours.input.value = hours;
    this.#minutes.input.value = minutes;
    this.#select.value = length;
    this.#showOther();
  }

  setProblem(message) {
    setProblem(this.#select, this.#problem, message);
  }

  focus() {
    (this.#select.value === "other" ? this.#hours.input : this.#select).focus();
  }

  #showOther() {
    this.other.hidden = this.#select.value !== "other";
  }
}
