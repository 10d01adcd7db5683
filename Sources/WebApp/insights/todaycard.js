// Today's figures, and the entry of steps and the resting heart rate by hand.

import { h } from "../kit/dom.js";
import { makeSaved } from "../kit/saved.js";
import { makeDayEntries } from "./dayentries.js";
import { todayFigures } from "./model.js";

/** `{element, draw(insights)}`; `save(params, note)` saves figures of a day, `recent(span)` gives those of some days, `signal` ends it. */
export function makeTodayCard({ writes, save, recent, signal }) {
  const note = makeSaved();
  note.follow(writes, ({ method }) => method === "insights.saveDay", signal);
  const list = h("dl", { class: "today-figures" });
  const entries = makeDayEntries({ save: (params) => save(params, note), recent, signal });
  return {
    element: h("section", { class: "card stack", id: "today-card", "aria-labelledby": "today-title" },
      h("h2", { id: "today-title" }, "Today"), list, entries.element, note.element),
    draw(insights) {
      list.replaceChildren(...todayFigures(insights).map(({ name, label, value, note: text }) => h("div", { dataset: { figure: name } },
        h("dt", {}, label), h("dd", { class: "number" }, value ?? "–"), text ? h("dd", { class: "muted small" }, text) : null)));
      entries.draw();
    },
  };
}
