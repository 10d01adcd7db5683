import assert from "node:assert/strict";
import { test } from "node:test";
import { noteKept } from "../../../Sources/WebApp/connection/keptage.js";
import { loadOpenTrainings, openTrainings } from "../../../Sources/WebApp/workouts/opentrainings.js";

const at = (minute) => Date.parse(`2026-11-28T10:${minute}:00Z`);
const training = (id, minute) => ({ id, plan: { title: id }, workout: `w-${id}`, startedAt: new Date(at(minute)).toISOString() });
const record = (id, minute, changes = {}) => ({
  id, plan: { title: id }, workout: `w-${id}`, startedAt: at(minute), state: "exercise", isSent: true, ...changes,
});
const ids = (list) => list.map(({ id }) => id);

test("all open trainings are listed, the latest first, each once", () => {
  const list = openTrainings({
    trainings: [training("a", 10), training("b", 40)], isCurrent: true, records: [record("a", 10), record("c", 30, { isSent: false })],
  });
  assert.deepEqual(ids(list), ["b", "c", "a"]);
  assert.deepEqual(list[1], { id: "c", title: "c", workout: "w-c", startedAt: at(30) });
});

test("one that ended here, or on another device, is not open", () => {
  const records = [record("a", 10, { state: "finished" }), record("b", 20), record("c", 30, { state: "paused", isSent: false })];
  assert.deepEqual(ids(openTrainings({ trainings: [], isCurrent: true, records })), ["c"]);
});

test("without a connection those of this device are there, with a kept reply and without one", async () => {
  const records = { all: async () => [record("a", 10), record("b", 20)] };
  const make = (read) => ({ account: { id: 7 }, read });
  const kept = { trainings: [training("b", 20)] };
  noteKept(kept, at(0));
  assert.deepEqual(ids(await loadOpenTrainings(make(async () => kept), /** @type {any} */ (records))), ["b", "a"]);
  const offline = make(() => Promise.reject(new Error("offline")));
  assert.deepEqual(ids(await loadOpenTrainings(offline, /** @type {any} */ (records))), ["b", "a"]);
});
