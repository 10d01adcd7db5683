import assert from "node:assert/strict";
import { test } from "node:test";
import { localWorkout, summaryOf, withWaiting } from "../../../Sources/WebApp/workouts/saving.js";

const now = Date.parse("2026-11-28T10:00:00Z");
const plan = {
  title: "Legs", type: "strength", intensity: "moderate", minutes: 30, place: "gym", equipment: [], tags: [], videos: [],
  sections: [{ kind: "main", groups: [{ entries: [{ id: "e", exercise: "campanile/squat", sets: [{ reps: 8 }, { reps: 8 }], restSeconds: 60 }] }] }],
};
const save = (params) => ({ method: "workouts.save", params });

test("a workout that waits to be saved is in the list, first, and only where it belongs", () => {
  const waiting = [save({ id: "new", plan })];
  const listed = withWaiting([], waiting, { now });
  assert.deepEqual(listed.map(({ id, title, sets, isWaiting }) => [id, title, sets, isWaiting]), [["new", "Legs", 2, true]]);
  assert.deepEqual(withWaiting([], waiting, { now, filter: "completed" }), []);
});

test("a change that waits shows its title, and a removed workout is not listed", () => {
  const known = summaryOf(localWorkout({ id: "a", plan, exercises: [], now }));
  const changed = withWaiting([known], [save({ id: "a", revision: 3, plan: { ...plan, title: "Legs and back" } })], { now });
  assert.deepEqual(changed.map(({ title, isWaiting }) => [title, isWaiting]), [["Legs and back", true]]);
  assert.deepEqual(withWaiting([known], [{ method: "workouts.remove", params: { workout: "a" } }], { now }), []);
});

test("a workout of this device keeps the exercises that its plan uses", () => {
  const exercises = [{ id: "campanile/squat" }, { id: "campanile/row" }];
  const workout = localWorkout({ id: "a", plan, exercises, now });
  assert.deepEqual(workout.exercises, [{ id: "campanile/squat" }]);
  assert.equal(workout.isLocal, true);
  assert.equal(localWorkout({ id: "a", plan, exercises, now, before: { isLocal: undefined, revision: 4 } }).revision, 4);
});
