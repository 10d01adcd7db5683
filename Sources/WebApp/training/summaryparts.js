// Parts of the summary of a training: its figures, calories, heart rate and sets.

import { h } from "../kit/dom.js";
import { count, momentText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { openMenu } from "../kit/menu.js";
import { measuresOf } from "../workouts/sectionlist.js";
import { aboutText, sectionName, secondsText, setText } from "../workouts/words.js";
import { addSetID, openSetDialog, setMenuID } from "./allsets.js";
import { zoneNames } from "../pulse/heartrate.js";
import { exerciseOf } from "./setcard.js";
import { figuresOf, sequenceOf } from "./sets.js";

const methodWords = {
  met: "from the energy cost of the exercises and your weight",
    correctedMET: "from the energy cost of the exercises, corrected by your height, age and sex",
  heartRate: "from your heart rate, weight, age and sex",
};

const figure = (label, value, unit = null) => h("div", {}, h("dt", {}, label), h("dd", { class: "number" }, value, unit
  ? h("span", { class: "unit" }, ` ${unit}`) : null));

/** Date, duration, sets, reps, calories and weight moved. `change` is a button that changes date and time. */
export function summaryFigures({ startedAt, endedAt, activeSeconds, sets, calories }, change) {
  const { done, reps, kilograms } = figuresOf(sets);
  return h("dl", { class: "facts summary-figures", id: "summary-figures" },
    h("div", { class: "summary-date" }, h("dt", {}, "Date and time"), h("dd", {}, spanText(Date.parse(startedAt), Date.parse(endedAt)),
      change)),
    figure("Duration", secondsText(activeSeconds)), figure("Sets", String(done)),
    figure("Reps", reps.toLocaleString("en")),
    figure("Calories", calories ? aboutText(calories.net) : "–"),
    kilograms > 0 ? figure("Weight moved", Math.round(kilograms).toLocaleString("en"), "kg") : null);
}

/** `28 Nov 2026, 18:00–18:45`, or with the day of the end when it is another; one time when both are in the same minute. */
function spanText(start, end) {
  if (momentText(start) === momentText(end)) return momentText(start);
  const isSameDay = new Date(start).toDateString() === new Date(end).toDateString();
  return `${momentText(start)}–${isSameDay ? timeText(end) : momentText(end)}`;
}

/** Net and gross calories with their method. `isWaiting`: the server has not computed them yet. */
export function caloriesCard({ calories }, { isWaiting, recalculate }) {
  const title = h("h2", { id: "calories-title" }, "Calories");
  const again = h("button", { class: "button small-button", type: "button", id: "recalculate", onclick: () => recalculate() },
    icon("undo"), "Calculate again");
  if (isWaiting) return h("section", { class: "card stack tight", "aria-labelledby": "calories-title" }, title,
    h("p", { class: "muted" }, "They appear when you're back online."));
  if (!calories) {
    return h("section", { class: "card stack tight", "aria-labelledby": "calories-title" }, title,
      h("p", { class: "muted" }, "Calories need your weight. Enter it in your body data, then calculate again."), h("div", {}, again));
  }
  const { gross, net, method, kilograms, errorPercent } = calories;
  return h("section", { class: "card stack tight", "aria-labelledby": "calories-title" }, title,
    h("p", {}, h("strong", {}, capitalAbout(net)), " by the workout itself, ", aboutText(gross), " with what you use at rest."),
    h("p", { class: "muted small" },
      `Estimated ${methodWords[method] ?? "from your workout"}, with ${kilograms} kg. For one person it can be ${errorPercent} % off.`),
    h("div", {}, again));
}

const capitalAbout = (kilocalories) => aboutText(kilocalories).replace(/^a/, "A");

/** The heart rate with the time in each zone. `add` is an element to add some. */
export function pulseSummary({ pulse }, add) {
  const title = h("h2", { id: "pulse-summary-title" }, "Heart rate");
  if (!pulse) return h("section", { class: "card stack tight", "aria-labelledby": "pulse-summary-title" }, title,
    h("p", { class: "muted" }, "None recorded."), add);
  const longest = Math.max(1, ...pulse.zones);
  return h("section", { class: "card stack tight", "aria-labelledby": "pulse-summary-title" }, title,
    h("dl", { class: "figures" }, figure("Average", String(pulse.average)), figure("Lowest", String(pulse.minimum)),
      figure("Highest", String(pulse.maximum))),
    h("ul", { class: "zone-list", "aria-label": "Time in zones" }, ...pulse.zones.map((seconds, index) => {
      const bar = h("span", { class: "zone-bar" }, h("span", {}));
      /** @type {HTMLElement} */ (bar.firstElementChild).style.width = `${Math.round((seconds / longest) * 100)}%`;
      return h("li", { dataset: { zone: index + 1 } }, h("span", {}, `Zone ${index + 1}`), h("span", { class: "muted small" },
        zoneNames[index + 1]), bar,
        h("span", { class: "number small" }, secondsText(seconds)));
    })), add);
}

/** All sets by exercise; `change(id, change)` and `add(entry)` change them. */
export function doneSets(training, { change, add }) {
  const sequence = sequenceOf(training.plan, training.sets);
  return h("section", { class: "card stack tight", "aria-labelledby": "sets-title", id: "done-sets" },
    h("h2", { id: "sets-title" }, "Sets"),
    ...training.plan.sections.map(({ kind, groups }) => h("div", { class: "stack tight" }, h("h3", {}, sectionName(kind)),
      ...groups.flatMap(({ entries }) => entries).map((entry) => {
        const exercise = exerciseOf(training, entry.exercise);
        const own = sequence.filter((step) => step.entry.id === entry.id);
        return h("div", { class: "all-entry" }, h("strong", {}, exercise.name), h("span", { class: "muted small" },
          ` ${count(own.length, "set")}`),
          h("ul", {}, ...own.map((step) => doneRow(step, exercise, change))),
          h("button", { class: "button small-button", type: "button", id: addSetID(entry.id),
            "aria-label": `Add a set of ${exercise.name}`, onclick: () => add(entry.id) }, icon("plus"), "Add set"));
      }))));
}

const stateWords = { planned: "Not done", done: "Done", skipped: "Skipped" };

function doneRow({ set, round }, exercise, change) {
  const label = `Set ${round + 1} of ${exercise.name}`;
  const more = h("button", { class: "icon-button", type: "button", id: setMenuID(set.id), "aria-label": `Change ${label}`,
    "aria-haspopup": "dialog", onclick: () => openMenu({ anchor: more, label, actions: [
      { id: "edit", label: "Change", iconName: "edit", run: () => openSetDialog({ title: label, values: set.values,
        measures: measuresOf(exercise, [set.values]),
        save: (values) => change(set.id, { values, state: "done" }) }) },
      set.state === "done" ? { id: "undone", label: "Not done", iconName: "close", run: () => change(set.id, { state: "skipped" }) }
        : { id: "done", label: "Done", iconName: "tick", run: () => change(set.id, { state: "done" }) },
      { id: "remove", label: "Remove", iconName: "bin", isDanger: true, run: () => change(set.id, { state: "removed" }) },
    ] }) }, icon("more"));
  return h("li", { class: "all-set", dataset: { set: set.id, state: set.state } }, icon(set.state === "done" ? "tick" : "bar"),
    h("span", { class: "grow" }, `Set ${round + 1}: ${setText(set.values)}`), h("span", { class: "muted small" },
      stateWords[set.state] ?? ""), more);
}
