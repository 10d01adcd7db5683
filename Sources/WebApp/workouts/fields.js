// Fields of the pages of workouts.

import { h } from "../kit/dom.js";

/** `{element, input, get value}`: a choice from a list of `{id, label}`. */
export function makeSelect({ id, label, options, value = "", changed = () => {} }) {
  const input = h("select", { id: `field-${id}`, name: id, onchange: () => changed() },
    ...options.map((option) => h("option", { value: option.id, selected: option.id === value }, option.label)));
  return { element: h("div", { class: "field" }, h("label", { for: input.id }, label), input), input, get value() { return input.value; } };
}

/** A number as a field shows it; empty for none. */
export const numberText = (value) => (value === undefined || value === null ? "" : String(value));

/** The number in a field; undefined for an empty one, NaN for a text that is none. */
export function readNumber(text) {
  const plain = text.trim().replace(",", ".");
  return plain === "" ? undefined : Number(plain);
}
