// The parts of a route that only its owner sees: drawn dotted, with a sentence about them.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { token } from "../kit/theme.js";

/** Draws them over the route: `hidden` is pieces of `[lat, lon]`, as the route's. */
export function drawHiddenParts(view, hidden) {
  if (!hidden || hidden.length === 0) return;
  const { L, map } = view;
  const shared = { smoothFactor: 1, interactive: false, lineJoin: "round" };
  const under = L.polyline(hidden, { ...shared, weight: 6, color: token("--map-ring"), className: "hidden-part" }).addTo(map);
  const dashes = L.polyline(hidden, { ...shared, weight: 4.5, lineCap: "round", dashArray: "0.1 8", color: token("--ink") }).addTo(map);
  view.whenThemeChanges(() => {
    under.setStyle({ color: token("--map-ring") });
    dashes.setStyle({ color: token("--ink") });
  });
}

/** The sentence about them, or nothing when others see the whole route. */
export function hiddenNote(hidden) {
  if (!hidden || hidden.length === 0) return "";
  const [these, verb] = hidden.length === 1 ? ["this part", "It is"] : ["these parts", "They are"];
  return h("p", { class: "notice", id: "hidden-note" }, icon("eye-off"), h("span", {}, h("strong", {}, `Dotted: only you see ${these}. `),
    `${verb} in a private zone or residence. For others, the route, distance and time leave it out. `,
    h("a", { href: "/settings/privacy" }, "Privacy")));
}
