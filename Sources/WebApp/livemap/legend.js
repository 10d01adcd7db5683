// The legend of the live map.

import { h } from "../kit/dom.js";
import { stateNames } from "../kit/format.js";
import { icon, markIcon } from "../kit/icons.js";

const meanings = {
  moving: ", the nose points ahead", stationary: "", paused: " by the runner", offline: ": no news, this is the last known place",
  finished: "",
};

/** The legend, closed at first. */
export function mapLegend() {
  const states = Object.entries(meanings).map(([state, meaning]) => (
    row(h("span", { class: "runner-mark", dataset: { state }, "aria-hidden": "true" }, markIcon(state)), stateNames[state], meaning)));
  return h("details", { class: "map-legend", id: "legend" }, h("summary", {}, icon("info"), "Legend"),
    h("ul", {}, ...states,
      row(mark("runner-mark many"), "Many runners", ": small points, rings where there is no news; zoom in for more"),
      row(mark("cluster-mark", "99"), "A number", ": so many runners there; click to zoom in"),
      row(mark("person-face", "A"), "Letters", ": a person who wants you to see where they are; the circle is how exactly that is known, "
        + "dashed for a whole building or part of campus")));
}

function row(symbol, name, meaning) {
  return h("li", {}, symbol, h("span", {}, h("strong", {}, name), meaning));
}

function mark(className, text = null) {
  return h("span", { class: className, "aria-hidden": "true" }, text);
}
