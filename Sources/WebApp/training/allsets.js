// All sets of a training in a list: what is done and what comes, with changes.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { openMenu } from "../kit/menu.js";
import { numberText } from "../workouts/fields.js";
import { measuresOf } from "../workouts/sectionlist.js";
import { readSetValues, setValueFields } from "../workouts/setvalues.js";
import { sectionName, setText } from "../workouts/words.js";
import { exerciseOf } from "./setcard.js";

const stateWords = { planned: "To do", done: "Done", skipped: "Skipped" };
const stateIcons = { planned: "stationary", done: "tick", skipped: "arrow" };

/** Ids of the buttons of a set and of an exercise: the focus goes to the new button after a list was drawn again. */
export const setMenuID = (set) => `set-menu-${set}`;
export const addSetID = (entry) => `add-set-${entry}`;

/** Asks for the values of a set. */
export function openSetDialog({ title, values, measures, save }) {
  const fields = measures.map((measure) => setValueFields[measure]).map(({ name, label, isWhole }) => makeField({
    name, id: `set-${name}`, label, inputmode: isWhole ? "numeric" : "decimal", autocomplete: "off", maxlength: 12,
    value: numberText(values[name]),
  }));
  const form = makeForm({
    id: "set-form", fields, submitLabel: "Save", check: (texts) => readSetValues(texts, measures).problems,
    send: async (texts) => {
      dialog.close();
      save(readSetValues(texts, measures).values);
    },
  });
  const dialog = openDialog({ id: "set-dialog", title, content: form });
}

function setRow(guide, { set, round }, exercise) {
  const label = `Set ${round + 1} of ${exercise.name}`;
  const edit = () => openSetDialog({ title: label, values: set.values, measures: measuresOf(exercise, [set.values]), save: (values) =>
    guide.change(set.id, values) });
  const actions = [
    ...(set.state === "planned" ? [{ id: "jump", label: "Do this set now", iconName: "play", run: () => guide.jump(set.id) }] : []),
    { id: "edit", label: "Change", iconName: "edit", run: edit },
    ...(set.state === "planned" ? [] : [{ id: "again", label: "Do it again", iconName: "undo", run: () => guide.again(set.id) }]),
    ...(set.state === "planned" ? [{ id: "skip", label: "Skip", iconName: "arrow", run: () => guide.skip(set.id) }] : []),
    { id: "remove", label: "Remove", iconName: "bin", isDanger: true, run: () => guide.remove(set.id) },
  ];
  const more = h("button", { class: "icon-button", type: "button", id: setMenuID(set.id), "aria-label": `Change ${label}`,
    "aria-haspopup": "dialog", onclick: () => openMenu({ anchor: more, label, actions }) }, icon("more"));
  return h("li", { class: "all-set", dataset: { set: set.id, state: set.state } }, icon(stateIcons[set.state] ?? "bar"),
    h("span", { class: "grow" }, `Set ${round + 1}: ${setText(set.values)}`), h("span", { class: "muted small" },
      stateWords[set.state] ?? ""), more);
}

/** The list of all exercises with their sets. */
export function allSets(guide) {
  const { record, sequence } = guide;
  const ofEntry = (id) => sequence.filter(({ entry }) => entry.id === id);
  return record.plan.sections.map(({ kind, groups }) => h("section", { class: "stack tight", "aria-label": sectionName(kind) },
    h("h3", {}, sectionName(kind)),
    ...groups.flatMap(({ entries }) => entries).map((entry) => {
      const exercise = exerciseOf(record, entry.exercise);
      return h("div", { class: "all-entry" }, h("strong", {}, exercise.name),
        h("ul", {}, ...ofEntry(entry.id).map((step) => setRow(guide, step, exercise))),
        h("button", { class: "button small-button", type: "button", id: addSetID(entry.id),
          "aria-label": `Add a set of ${exercise.name}`, onclick: () => guide.add(entry.id) }, icon("plus"), "Add set"));
    })));
}
