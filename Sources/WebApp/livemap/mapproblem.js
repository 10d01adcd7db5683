// The notice in the place of a map that could not be loaded.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** A paragraph for the element of the map. */
export function mapProblem() {
  return h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"), "Couldn't load the map. The list still works.");
}
