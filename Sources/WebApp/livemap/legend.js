// The legend of the live map.

import { h } from "../kit/dom.js";
import { stateNames } from "../kit/format.js";
import { icon, markIcon } from "../kit/icons.js";

const meanings = {
  moving: ", pointing ahead", stationary: "", paused: " by the runner", offline: ": last known location",
  finished: "",
};

/** The legend, closed at first. */
export function mapLegend() {
  const states = Object.entries(meanings).map(([state, meaning]) => (
    row(h("span", { class: "runner-mark", dataset: { state }, "aria-hidden": "true" }, markIcon(state)), stateNames[state], meaning)));
  return h("details", { class: "map-legend", id: "legend" }, h("summary", {}, icon("info"), "Legend"),
    h("ul", {}, ...states,
      row(mark("runner-mark many"), "Many runners", ": small dots, rings when offline. Zoom in for more."),
      row(mark("cluster-mark", "99"), "A number", ": that many runners. Tap to zoom in."),
      row(mark("person-face", "A"), "Initials", " or a picture: a person sharing their location. The circle shows the precision, "
        + "dashed for a building or zone.")));
}

function row(symbol, name, meaning) {
  return h("li", {}, symbol, h("span", {}, h("strong", {}, name), meaning));
}

function mark(className, text = null) {
  return h("span", { class: className, "aria-hidden": "true" }, text);
}
