// The current set: the exercise, its fields, and what one does with it.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { exerciseDiagram } from "../workouts/diagram.js";
import { instructions } from "../workouts/exercise.js";
import { numberText } from "../workouts/fields.js";
import { makeSetInputs, measuresOf, setField } from "../workouts/sectionlist.js";
import { clockText, sectionName, setText as valuesText } from "../workouts/words.js";
import { exerciseName } from "./record.js";

/** The exercise of an entry, or one that is no longer in the catalogue. */
export const exerciseOf = (record, id) => record.exercises.find((one) => one.id === id)
  ?? { id, name: exerciseName(record, id), measures: ["reps"], instructions: [], primaryMuscles: [],
    secondaryMuscles: [] };

/** `Set 2 of 3 · superset A`, what is done now. */
export function stepText({ round, rounds, group }, { isUnilateral }) {
  return [`Set ${round + 1} of ${rounds}`, group.entries.length > 1 ? "superset" : null, isUnilateral ? "each side"
    : null].filter(Boolean).join(" · ");
}

/**
 * `{element, tick(), draw(step)}` of a step. `draw` takes the step after changes of its set elsewhere: what is typed stays. `done(values)`
 * and `skip()` are what the person presses.
 */
export function makeSetCard(guide, step, { done, skip }) {
  const { record } = guide;
  const exercise = exerciseOf(record, step.entry.exercise);
  const { set } = step;
  const row = makeSetInputs(set.values, measuresOf(exercise, [set.values]), {
    name: `set ${step.round + 1}`, changed: () => {},
  });
  let { values: shown } = set;
  const change = (values) => {
    shown = values;
    guide.change(set.id, values);
  };
  // A field that is left, not each key: a change is stored and sent.
  for (const { input, check } of row.inputs) {
    input.addEventListener("change", () => {
      if (check().problem) return;
      const values = row.check({ isQuiet: true });
      if (values) change(values);
    });
  }
  const hasTimer = set.values.seconds > 0;
  const clock = h("strong", { class: "set-clock number", role: "timer" });
  const timer = h("button", { class: "button", type: "button", id: "set-timer", onclick: () => guide.timeSet(guide.setSeconds === null) });
  const tick = () => {
    if (!hasTimer) return;
    const passed = guide.setSeconds ?? guide.stopped?.seconds ?? 0;
    setText(clock, clockText(Math.max(0, Math.ceil((guide.setGoal ?? 0) - passed))));
    setText(timer, guide.setSeconds !== null ? "Stop timer" : passed > 0 ? "Continue timer" : "Start timer");
  };
  tick();
  const planned = valuesText(set.values);
  const line = h("p", { class: "muted", id: "step-line" });
  const draw = (now) => {
    setText(line, `${stepText(now, exercise)} · planned ${planned}`);
    const { values } = now.set;
    for (const { member, input } of row.inputs) {
      if (values[member] !== shown[member] && document.activeElement !== input) input.value = numberText(values[member]);
    }
    shown = values;
  };
  draw(step);
  const element = h("section", { class: "card set-card", "aria-labelledby": "exercise-name", id: "set-card" },
    h("div", { class: "set-figure" }, exerciseDiagram(exercise)),
    h("div", { class: "stack tight set-body" },
      h("p", { class: "eyebrow small" }, sectionName(step.section)), h("h2", { id: "exercise-name", tabindex: "-1" }, exercise.name), line,
      step.entry.note ? h("p", { class: "notice small" }, icon("info"), h("span", {}, step.entry.note)) : null,
      hasTimer ? h("div", { class: "set-timer" }, clock, timer) : null,
      h("div", { class: "set-inputs", role: "group", "aria-label": "What you did" },
        ...row.inputs.map(setField)),
      h("div", { class: "set-actions" },
        h("button", { class: "button primary big", type: "button", id: "set-done", onclick: () => {
          const values = row.check();
          if (values) done(values);
        } }, icon("tick"), "Set done"),
        h("button", { class: "button big", type: "button", id: "set-skip", onclick: () => skip() }, "Skip set"))));
  return { element, tick, draw };
}

/** How the exercise is done; it is open for the first set of each. */
export function howTo(exercise, isOpen) {
  return h("details", { class: "card how-to", open: isOpen }, h("summary", {}, "How to do it"), h("div", { class: "stack tight" },
    ...instructions(exercise)));
}
