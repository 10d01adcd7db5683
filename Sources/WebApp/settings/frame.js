// The frame of the settings area: on a wide screen the list of sections beside the page of one, on a phone one or the other.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { sectionsFor } from "./sections.js";

const waitingText = "Changes wait until you're back online";

/** The list of sections as links; `current` is the name of the shown one. */
function sectionList({ net, profileEdits }, current) {
  return h("ul", { class: "settings-list" }, ...sectionsFor(net.account).map(({ name, path, label, hint, icon: iconName }) => {
    const hintPart = h("span", { class: "hint" }, hint);
    if (name === "profile" && profileEdits) {
      followEdits(profileEdits, net, (waits) => setText(hintPart, waits ? waitingText : hint), hintPart);
    }
    return h("li", {}, h("a", { class: "settings-link", href: path, id: `to-${name}`, "aria-current": name === current ? "page" : null },
      icon(iconName), h("span", { class: "grow" }, h("strong", {}, label), hintPart), icon("arrow")));
  }));
}

/** Calls `draw` with whether edits of the profile wait for the connection, as long as `element` is on the page. */
function followEdits(profileEdits, net, draw, element) {
  const end = new AbortController();
  let wasShown = false;
  const follow = () => {
    if (wasShown && !element.isConnected) return end.abort();
    wasShown = element.isConnected;
    return draw(profileEdits.waiting > 0 && net.state !== "live");
  };
  profileEdits.addEventListener("change", follow, { signal: end.signal });
  follow();
}

/**
 * The frame around `content`, the elements of a section's page. `current` is the name of the section, or null for the list itself, whose
 * content stands above the list on a phone. `below` stands below the list.
 */
export function settingsFrame(app, current, content, { below = null } = {}) {
  const isList = current === null;
  return h("div", { class: "settings-area", dataset: { section: current ?? "" } },
    h("nav", { class: "settings-nav", "aria-label": "Settings" },
      isList ? null : h("a", { class: "settings-title", href: "/settings" }, "Settings"),
      sectionList(app, current), below),
    h("div", { class: "page stack settings-page" },
      isList ? null : h("p", { class: "settings-back" }, h("a", { href: "/settings", class: "back" }, "← Settings")), ...content));
}
