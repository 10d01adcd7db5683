// Today's figures, and the entry of steps and the resting heart rate by hand.

import { today } from "../charts/days.js";
import { h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";
import { dayFields, readWhole, todayFigures } from "./model.js";

/** `{element, draw(insights)}`; `save(params, note)` saves figures of a day, `signal` ends it. */
export function makeTodayCard({ writes, save, signal }) {
  const note = makeSaved();
  note.follow(writes, ({ method }) => method === "insights.saveDay", signal);
  const list = h("dl", { class: "today-figures" });
  const entry = h("div", { class: "day-entry" }, ...dayFields.map((field) => entryForm(field, (value) => save(
    { date: today(), [field.name]: value }, note))));
  return {
    element: h("section", { class: "card stack", id: "today-card", "aria-labelledby": "today-title" },
      h("h2", { id: "today-title" }, "Today"), list,
      h("details", {}, h("summary", {}, "Add steps or heart rate"), entry), note.element),
    draw(insights) {
      list.replaceChildren(...todayFigures(insights).map(({ name, label, value, note: text }) => h("div", { dataset: { figure: name } },
        h("dt", {}, label), h("dd", { class: "number" }, value ?? "–"), text ? h("dd", { class: "muted small" }, text) : null)));
    },
  };
}

function entryForm(field, save) {
  const { name, label, unit } = field;
  const input = makeField({ name, id: `today-${name}`, label: `${label} today${unit === "steps" ? "" : ` (${unit})`}`, inputmode: "numeric",
    autocomplete: "off", maxlength: 7 });
  return h("form", { class: "day-entry-form", id: `form-${name}`, novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const { value, problem } = readWhole(input.input.value, field);
    input.setProblem(problem ?? (value === null ? `Enter ${label.toLowerCase()}.` : null));
    if (problem || value === null) return input.input.focus();
    if (await save(value)) input.input.value = "";
    return undefined;
  } }, input.element, h("button", { class: "button", type: "submit" }, "Save"));
}
