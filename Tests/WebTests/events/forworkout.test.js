import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { planWorkout, withDraft, withWorkout, workoutIn } from "../../../Sources/WebApp/events/forworkout.js";
import { detailsOf, emptyValues, eventProblems } from "../../../Sources/WebApp/events/formvalues.js";

const id = "a9b5b949-d77d-4912-b401-20c50d186668";
const at = Date.parse("2026-12-01T17:00:00Z");
const query = new URLSearchParams({ for: id, title: "Leg day", at: new Date(at).toISOString(), minutes: "40", kind: "strength", place: "Gym" });

test("the form of an event for a workout has its title, time, length and place", () => {
  const now = at - 86_400_000;
  const values = withWorkout(emptyValues(now), workoutIn(query), [{ id: "running" }]);
  assert.deepEqual(eventProblems(values, now), {});
  assert.deepEqual(detailsOf(values), { title: "Leg day", startsAt: new Date(at).toISOString(), duration: 2_700, place: { name: "Gym" } });
  assert.equal(withWorkout(values, workoutIn(query), [{ id: "strength" }]).workout, "strength");
});

test("a query without a workout, or with a broken time, gives a form of its own", () => {
  assert.equal(workoutIn(new URLSearchParams()), null);
  assert.equal(workoutIn(new URLSearchParams({ for: "../x" })), null);
  const empty = emptyValues(at);
  const { date, time, length } = withWorkout(empty, workoutIn(new URLSearchParams({ for: id })), []);
  assert.deepEqual([date, time, length], [empty.date, empty.time, "60"]);
});

test("a time that was chosen after the draft wins over that of the draft, and the rest of the draft stays", () => {
  const workout = workoutIn(query);
  const values = withWorkout(emptyValues(at), workout, []);
  const moved = { ...values, title: "Legs with Ben", time: "20:15" };
  assert.deepEqual(withDraft(values, { values: moved, planned: at }, workout), moved);
  const later = { ...workout, at: at + 86_400_000 };
  const next = withDraft(withWorkout(values, later, []), { values: moved, planned: at }, later);
  assert.deepEqual([next.title, Date.parse(detailsOf(next).startsAt)], ["Legs with Ben", later.at]);
  assert.deepEqual(withDraft(values, { values: moved, planned: null }, null), moved);
});

test("the workout is planned with its event, also with a draft, once the server has that", async () => {
  const sent = [];
  const net = { writes: { write: async (...request) => { sent.push(request); } } };
  const details = { startsAt: "2026-12-01T17:00:00.000Z" };
  await planWorkout(net, { id }, { id: 4, state: "published" }, details);
  await planWorkout(net, { id }, { id: 4, state: "draft" }, details);
  await planWorkout(net, { id }, null, details);
  const plan = { workout: id, at: details.startsAt };
  const together = ["workouts.schedule", { ...plan, event: 4 }];
  assert.deepEqual(sent, [together, together, ["workouts.schedule", plan]]);
});
