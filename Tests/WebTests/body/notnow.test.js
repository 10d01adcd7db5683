import assert from "node:assert/strict";
import { test } from "node:test";
import { Storage } from "../connection/fakequeue.js";
import { groupPath, isQuiet, keepQuiet } from "../../../Sources/WebApp/body/notnow.js";

const day = 86_400_000;

test("“Not now” holds for four weeks, for the account that chose it", () => {
  const storage = new Storage();
  assert.equal(isQuiet(storage, 7, day), false);
  keepQuiet(storage, 7, day);
  assert.deepEqual([isQuiet(storage, 7, day), isQuiet(storage, 7, 28 * day), isQuiet(storage, 8, 2 * day)], [true, true, false]);
  assert.equal(isQuiet(storage, 7, 29 * day), false);
  // The clock was wrong when it was chosen.
  assert.equal(isQuiet(storage, 7, 0), false);
  assert.doesNotThrow(() => keepQuiet(new Storage(0), 7, day));
});

test("a member of a live group goes back to the group", () => {
  assert.equal(groupPath(new URLSearchParams("workout=w&together=g")), "/together/g");
  assert.equal(groupPath(new URLSearchParams("workout=w")), null);
});
