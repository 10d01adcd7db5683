// What comes up: events and planned workouts.

import { h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { notBegun, upcomingPath, whenText } from "./model.js";

/** `{element, draw(insights), tick()}`. `tick` removes what has begun since. */
export function makeUpcomingCard({ now }) {
  const list = h("ul", { class: "upcoming-list" });
  const none = h("p", { class: "muted" }, "Nothing planned. ", h("a", { href: "/workouts" }, "Plan a workout"), " or ",
    h("a", { href: "/events" }, "find an event"), ".");
  let shown = [];
  const show = (upcoming) => {
    shown = upcoming;
    none.hidden = upcoming.length > 0;
    list.replaceChildren(...upcoming.map((one) => h("li", {}, h("a", { class: "upcoming-link", href: upcomingPath(one) },
      icon(one.event ? "events" : "strength"), h("span", { class: "grow" }, h("strong", {}, one.title),
        h("span", { class: "hint" }, whenText(one.startsAt, now()))), icon("arrow")))));
  };
  return {
    element: h("section", { class: "card stack", id: "upcoming-card", "aria-labelledby": "upcoming-title" },
      h("h2", { id: "upcoming-title" }, "Coming up"), list, none),
    draw({ upcoming }) {
      show(notBegun(upcoming, now()));
    },
    tick() {
      const left = notBegun(shown, now());
      if (left.length === shown.length) return;
      const focused = document.activeElement?.getAttribute("href") ?? null;
      keepFocus(list, () => show(left), () => list.querySelector(`[href="${focused}"]`));
    },
  };
}
