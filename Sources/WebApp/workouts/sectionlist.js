// One part of a workout in the editor: its exercises with their sets, in groups. Everything works with a keyboard.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { exerciseDiagram } from "./diagram.js";
import { numberText, readNumber } from "./fields.js";
import { planLimits, usualSet } from "./plan.js";
import { draftSetFigure, readSetFigure } from "./setvalues.js";

const figureCharactersMax = 10;

/** The fields of a set by what it records: `[member, label, unit]`. */
const setFields = {
  reps: ["reps", "Reps", "reps"], weight: ["kilograms", "Kilograms", "kg"], time: ["seconds", "Seconds", "s"],
  distance: ["metres", "Metres", "m"],
};

/** The fields of the sets of an entry: those of its exercise, those that its sets use already, and `others`. */
export function measuresOf(exercise, sets, others = []) {
  const own = exercise?.measures ?? [];
  const isUsed = (member) => sets.some((set) => set[member] !== undefined && set[member] !== null);
  const all = Object.keys(setFields).filter((measure) => own.includes(measure) || others.includes(measure)
    || isUsed(setFields[measure][0]));
  return all.length > 0 ? all : ["reps"];
}

/**
 * Like `measuresOf`, with the fields that the entry had before in `known`, by the entry's id: one that somebody clears to type it again
 * stays.
 */
export function lastingMeasures(known, { id, sets }, exercise) {
  const measures = measuresOf(exercise, sets, known.get(id));
  known.set(id, measures);
  return measures;
}

/**
 * The fields of one set: `{inputs, read(), check()}`. `read()` gives the figures for a plan that is checked later. `check()` gives them,
 * or null when one cannot be read or is out of range: then its message is shown and, unless `isQuiet`, its field gets the focus.
 */
export function makeSetInputs(set, measures, { name, changed }) {
  const inputs = measures.map((measure) => {
    const [member, label, unit] = setFields[measure];
    const problem = h("span", { class: "problem small", role: "alert" });
    const input = h("input", { class: "input set-input", inputmode: member === "reps" ? "numeric" : "decimal", autocomplete: "off",
      maxlength: figureCharactersMax, value: numberText(set[member]), "aria-label": `${label}, ${name}`, oninput: () => {
        if (problem.textContent !== "") check();
        changed();
      }, onchange: () => check() });
    const check = () => {
      const read = readSetFigure(member, input.value);
      setText(problem, read.problem ?? "");
      if (read.problem) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      return read;
    };
    return { member, unit, input, problem, check };
  });
  const valuesOf = (figures) => Object.fromEntries(figures.filter(([, value]) => value !== undefined));
  const read = () => valuesOf(inputs.map(({ member, input }) => [member, draftSetFigure(member, input.value)]));
  const check = ({ isQuiet = false } = {}) => {
    const figures = inputs.map((one) => /** @type {[string, any]} */ ([one.member, one.check()]));
    const wrong = figures.findIndex(([, { problem }]) => problem);
    if (wrong < 0) return valuesOf(figures.map(([member, { value }]) => [member, value]));
    if (!isQuiet) inputs[wrong].input.focus();
    return null;
  };
  return { inputs, read, check };
}

/** A field of a set with its unit and its message. */
export const setField = ({ unit, input, problem }) => h("span", { class: "set-figure-field" }, h("label", { class: "set-field" }, input,
  h("span", { class: "muted small", "aria-hidden": "true" }, unit)), problem);

/** The list of a section; `act(action, id, value)` asks for a change, `nameOf(id)` gives an exercise or null. */
export class SectionList {
  element = h("ul", { class: "edit-list" });
  kind;

  #rows = new KeyedChildren(this.element);
  #measures = new Map();
  #nameOf; #act;
  #empty = h("li", { class: "muted edit-empty" }, "No exercises yet.");

  constructor({ kind, nameOf, act }) {
    this.kind = kind;
    this.#nameOf = nameOf;
    this.#act = act;
  }

  draw({ groups }) {
    const signature = (entry) => [entry.id, entry.exercise, entry.sets.length, this.#measuresOf(entry)];
    this.#rows.draw(groups.length === 0 ? [{ key: "empty", sig: "empty", make: () => this.#empty }] : groups.map((group, index) => ({
      key: group.entries.map(({ id }) => id).join(), sig: JSON.stringify([index === 0, group.entries.map(signature)]), make: () =>
        this.#groupRow(group, index),
    })));
  }

  setProblems(problems) {
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("[data-entry-problem]"))) {
      const message = problems[`entry ${line.dataset.entryProblem}`] ?? "";
      line.textContent = message;
      line.dataset.bad = String(message !== "");
    }
  }

  /** Focuses the button of an action of an entry, after its row was drawn again. */
  focus(id, action, value) {
    const own = /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-entry="${CSS.escape(id)}"]`));
    if (!own) return;
    const by = value === undefined ? "" : `[data-by="${value}"]`;
    const button = /** @type {HTMLButtonElement | null} */ (own.querySelector(`[data-action="${action}"]${by}`));
    (button && !button.disabled ? button : /** @type {HTMLElement | null} */ (own.querySelector("button")))?.focus();
  }

  #measuresOf(entry) {
    return lastingMeasures(this.#measures, entry, this.#nameOf(entry.exercise));
  }

  #groupRow({ entries }, index) {
    if (entries.length === 1) return h("li", {}, this.#entry(entries[0], { isFirstGroup: index === 0 }));
    return h("li", { class: "superset" }, h("p", { class: "superset-title" }, "Superset: the sets alternate"),
      ...entries.map((entry) => this.#entry(entry, { isInSuperset: true })));
  }

  #entry(entry, { isFirstGroup = false, isInSuperset = false }) {
    const exercise = this.#nameOf(entry.exercise);
    const name = exercise?.name ?? "An exercise that is no longer available";
    const button = (action, iconName, label, value) => h("button", {
      class: "icon-button", type: "button", "aria-label": `${label}: ${name}`, title: label,
        dataset: { action, ...(value !== undefined && { by: value }) },
      onclick: () => this.#act(action, entry.id, value),
    }, icon(iconName));
    const up = button("move", "up", "Move up", -1);
    return h("div", { class: "edit-entry", role: "group", "aria-label": name, dataset: { entry: entry.id } },
      h("div", { class: "edit-head" }, h("span", { class: "entry-diagram" }, exerciseDiagram(exercise ?? {})),
        h("strong", { class: "grow" }, name),
        h("span", { class: "edit-tools" }, up, button("move", "down", "Move down", 1),
          isInSuperset ? button("split", "unlink", "Take out of the superset") : isFirstGroup ? null
            : button("join", "link", "Superset with the one above"),
          button("remove", "bin", "Remove"))),
      this.#sets(entry, name),
      h("p", { class: "problem", tabindex: "-1", dataset: { entryProblem: entry.id } }));
  }

  #sets(entry, name) {
    const measures = this.#measuresOf(entry);
    const rest = h("input", { class: "input set-input", type: "number", inputmode: "numeric", min: 0, max: planLimits.restSeconds, step: 5,
      value: String(entry.restSeconds), "aria-label": `Seconds of rest after each set, ${name}`, oninput: () => change() });
    const note = h("input", { class: "input", value: entry.note ?? "", maxlength: planLimits.note, placeholder: "Note", autocomplete: "off",
      "aria-label": `Note, ${name}`, oninput: () => change() });
    const rows = entry.sets.map((set, index) => makeSetInputs(set, measures, { name: `set ${index + 1} of ${name}`, changed: () =>
      change() }));
    const read = () => rows.map((row) => row.read());
    const change = (sets = read()) => this.#act("change", entry.id, {
      sets, restSeconds: Math.min(planLimits.restSeconds, Math.max(0, Math.round(readNumber(rest.value) || 0))), note: note.value.trim()
        || undefined,
    });
    const tools = (index) => h("button", { class: "icon-button", type: "button", "aria-label": `Remove set ${index + 1} of ${name}`,
      onclick: () => change(read().filter((_, other) => other !== index)) }, icon("close"));
    return h("div", { class: "set-table" },
      ...rows.map(({ inputs }, index) => h("div", { class: "set-row" }, h("span", { class: "set-number number" }, String(index + 1)),
        ...inputs.map(setField), tools(index))),
      h("div", { class: "set-foot" },
        h("button", { class: "button small-button", type: "button", disabled: entry.sets.length >= planLimits.setsOfEntry,
          dataset: { action: "add-set" },
          onclick: () => change([...read(), read().at(-1) ?? usualSet(measures)]) }, icon("plus"), "Set"),
        h("label", { class: "set-field" }, rest, h("span", { class: "muted small", "aria-hidden": "true" }, "s rest")), note));
  }
}
