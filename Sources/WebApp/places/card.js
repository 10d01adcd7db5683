// The card of a place or building that was tapped on a map.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { hintOf, kindName, pathOf, peopleText, routeTo } from "./destinations.js";
import { campusClock, openText } from "./hours.js";

/** `{element, heading, close()}`; `closed()` is called by the button. What the server knows is added when it comes. */
export function makePlaceCard({ net, destination, closed }) {
  let isClosed = false;
  const { name } = destination;
  const heading = h("h2", { id: "tapped-name", tabindex: "-1" }, h("a", { href: pathOf(destination) }, name));
  const hint = h("p", { class: "muted small" }, kindName(destination));
  const now = h("p", { class: "small", id: "tapped-now" });
  const close = h("button", { class: "icon-button", type: "button", id: "close-tapped", "aria-label": `Close ${name}`, onclick: closed },
    icon("close"));
  const element = h("article", { class: "follow-card", id: "tapped-place", "aria-labelledby": "tapped-name" },
    h("div", { class: "follow-head" }, h("div", { class: "grow" }, heading, hint, now), close),
    h("div", { class: "row" }, h("a", { class: "button primary small-button", href: routeTo(destination) }, icon("arrow"), "Directions"),
      h("a", { class: "button small-button", href: pathOf(destination), id: "tapped-details" }, "Details")));
  net.read("places.page", { destination: destination.id }).then((page) => {
    if (isClosed) return;
    setText(hint, [hintOf(page.destination), page.zone].filter(Boolean).join(" · "));
    const open = openText({ openings: page.openings, open: page.destination.open }, net.clock.now(), campusClock(page.timeZone));
    setText(now, [open, page.people === undefined ? null : peopleText(page.people)].filter(Boolean).join(" · "));
  }, () => {
    // Its name and what it is are on the card.
  });
  return { element, heading, close() { isClosed = true; element.remove(); } };
}
