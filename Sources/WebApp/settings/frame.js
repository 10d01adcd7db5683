// The frame of the settings area: on a wide screen the list of sections beside the page of one, on a phone one or the other.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { sectionsFor } from "./sections.js";

/** The list of sections as links; `current` is the name of the shown one. */
export function sectionList(account, current) {
  return h("ul", { class: "settings-list" }, ...sectionsFor(account).map(({ name, path, label, hint, icon: iconName }) =>
    h("li", {}, h("a", { class: "settings-link", href: path, id: `to-${name}`, "aria-current": name === current ? "page" : null },
      icon(iconName), h("span", { class: "grow" }, h("strong", {}, label), h("span", { class: "hint" }, hint)), icon("arrow")))));
}

/**
 * The frame around `content`, the elements of a section's page. `current` is the name of the section, or null for the list itself, whose
 * content stands above the list on a phone. `below` stands below the list.
 */
export function settingsFrame({ net }, current, content, { below = null } = {}) {
  const isList = current === null;
  return h("div", { class: "settings-area", dataset: { section: current ?? "" } },
    h("nav", { class: "settings-nav", "aria-label": "Settings" },
      isList ? null : h("a", { class: "settings-title", href: "/settings" }, "Settings"),
      sectionList(net.account, current), below),
    h("div", { class: "page stack settings-page" },
      isList ? null : h("p", { class: "settings-back" }, h("a", { href: "/settings", class: "back" }, "← Settings")), ...content));
}
