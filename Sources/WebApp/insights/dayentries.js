// Steps and the resting heart rate of one of the last days, entered by hand.

import { today } from "../charts/days.js";
import { h, setText } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { dayFields, entryOf, entryText, readWhole, recentDays } from "./model.js";

/** `{element, draw()}`; `save(params)` saves figures of a day, `recent(span)` gives `insights.get` of a span of days, `signal` ends it. */
export function makeDayEntries({ save, recent, signal }) {
  const select = h("select", { id: "entry-day", onchange: () => drawForms() });
  const forms = dayFields.map((field) => entryForm(field, (change) => save({ date: select.value, ...change })));
  let days = [];
  let shown = "";
  let generation = 0;
  const drawForms = () => {
    const day = days.find(({ date }) => date === select.value);
    for (const form of forms) form.draw(day);
  };
  const drawDays = () => {
    if (shown === today()) return;
    const chosen = select.value === shown ? today() : select.value;
    shown = today();
    select.replaceChildren(...recentDays(shown).map(({ id, label }) => h("option", { value: id, selected: id === chosen }, label)));
  };
  const draw = async () => {
    drawDays();
    if (!element.open) return;
    const mine = ++generation;
    // Without the figures of these days, new ones can be entered all the same.
    const reply = await recent({ from: recentDays(shown).at(-1).id, to: shown }).catch(() => null);
    if (mine !== generation || signal.aborted) return;
    days = reply?.days ?? [];
    drawForms();
  };
  const element = h("details", { id: "day-entries", ontoggle: draw }, h("summary", {}, "Enter steps or resting heart rate"),
    h("div", { class: "day-entry" }, h("div", { class: "field" }, h("label", { for: "entry-day" }, "Day"), select),
      ...forms.map((form) => form.element)));
  drawDays();
  return { element, draw };
}

function entryForm(field, save) {
  const { name, label, unit } = field;
  const input = makeField({ name, id: `today-${name}`, label: unit === "steps" ? label : `${label} (${unit})`, inputmode: "numeric",
    autocomplete: "off", maxlength: 7 });
  const text = h("span", { class: "grow" });
  const clear = h("button", { class: "button small-button", type: "button", "aria-label": `Clear ${label.toLowerCase()}`, onclick: () => {
    input.input.focus();
    save({ clear: [name] });
  } }, "Clear");
  const line = h("p", { class: "day-entry-line small muted", hidden: true }, text, clear);
  const element = h("form", { class: "day-entry-form", id: `form-${name}`, novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const { value, problem } = readWhole(input.input.value, field);
    input.setProblem(problem ?? (value === null ? `Enter ${label.toLowerCase()}.` : null));
    if (problem || value === null) return input.input.focus();
    if (await save({ [name]: value })) input.input.value = "";
    return undefined;
  } }, input.element, h("button", { class: "button", type: "submit" }, "Save"), line);
  return { element, draw(day) {
    const entry = entryOf(day, name);
    line.hidden = entry === null;
    if (entry !== null) setText(text, entryText(entry, unit));
  } };
}
