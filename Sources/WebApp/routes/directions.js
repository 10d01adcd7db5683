// The directions of a route as an ordered list: each line names what people see.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { legMetres, legText, levelText } from "./words.js";

const turnIcons = {
  start: "turn-straight", straight: "turn-straight", slightLeft: "turn-slight-left", left: "turn-left", sharpLeft: "turn-left",
  slightRight: "turn-slight-right", right: "turn-right", sharpRight: "turn-right", enter: "enter", leave: "leave",
};
const kindIcons = { lift: "lift", steps: "stairs", escalator: "stairs" };

/** The name of the icon of a leg. */
export const legIcon = ({ kind, turn }) => kindIcons[kind] ?? turnIcons[turn] ?? "turn-straight";

/** The list; `current` is the index of the leg where the person is, or null. `destination` is its name. */
export function directionsList(route, { current = null, destination = null } = {}) {
  const rows = route.legs.map((leg, index) => h("li", {
    class: `direction${current !== null && index < current ? " is-past" : ""}`, dataset: { leg: index },
    "aria-current": index === current ? "step" : null,
  }, icon(legIcon(leg)), h("span", { class: "grow" }, h("span", { class: "direction-text" }, legText(leg)), ...levelNote(leg)),
  h("span", { class: "muted small number leg-metres" }, legMetres(leg))));
  const end = h("li", { class: "direction" }, icon("flag"), h("span", { class: "grow" }, destination ?? "Destination"));
  return h("ol", { class: "directions", id: "directions" }, ...rows, end);
}

/** A walk indoors has its level beside it. */
function levelNote({ kind, indoors, fromLevel, toLevel }) {
  const level = toLevel ?? fromLevel;
  return kind === "path" && indoors && level !== undefined ? [h("span", { class: "muted small" }, levelText(level))] : [];
}
