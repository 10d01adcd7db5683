// The page for a path of no page, where the app itself goes there: after a login (`next`), from a notification, or back in the history. A
// typed address and a followed link reach the server instead, which answers with a page of its own (ErrorPage.swift).

import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

export function show(root) {
  root.append(h("div", { class: "page" }, h("h1", { tabindex: "-1", class: "visually-hidden" }, "Page not found"),
    emptyState({ id: "missing", iconElement: icon("map"), title: "Page not found", text: "Check the address for typos.",
      action: h("a", { class: "button primary", href: "/" }, "Go to start page") })));
}
