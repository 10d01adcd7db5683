// Goals for the day and the week: the progress, and the dialog that changes them.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";
import { goalFields, progressOf, readWhole } from "./model.js";

/** `{element, draw(insights), close()}`; `save(goals, note)` saves all goals, `signal` ends it. */
export function makeGoalsCard({ writes, save, signal }) {
  const note = makeSaved();
  note.follow(writes, ({ method }) => method === "insights.saveGoals", signal);
  const list = h("div", { class: "stack" });
  let insights = null;
  let dialog = null;
  const edit = () => { dialog = openEditor(insights.goals, (goals) => save(goals, note)); };
  const button = h("button", { class: "button", type: "button", id: "goals-edit", onclick: edit }, icon("edit"), "Edit goals");
  return {
    element: h("section", { class: "card stack", id: "goals-card", "aria-labelledby": "goals-title" },
      h("h2", { id: "goals-title" }, "Goals"), list, h("div", { class: "row" }, button), note.element),
    draw(now) {
      insights = now;
      const progress = progressOf(now);
      list.replaceChildren(...(progress.length > 0 ? progress.map(bar)
        : [h("p", { class: "muted" }, "Set a daily or weekly goal, and see your progress here.")]));
    },
    close: () => { if (dialog?.open) dialog.close(); },
  };
}

function bar({ name, label, share, text }) {
  const fill = h("span", { dataset: { done: share >= 1 } });
  fill.style.setProperty("width", `${share * 100}%`);
  const percent = Math.floor(share * 100);
  return h("div", { class: "stack tight", dataset: { goal: name } },
    h("p", { class: "goal-line" }, h("strong", {}, label), h("span", { class: "muted small number" }, text)),
    h("div", { class: "goal-bar", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100,
      "aria-valuenow": percent, "aria-valuetext": text }, fill),
    share >= 1 ? h("p", { class: "goal-done small" }, "Reached") : null);
}

function openEditor(goals, save) {
  const fields = goalFields.map(({ name, label, isUnitNamed = true, unit }) => makeField({
    name, id: `goal-${name}`, label: isUnitNamed ? label : `${label} (${unit})`, inputmode: "numeric", autocomplete: "off", maxlength: 7,
    value: goals[name] ?? "",
  }));
  const read = (values) => goalFields.map((field) => ({ name: field.name, ...readWhole(values[field.name], field) }));
  const form = makeForm({
    id: "goals-form", fields, submitLabel: "Save goals",
    check: (values) => Object.fromEntries(read(values).filter(({ problem }) => problem).map(({ name, problem }) => [name, problem])),
    send: async (values) => {
      dialog.close();
      await save(Object.fromEntries(read(values).filter(({ value }) => value !== null).map(({ name, value }) => [name, value])));
    },
  });
  const dialog = openDialog({ id: "goals-dialog", title: "Your goals", content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "Leave a field empty for no goal."), form) });
  return dialog;
}
