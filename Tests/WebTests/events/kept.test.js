import assert from "node:assert/strict";
import { test } from "node:test";
import { keptMillisecondsMax } from "../../../Sources/WebApp/connection/kepttable.js";
import { KeptEvents } from "../../../Sources/WebApp/events/kept.js";
import { FakeStorage } from "../connection/fakedatabase.js";

test("events are kept as long as all other replies", () => {
  globalThis.addEventListener ??= /** @type {any} */ (() => {});
  globalThis.localStorage = /** @type {any} */ (new FakeStorage());
  const now = Date.now();
  const one = (id, at) => ({ at, event: { id, details: {}, mine: { owns: true } } });
  localStorage.setItem("campanile.events.7", JSON.stringify({ workouts: [],
    lists: { old: { at: now - keptMillisecondsMax - 1, ids: [1] }, new: { at: now, ids: [1, 2] } },
    events: { 1: one(1, now - keptMillisecondsMax - 1), 2: one(2, now) } }));
  const kept = new KeptEvents();
  kept.use(7);
  assert.equal(kept.event(1), null);
  assert.equal(kept.list("old"), null);
  assert.deepEqual(kept.list("new").events.map(({ id }) => id), [2]);
});

test("a tab that still has an account which is not this browser's any more leaves the events of the other", () => {
  globalThis.localStorage = /** @type {any} */ (new FakeStorage());
  const keys = () => Object.keys(localStorage);
  const kept = new KeptEvents();
  kept.use(7);
  localStorage.setItem("campanile.events.8", "{}");
  kept.use(7);
  assert.deepEqual(keys(), ["campanile.events.8"]);
  localStorage.setItem("campanile.events.7", "{}");
  // A sign-out there.
  kept.use(null);
  assert.deepEqual(keys(), ["campanile.events.8"]);
  kept.use(9);
  assert.deepEqual(keys(), []);
});
