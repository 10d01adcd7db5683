// What comes up: events and planned workouts.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { upcomingPath, whenText } from "./model.js";

/** `{element, draw(insights)}`. */
export function makeUpcomingCard({ now }) {
  const list = h("ul", { class: "upcoming-list" });
  const none = h("p", { class: "muted" }, "Nothing planned. ", h("a", { href: "/workouts" }, "Plan a workout"), " or ",
    h("a", { href: "/events" }, "find an event"), ".");
  return {
    element: h("section", { class: "card stack", id: "upcoming-card", "aria-labelledby": "upcoming-title" },
      h("h2", { id: "upcoming-title" }, "Coming up"), list, none),
    draw({ upcoming }) {
      none.hidden = upcoming.length > 0;
      list.replaceChildren(...upcoming.map((one) => h("li", {}, h("a", { class: "upcoming-link", href: upcomingPath(one) },
        icon(one.event ? "events" : "strength"), h("span", { class: "grow" }, h("strong", {}, one.title),
          h("span", { class: "hint" }, whenText(one.startsAt, now()))), icon("arrow")))));
    },
  };
}
