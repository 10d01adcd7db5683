// What one can do with a workout: plan it, share it, copy it, delete it.

import { uuid } from "../client/uuid.js";
import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { momentText } from "../kit/format.js";
import { localTime, timeOfLocal } from "../kit/times.js";
import { keepSaved } from "./saving.js";

const yearsMax = 2;
const dayMilliseconds = 86_400_000;

/** Why a planned time is not taken, or null. */
export function scheduleProblem(time, now) {
  if (!Number.isFinite(time)) return "Choose a day and a time.";
  if (time <= now) return "Choose a time in the future.";
  return time > now + yearsMax * 365 * dayMilliseconds ? "Choose a time within two years." : null;
}

/** Tomorrow at this hour, for a form that nothing was entered in. */
const usualTime = (now) => Math.ceil((now + dayMilliseconds) / 3_600_000) * 3_600_000;

/** Asks for the time to plan a workout; `saved(workout)` gets the workout as it is then. */
export function openSchedule({ net }, workout, saved) {
  const now = net.clock.now();
  const field = makeField({
    name: "at", label: "Day and time", type: "datetime-local", value: localTime(workout.scheduledAt ? Date.parse(workout.scheduledAt)
      : usualTime(now)),
    min: localTime(now), hint: "Campanile reminds you before.", id: "schedule-at",
  });
  const send = (at) => attempt(async () => {
    const params = { workout: workout.id, ...(at !== null && { at: new Date(at).toISOString() }) };
    const reply = await net.writes.write("workouts.schedule", params);
    const changed = reply ?? { ...workout, scheduledAt: params.at };
    if (reply === null) keepSaved(net, changed);
    dialog.close();
    saved(changed);
    if (reply) toast(at === null ? "The plan was removed." : `Planned for ${momentText(at)}.`);
    return reply;
  });
  const form = h("form", { class: "stack", id: "schedule-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const at = timeOfLocal(field.input.value);
    const problem = scheduleProblem(at, net.clock.now());
    field.setProblem(problem);
    if (problem) field.input.focus();
    else send(at);
  } }, field.element, h("div", { class: "row dialog-actions" },
    workout.scheduledAt ? h("button", { class: "button danger", type: "button", onclick: () => send(null) }, "Remove the plan") : null,
    h("button", { class: "button primary", type: "submit" }, "Schedule")));
  const dialog = openDialog({ id: "schedule", title: "Schedule workout", content: form });
}

/** Copies a workout, and opens the copy. */
export const copyWorkout = ({ net, router }, { id }) => attempt(async () => {
  const copy = await net.request("workouts.copy", { workout: id, id: uuid() });
  router.go(`/workouts/${copy.id}`);
  return copy;
}, "Copied. This is the copy.");

/** Deletes a workout after a question, and goes to the list. */
export const deleteWorkout = ({ net, router }, { id, plan }) => confirmThen({
  id: "delete-workout", title: `Delete “${plan.title}”?`, confirm: "Delete workout", danger: true,
  text: "The workout is deleted. What you have trained with it stays in your past workouts.",
}, async () => {
  const reply = await net.writes.write("workouts.remove", { workout: id });
  router.go("/workouts", { replace: true });
  return reply;
}, "Workout deleted.");
