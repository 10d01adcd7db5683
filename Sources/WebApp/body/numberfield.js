// A figure that is saved as it is typed.

import { announce, h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";
import { readFigure } from "./words.js";

const typedMilliseconds = 900;

/**
 * `{element, note, draw(value), close()}`: `save(value, note)` gets a figure, or null when the field was emptied; `figure` is as in
 * words.js.
 */
export function makeNumberField({ name, figure, hint = null, value = null, save }) {
  const note = makeSaved();
  const field = makeField({
    name, id: `body-${name}`, label: `${figure.label} (${figure.unit})`, inputmode: figure.decimals > 0 ? "decimal" : "numeric",
    autocomplete: "off", maxlength: 6, hint, value: value ?? "",
  });
  let saved = value;
  let timer = 0;
  const finish = () => {
    clearTimeout(timer);
    const read = readFigure(field.input.value, figure);
    field.setProblem(read.problem ?? null);
    if (read.problem) return announce(read.problem);
    if (read.value === saved) return undefined;
    saved = read.value;
    return save(read.value, note);
  };
  field.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(finish, typedMilliseconds);
  });
  field.input.addEventListener("change", finish);
  field.element.append(note.element);
  return {
    element: h("div", {}, field.element),
    note,
    draw(now) {
      if (now === saved && field.input.value !== "") return;
      saved = now;
      // The person's own typing stays.
      if (document.activeElement !== field.input) field.input.value = now ?? "";
    },
    close: () => {
      if (timer && field.input.isConnected) finish();
      clearTimeout(timer);
    },
  };
}
