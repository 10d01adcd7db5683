// A path that leads nowhere.

import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

export function show(root) {
  root.append(h("div", { class: "page" }, h("h1", { tabindex: "-1", class: "visually-hidden" }, "Page not found"),
    emptyState({ id: "missing", iconElement: icon("map"), title: "There is no such page", text: "The address may be mistyped.",
      action: h("a", { class: "button primary", href: "/" }, "To the start page") })));
}
