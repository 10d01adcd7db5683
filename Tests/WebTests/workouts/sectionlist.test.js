import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, { addEventListener: () => {} });
const { lastingMeasures, measuresOf } = await import("../../../Sources/WebApp/workouts/sectionlist.js");

test("the fields of sets are those of the exercise and those that the sets use", () => {
  assert.deepEqual(measuresOf({ measures: ["weight", "reps"] }, [{ reps: 10 }]), ["reps", "weight"]);
  assert.deepEqual(measuresOf({ measures: ["reps"] }, [{ reps: 10 }, { seconds: 30 }]), ["reps", "time"]);
  assert.deepEqual(measuresOf(null, [{}]), ["reps"]);
});

test("a field stays when somebody clears it to type it again", () => {
  const known = new Map();
  assert.deepEqual(lastingMeasures(known, { id: "a", sets: [{ seconds: 30 }] }, null), ["time"]);
  assert.deepEqual(lastingMeasures(known, { id: "a", sets: [{}] }, null), ["time"]);
  const exercise = { measures: ["reps"] };
  assert.deepEqual(lastingMeasures(known, { id: "b", sets: [{ reps: 5, metres: 400 }] }, exercise), ["reps", "distance"]);
  assert.deepEqual(lastingMeasures(known, { id: "b", sets: [{ reps: 5 }] }, exercise), ["reps", "distance"]);
});
