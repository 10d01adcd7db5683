import assert from "node:assert/strict";
import { test } from "node:test";
import { addedSet, changedSet, editParams } from "../../../Sources/WebApp/training/edits.js";
import { makeGuide, start } from "./fakes.js";

const training = { id: "t", sets: makeGuide().guide.record.sets };

test("a correction is later than each set, whatever the clock says", () => {
  const set = changedSet(training, "a/0", { values: { reps: 3 } }, start - 60_000);
  assert.ok(Date.parse(set.at) > start);
  assert.deepEqual([set.id, set.values, set.state], ["a/0", { reps: 3 }, "planned"]);
  assert.equal(changedSet(training, "none", {}, start), null);
});

test("an added set follows the others of its entry", () => {
  assert.deepEqual(addedSet(training, "b", "x", start + 5), {
    id: "b/x", entry: "b", position: 3, state: "done", values: { reps: 6, kilograms: 20 }, at: new Date(start + 5).toISOString(),
  });
});

test("a correction that waits is sent together with the next one", () => {
  const first = changedSet(training, "a/0", { state: "done" }, start + 1);
  const second = changedSet(training, "a/1", { state: "done" }, start + 2);
  const again = changedSet(training, "a/0", { state: "removed" }, start + 3);
  const waiting = editParams("t", null, { sets: [first], note: "Good" });
  const merged = editParams("t", editParams("t", waiting, { sets: [second] }), { sets: [again] });
  assert.deepEqual(merged, { training: "t", note: "Good", sets: [again, second] });
});
