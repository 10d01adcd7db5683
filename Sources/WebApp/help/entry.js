// How an entry of the help is drawn.

import { h } from "../kit/dom.js";

/** The text, the points or steps, and the links of an entry. */
export function entryBody({ text, points = [], steps = [], links = [] }) {
  return [
    h("p", {}, text),
    points.length > 0 ? h("ul", { class: "help-points" }, ...points.map((point) => h("li", {}, point))) : null,
    steps.length > 0 ? h("ol", { class: "help-steps" }, ...steps.map((step) => h("li", {}, step))) : null,
    links.length > 0
      ? h("p", { class: "row help-links" }, ...links.map(([href, label]) => h("a", { class: "link", href }, label)))
      : null,
  ].filter(Boolean);
}

/** An entry that opens when its title is chosen. */
export function entryDetails(entry, { isOpen = false } = {}) {
  return h("details", { dataset: { entry: entry.id }, open: isOpen }, h("summary", {}, entry.title), h("div", { class: "help-body" },
    ...entryBody(entry)));
}
