import assert from "node:assert/strict";
import { test } from "node:test";
import { addedSet, changedSet, editParams, recordWithEdit, timesProblems } from "../../../Sources/WebApp/training/edits.js";
import { finishOf, startOf } from "../../../Sources/WebApp/training/record.js";
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

test("corrections and a note of a training that the server refused are sent with its start and end", () => {
  const { guide, clock } = makeGuide();
  guide.done("w/0", { seconds: 100 });
  clock.now += 60_000;
  guide.finish();
  const [startedAt, endedAt] = [start - 60_000, start + 120_000].map((time) => new Date(time).toISOString());
  const changed = changedSet(guide.record, "a/0", { state: "done", values: { reps: 3 } }, start + 90_000);
  const added = addedSet(guide.record, "b", "x", start + 91_000);
  const noted = recordWithEdit(guide.record, { note: "Good" });
  const record = recordWithEdit(recordWithEdit(noted, { sets: [changed, added] }), { startedAt, endedAt });
  assert.deepEqual([record.state, record.isSent, record.lastAt], ["finished", false, start + 91_000]);
  assert.equal(startOf(record).startedAt, startedAt);
  const end = finishOf(record);
  assert.deepEqual([end.endedAt, end.note, end.sets.map(({ id }) => id)], [endedAt, "Good", ["w/0", "a/0", "b/x"]]);
  assert.deepEqual(end.sets[1].values, { reps: 3 });
});

test("a past training begins and ends in the past, in this order, within a day", () => {
  const minute = 60_000;
  const now = start + 3 * 86_400_000;
  assert.deepEqual(timesProblems({ startedAt: start, endedAt: start + 45 * minute }, now), {});
  assert.deepEqual(timesProblems({ startedAt: start, endedAt: start + 86_400_000 }, now), {});
  assert.match(timesProblems({ startedAt: start, endedAt: start - minute }, now).endedAt, /after the start/);
  assert.match(timesProblems({ startedAt: start, endedAt: start }, now).endedAt, /after the start/);
  assert.match(timesProblems({ startedAt: start, endedAt: start + 86_400_001 }, now).endedAt, /24 hours/);
  assert.match(timesProblems({ startedAt: now - minute, endedAt: now + minute }, now).endedAt, /future/);
  assert.match(timesProblems({ startedAt: now + minute, endedAt: now + 2 * minute }, now).startedAt, /future/);
  assert.match(timesProblems({ startedAt: NaN, endedAt: start }, now).startedAt, /day and a time/);
  assert.match(timesProblems({ startedAt: start, endedAt: NaN }, now).endedAt, /day and a time/);
  assert.match(timesProblems({ startedAt: 0, endedAt: minute }, now).startedAt, /ten years/);
});
