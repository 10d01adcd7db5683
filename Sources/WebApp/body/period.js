// The last period: its date, or a reason to skip it.

import { addDays, isDay, today } from "../charts/days.js";
import { h } from "../kit/dom.js";
import { makeRadios } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";
import { periodSkips } from "./words.js";

const daysMax = 365;

/** `{element, draw(lastPeriod)}`; `save(lastPeriod, note)` gets the date or the reason, or null to clear the entry. */
export function makePeriodCard({ save }) {
  const note = makeSaved();
  const date = makeField({ name: "period-date", label: "First day", type: "date" });
  /** The page may be open past midnight. */
  const limits = () => {
    const [first, last] = [addDays(today(), -daysMax), today()];
    Object.assign(date.input, { min: first, max: last });
    return { first, last };
  };
  limits();
  date.input.addEventListener("focus", limits);
  const radios = makeRadios({
    name: "period", label: "When did it start?", isColumn: true, options: [{ id: "date", label: "Choose a day" }, ...periodSkips],
    changed: (id) => {
      date.element.hidden = id !== "date";
      if (id === "date") date.input.focus();
      else save({ skipped: id }, note);
    },
  });
  const saveDate = () => {
    const { value } = date.input;
    if (value === "") return;
    const { first, last } = limits();
    const isPossible = isDay(value) && value >= first && value <= last;
    date.setProblem(isPossible ? null : "Choose a day of the last 12 months.");
    if (isPossible) save({ date: value }, note);
  };
  date.input.addEventListener("change", saveDate);
  date.element.hidden = true;
  let drawn = null;
  const choices = () => /** @type {NodeListOf<HTMLInputElement>} */ (element.querySelectorAll("input[type=radio]"));
  const clear = h("button", { class: "button small-button", type: "button", id: "period-clear", onclick: () => {
    drawn = "null";
    for (const input of choices()) input.checked = false;
    date.element.hidden = true;
    date.input.value = "";
    date.setProblem(null);
    choices()[0].focus();
    save(null, note);
  } }, "Clear this entry");
  const clearing = h("div", { class: "row", hidden: true }, clear);
  const element = h("section", { class: "card stack", id: "period-card", "aria-labelledby": "period-title" },
    h("h2", { id: "period-title" }, "Last period"),
    h("p", { class: "hint" }, "Optional. It lets workouts go easy on you on days when you may want that."),
    radios.element, date.element, clearing, note.element);
  return { element, draw(lastPeriod) {
    clearing.hidden = !lastPeriod;
    const key = JSON.stringify(lastPeriod ?? null);
    if (key === drawn || element.contains(document.activeElement)) return;
    drawn = key;
    const chosen = lastPeriod?.date ? "date" : lastPeriod?.skipped ?? null;
    for (const input of choices()) input.checked = input.value === chosen;
    date.element.hidden = chosen !== "date";
    date.input.value = lastPeriod?.date ?? "";
  } };
}
