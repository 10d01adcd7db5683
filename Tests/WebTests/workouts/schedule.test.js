import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { workoutIn } from "../../../Sources/WebApp/events/forworkout.js";
import { eventPath, scheduleParams, scheduleProblem } from "../../../Sources/WebApp/workouts/schedule.js";

const id = "a9b5b949-d77d-4912-b401-20c50d186668";
const at = Date.parse("2026-12-01T17:00:00Z");
const plan = { title: "Legs & more", minutes: 40, type: "strength", place: "gym" };

test("the page of a new event gets the workout, its time, length and place", () => {
  const query = new URL(eventPath({ id, plan }, at), "http://campus").searchParams;
  assert.deepEqual(workoutIn(query), { id, title: "Legs & more", at, minutes: 40, kind: "strength", place: "Gym" });
  const placed = new URL(eventPath({ id, plan: { ...plan, destinationName: "Sports hall" } }, at), "http://campus").searchParams;
  assert.equal(workoutIn(placed).place, "Sports hall");
  assert.equal(workoutIn(new URL(eventPath({ id, plan: { ...plan, place: "anywhere" } }, at), "http://campus").searchParams).place, "");
});

test("an event stays with its workout while the time stays", () => {
  const workout = { id, plan, scheduledAt: "2026-12-01T17:00:20.000Z", event: 4 };
  assert.deepEqual(scheduleParams(workout, at), { workout: id, at: "2026-12-01T17:00:20.000Z", event: 4 });
  assert.deepEqual(scheduleParams(workout, at + 60_000), { workout: id, at: new Date(at + 60_000).toISOString() });
  assert.deepEqual(scheduleParams(workout, null), { workout: id });
});

test("a workout is planned for the next two years", () => {
  assert.match(scheduleProblem(NaN, at), /day and a time/);
  assert.match(scheduleProblem(at, at), /future/);
  assert.match(scheduleProblem(at + 800 * 86_400_000, at), /two years/);
  assert.equal(scheduleProblem(at + 86_400_000, at), null);
});
