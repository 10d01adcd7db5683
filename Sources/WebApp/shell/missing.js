// A path that leads nowhere.

import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

export function show(root) {
  root.append(h("div", { class: "page" }, h("h1", { tabindex: "-1", class: "visually-hidden" }, "Page not found"),
    emptyState({ id: "missing", iconElement: icon("map"), title: "Page not found", text: "Check the address for typos.",
      action: h("a", { class: "button primary", href: "/" }, "Go to start page") })));
}
