// An event for a workout that a person plans with others: its form is filled in, and the workout is planned with the event. No DOM.

import { fieldsOf } from "./times.js";
import { lengths } from "./formvalues.js";

const uuidShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The workout of the query of the page of a new event, as `{id, title, at, minutes, kind, place}`, or null. `at` is a time in ms, or NaN.
 */
export function workoutIn(query) {
  const id = query?.get("for") ?? "";
  if (!uuidShape.test(id)) return null;
  const text = (name) => query.get(name) ?? "";
  const [title, kind, place] = [text("title"), text("kind"), text("place")];
  return { id, title, kind, place, at: Date.parse(text("at")), minutes: Number(text("minutes")) };
}

/** The form's values with those of a workout. `kinds` are the kinds of events. */
export function withWorkout(values, { title, at, minutes, kind, place }, kinds) {
  // An event needs a little more time than the workout in it: full quarters of an hour.
  const whole = Math.min(1_440, Math.ceil(Math.max(minutes || 60, 5) / 15) * 15);
  return {
    ...values, title, place, workout: kinds.some(({ id }) => id === kind) ? kind : values.workout,
    ...(Number.isFinite(at) && fieldsOf(at)), length: lengths.includes(whole) ? String(whole) : "other",
    hours: String(Math.floor(whole / 60)), minutes: String(whole % 60),
  };
}

/**
 * The form's values of a draft: `planned` of it is the time in ms that the workout had then. Another time that was chosen since wins over
 * the one of the draft.
 */
export function withDraft(values, { values: kept, planned }, workout) {
  const isOther = workout && Number.isFinite(workout.at) && workout.at !== planned;
  return { ...values, ...kept, ...(isOther && fieldsOf(workout.at)) };
}

/** Plans the workout for the time of the event, which is null while it waits for the connection. */
export function planWorkout(net, { id }, event, { startsAt }) {
  return net.writes.write("workouts.schedule", { workout: id, at: startsAt, ...(event && { event: event.id }) });
}
