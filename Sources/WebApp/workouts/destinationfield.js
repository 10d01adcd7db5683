// The field for a place of the campus, by its name.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { hintOf } from "../places/destinations.js";
import { Finder } from "../places/finder.js";

const resultsMax = 6;

/** `{element, get value, close()}`; `value` is `{id, name}` of the place, or null. */
export function makeDestinationField({ net }, { value = null, changed }) {
  let chosen = value;
  const status = h("p", { class: "muted small", role: "status" });
  const results = h("ul", { class: "destination-results", "aria-label": "Places found" });
  const input = h("input", { class: "input", type: "search", id: "field-destination", autocomplete: "off",
    placeholder: "Sports hall, gym, pool …",
    oninput: () => want() });
  const line = h("div", { class: "chosen-place" });
  const finder = new Finder({
    ask: (text) => net.request("search.find", { text, limit: resultsMax }),
    found: ({ results: found }) => {
      setText(status, found.length === 0 ? "No places found." : "");
      results.replaceChildren(...found.map((place) => h("li", {}, h("button", { class: "place-row", type: "button", onclick: () =>
        choose(place) },
        icon("pin"), h("span", { class: "grow" }, h("strong", {}, place.name), h("span", { class: "muted small" }, hintOf(place)))))));
    },
    failed: (error) => setText(status, error.message),
  });
  function want() {
    const text = input.value.trim();
    if (text === "") {
      finder.want(null);
      results.replaceChildren();
      setText(status, "");
    } else finder.want(text);
  }
  function choose(place) {
    chosen = place && { id: place.id, name: place.name };
    input.value = "";
    want();
    draw();
    changed();
    /** @type {HTMLElement} */ (chosen ? line.querySelector("button") : input).focus();
  }
  function draw() {
    input.hidden = chosen !== null;
    line.replaceChildren(...(chosen ? [icon("pin"), h("span", { class: "grow" }, chosen.name),
      h("button", { class: "icon-button", type: "button", "aria-label": `Remove ${chosen.name}`, onclick: () => choose(null) },
        icon("close"))] : []));
  }
  draw();
  return {
    element: h("div", { class: "field" }, h("label", { for: input.id }, "Place on the campus (optional)"), line, input, status, results),
    get value() { return chosen; }, close: () => finder.close(),
  };
}
