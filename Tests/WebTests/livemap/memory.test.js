import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { chosenRunner, forgetMap, keepChosenRunner, keepMap, keptMap } from "../../../Sources/WebApp/livemap/memory.js";

beforeEach(() => {
  const stored = new Map();
  globalThis.sessionStorage = /** @type {any} */ ({
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: (key) => stored.delete(key),
  });
});

test("a runner that was chosen before the map was there is kept until it is forgotten", () => {
  assert.equal(chosenRunner(), null);
  keepChosenRunner(7);
  assert.equal(chosenRunner(), 7);
  keepChosenRunner(null);
  assert.equal(chosenRunner(), null);
});

test("a log-out forgets the view of the map and the chosen runner", () => {
  keepMap({ isWhole: false, session: 3, isPaused: false, lat: 51.5, lon: 8, zoom: 16, sheet: "full" });
  keepChosenRunner(7);
  assert.equal(keptMap().session, 3);
  forgetMap();
  assert.deepEqual([keptMap(), chosenRunner()], [null, null]);
});

test("without storage the page goes on", () => {
  globalThis.sessionStorage = /** @type {any} */ ({
    getItem() { throw new Error("blocked"); }, setItem() { throw new Error("blocked"); }, removeItem() { throw new Error("blocked"); },
  });
  keepChosenRunner(7);
  assert.equal(chosenRunner(), null);
});
