// What one can do with a workout: plan it, share it, copy it, delete it.

import { uuid } from "../client/uuid.js";
import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { localTime, timeOfLocal } from "../kit/times.js";
import { keepSaved } from "./saving.js";
import { eventPath, scheduleParams, scheduleProblem, usualTime } from "./schedule.js";

/** Asks for the time to plan a workout; `saved(workout)` gets the workout as it is then. */
export function openSchedule({ net, router }, workout, saved) {
  const now = net.clock.now();
  const field = makeField({
    name: "at", label: "Day and time", type: "datetime-local", value: localTime(workout.scheduledAt ? Date.parse(workout.scheduledAt)
      : usualTime(now)),
    min: localTime(now), hint: "You get a reminder before it starts.", id: "schedule-at",
  });
  const send = (at) => attempt(async () => {
    const params = scheduleParams(workout, at);
    const reply = await net.writes.write("workouts.schedule", params);
    const changed = reply ?? { ...workout, scheduledAt: params.at, event: params.event };
    if (reply === null) keepSaved(net, changed);
    dialog.close();
    saved(changed);
    if (reply) toast(at === null ? "No longer planned." : `Planned for ${momentText(at)}.`);
    return reply;
  });
  /** Calls `take` with the time that was chosen, if it can be planned. */
  const withTime = (take) => {
    const at = timeOfLocal(field.input.value);
    const problem = scheduleProblem(at, net.clock.now());
    field.setProblem(problem);
    if (problem) field.input.focus();
    else take(at);
  };
  const invite = workout.event ? h("div", {}, h("a", { class: "link", href: `/events/${workout.event}`, onclick: () => dialog.close() },
    "See its event"), h("p", { class: "hint" }, "Changing the time here doesn't move the event."))
    : h("div", { class: "stack tight" }, h("button", { class: "button wide", type: "button", id: "schedule-event", onclick: () =>
      withTime((at) => {
        dialog.close();
        router.go(eventPath(workout, at));
      }) }, icon("buddies"), "Invite buddies"),
    h("p", { class: "hint" }, "Creates an event at this time. The workout is scheduled with it."));
  const form = h("form", { class: "stack", id: "schedule-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    withTime(send);
  } }, field.element, invite, h("div", { class: "row dialog-actions" },
    workout.scheduledAt ? h("button", { class: "button danger", type: "button", onclick: () => send(null) }, "Remove the date") : null,
    h("button", { class: "button primary", type: "submit" }, "Schedule")));
  const dialog = openDialog({ id: "schedule", title: "Schedule workout", content: form });
}

/** Copies a workout, and opens the copy. */
export const copyWorkout = ({ net, router }, { id }) => attempt(async () => {
  const copy = await net.request("workouts.copy", { workout: id, id: uuid() });
  router.go(`/workouts/${copy.id}`);
  return copy;
}, "Copied. This is your copy.");

/** Deletes a workout after a question, and goes to the list. */
export const deleteWorkout = ({ net, router }, { id, plan }) => confirmThen({
  id: "delete-workout", title: `Delete “${plan.title}”?`, confirm: "Delete workout", danger: true,
  text: "Your past workouts stay.",
}, async () => {
  const reply = await net.writes.write("workouts.remove", { workout: id });
  router.go("/workouts", { replace: true });
  return reply;
}, "Workout deleted.");
