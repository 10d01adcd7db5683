// The two questions of every share: how exactly, and until when.

import { h } from "../kit/dom.js";
import { durationDefault, durations, rungDefault, rungs, shareSecondsMax } from "./words.js";

/** The ladder as radio buttons, each with what the others see: `{element, get value}`. */
export function makeRungs({ name = "precision", value = rungDefault, legend = "How precise?" } = {}) {
  const element = h("fieldset", { class: "choices rungs" }, h("legend", { class: "legend" }, legend),
    ...rungs.map((rung) => h("label", { class: "choice" },
      h("input", { type: "radio", name, value: rung.value, checked: rung.value === value }),
      h("span", { class: "grow" }, h("strong", {}, rung.name), h("span", { class: "hint" }, rung.sees)))));
  return { element, get value() { return element.querySelector("input:checked").value; } };
}

/**
 * How long, as chips of radio buttons: `{element, seconds()}`. With `session` also until that ends, with `keep` also as it is (then
 * `seconds()` is null).
 */
export function makeDurations({ session = null, keep = null, name = "duration" } = {}) {
  const options = [...(keep ? [{ id: "keep", name: keep }] : []), ...(session ? [{ id: "session", name: "Until this session ends" }] : []),
    ...durations(Date.now())];
  const first = keep ? "keep" : session ? "session" : durationDefault;
  const element = h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "How long?"),
    h("div", { class: "duration-chips" },
      ...options.map(
        (option) => h("label", { class: "choice" }, h("input", { type: "radio", name, value: option.id, checked: option.id === first }),
          h("span", {}, option.name)))));
  const chosen = () => element.querySelector("input:checked").value;
  return {
    element,
    get isWithSession() { return chosen() === "session"; },
    seconds() {
      if (chosen() === "keep") return null;
      // The evening has come nearer since the form was opened.
      return chosen() === "session" ? shareSecondsMax
        : (durations(Date.now()).find(({ id }) => id === chosen()) ?? options.find(({ id }) => id === chosen())).seconds;
    },
  };
}
