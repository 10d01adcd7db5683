import assert from "node:assert/strict";
import { test } from "node:test";
import { Freshness } from "../../../Sources/WebApp/tracking/freshness.js";

test("an answer counts for its time, and is asked for again after half of it", () => {
  const current = new Freshness(60_000);
  assert.deepEqual([current.isKnown(0), current.isDue(0)], [false, true]);
  current.know(0);
  assert.deepEqual([current.isKnown(59_999), current.isDue(30_000), current.isDue(30_001)], [true, false, true]);
  assert.equal(current.isKnown(60_000), false);
});

test("a question without an answer is not repeated at once", () => {
  const current = new Freshness(60_000);
  current.ask(10_000);
  assert.deepEqual([current.isKnown(10_000), current.isDue(40_000), current.isDue(40_001)], [false, false, true]);
});
