// The notice in the place of a map that could not be loaded.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** A notice for the element of the map. A file that could not be loaded is only asked for again by a reload of the page. */
export function mapProblem(text) {
  return h("div", { class: "map-problem notice warn", role: "alert" }, icon("warning"), h("span", {}, text),
    h("button", { class: "button quiet", type: "button", onclick: () => location.reload() }, "Try again"));
}
