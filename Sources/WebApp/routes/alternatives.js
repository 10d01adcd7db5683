// The routes to choose from: minutes, metres and reasons of each.

import { h } from "../kit/dom.js";
import { distanceText } from "../kit/format.js";
import { minutesText, reasonLabels } from "./words.js";

/** The choices as radio buttons; `chosen(index)` gets the choice. One route alone has no button. `isStepFree`: all are to be. */
export function alternativesList(routes, { selected, chosen, isStepFree = false }) {
  const rows = routes.map((route, index) => {
    const labels = reasonLabels(route.reasons, { isStepFree, isAlone: routes.length === 1 });
    return h("label", { class: "choice alternative" },
      routes.length > 1 ? h("input", { type: "radio", name: "alternative", value: index, checked: index === selected,
        onchange: () => chosen(index) }) : null,
      h("span", { class: "grow" },
        h("span", { class: "alternative-figures" }, h("strong", {}, minutesText(route.seconds)),
          h("span", { class: "muted number" }, distanceText(route.metres))),
        labels.length > 0 ? h("span", { class: "row alternative-reasons" }, ...labels.map((label) => h("span", { class: "tag" }, label)))
          : null));
  });
  return h("fieldset", { class: "alternatives", id: "alternatives" }, h("legend", { class: "visually-hidden" }, "Routes"), ...rows);
}
