import assert from "node:assert/strict";
import { test } from "node:test";
import { activeSeconds, endOf, finishOf, recordOf, unsentSets } from "../../../Sources/WebApp/training/record.js";
import { mergedSets, sequenceOf } from "../../../Sources/WebApp/training/sets.js";
import { makeGuide, order, plan, start } from "./fakes.js";

const second = 1_000;

test("sets of a superset alternate, and every set is done once in order", () => {
  const { guide, clock } = makeGuide();
  assert.deepEqual(guide.sequence.map(({ set }) => set.id), order);
  const done = [];
  while (guide.current && guide.state !== "complete") {
    done.push(guide.current.set.id);
    assert.ok(guide.done(guide.current.set.id, guide.current.set.values));
    clock.now += 5 * second;
    if (guide.state === "rest") guide.skipRest();
  }
  assert.deepEqual(done, order);
  assert.deepEqual([guide.state, guide.figures.done, guide.figures.reps], ["complete", 7, 42]);
});

test("a rest runs down, grows by 15 s, stands still in a pause, and ends by itself with a cue", () => {
  const { guide, clock, cues } = makeGuide();
  for (const id of ["w/0", "a/0", "b/0"]) guide.done(id, {});
  assert.deepEqual([guide.state, guide.restSeconds], ["rest", 60]);
  clock.now += 20 * second;
  guide.addRest(15);
  assert.equal(guide.restSeconds, 55);
  guide.pause();
  clock.now += 600 * second;
  guide.tick();
  assert.deepEqual([guide.state, guide.restSeconds], ["restPaused", 55]);
  guide.resume();
  assert.deepEqual([guide.state, guide.restSeconds, guide.seconds], ["rest", 55, 20]);
  clock.now += 55 * second;
  guide.tick();
  assert.deepEqual([guide.state, cues, guide.current.set.id], ["exercise", ["restOver"], "a/1"]);
});

test("the times of changes increase even when the clock of the device goes back", () => {
  const { guide, clock } = makeGuide();
  const times = [];
  for (const id of order) {
    guide.done(id, {});
    times.push(Date.parse(guide.record.sets.find((set) => set.id === id).at));
    clock.now -= 3_600 * second;
  }
  assert.deepEqual(times, [...new Set(times)].sort((one, other) => one - other));
  assert.ok(times[0] > start);
});

test("sets are added, changed, skipped, removed and done again, and a removed one stays in the record", () => {
  const { guide } = makeGuide();
  const added = guide.add("a");
  assert.equal(added, "a/added1");
  assert.deepEqual(guide.sequence.map(({ set }) => set.id), ["w/0", "a/0", "b/0", "a/1", "b/1", "a/added1", "b/2", "c/0"]);
  guide.change("a/0", { reps: 12 });
  guide.skip("w/0");
  guide.remove("b/2");
  guide.remove("a/0");
  assert.equal(guide.current.set.id, "a/1");
  assert.equal(guide.record.sets.find(({ id }) => id === "b/2").state, "removed");
  assert.deepEqual(unsentSets(guide.record).map(({ id }) => id).sort(), ["a/0", "a/added1", "b/2", "w/0"]);
  guide.again("w/0");
  assert.equal(guide.current.set.id, "w/0");
  assert.deepEqual(guide.figures, { done: 0, total: 6, skipped: 0, reps: 0, kilograms: 0 });
});

test("a set with a time is done when its time is over", () => {
  const { guide, clock, cues } = makeGuide();
  guide.timeSet(true);
  clock.now += 119 * second;
  guide.tick();
  assert.equal(guide.figures.done, 0);
  clock.now += second;
  guide.tick();
  assert.deepEqual([guide.figures.done, cues, guide.current.set.id], [1, ["setOver"], "a/0"]);
});

test("nothing can be changed while another device guides, and what was done before stays", () => {
  const { guide } = makeGuide();
  guide.done("w/0", { seconds: 90 });
  guide.lose();
  for (const change of [() => guide.done("a/0", {}), () => guide.skip("a/0"), () => guide.remove("a/0"), () => guide.pause(), () => guide.jump("c/0")]) {
    assert.equal(change(), false);
  }
  assert.equal(guide.add("a"), null);
  assert.deepEqual(unsentSets(guide.record).map(({ id }) => id), ["w/0"]);
  guide.takeOver({ ...guide.record, state: "paused", generation: 2 });
  assert.deepEqual([guide.state, guide.record.generation], ["paused", 2]);
});

test("changes of two devices merge to the same sets in any order, and the latest wins", () => {
  const set = (id, seconds, state) => ({ id, entry: id.split("/")[0], position: 0, state, values: {}, at: new Date(start + seconds * second).toISOString() });
  const one = [set("a/0", 5, "done"), set("b/0", 9, "skipped")];
  const other = [set("a/0", 7, "removed"), set("b/0", 3, "done"), set("c/x", 1, "done")];
  const sorted = (sets) => sets.map(({ id, state }) => `${id} ${state}`).sort();
  assert.deepEqual(sorted(mergedSets(one, other)), ["a/0 removed", "b/0 skipped", "c/x done"]);
  assert.deepEqual(sorted(mergedSets(one, other)), sorted(mergedSets(other, one)));
});

test("the end is after the start, closes a pause, and a forgotten training ends with its last set", () => {
  const { guide, clock } = makeGuide();
  guide.done("w/0", {});
  clock.now += 60 * second;
  guide.pause();
  clock.now += 30 * second;
  guide.finish();
  assert.equal(guide.state, "finished");
  assert.deepEqual(guide.record.pauses, [{ from: start + 60 * second, until: start + 90 * second }]);
  assert.equal(activeSeconds(guide.record, clock.now), 60);
  const { guide: forgotten } = makeGuide();
  forgotten.done("w/0", {});
  assert.equal(endOf(forgotten.record, start + 30 * 3_600 * second), start + 1 + 60 * second);
});

test("a record is made of the server's training with the sets that this device alone has", () => {
  const { guide } = makeGuide();
  guide.done("w/0", { seconds: 90 });
  const training = {
    id: "t", workout: "p", plan, state: "active", startedAt: new Date(start).toISOString(), pauses: [], activeSeconds: 5,
    sets: makeGuide().guide.record.sets, device: "other", generation: 3, exercises: [],
  };
  const record = recordOf(training, { account: 7, before: guide.record });
  assert.deepEqual(unsentSets(record).map(({ id, state }) => [id, state]), [["w/0", "done"]]);
  assert.deepEqual([record.current, record.state, record.generation], ["a/0", "exercise", 3]);
  assert.ok(record.lastAt >= guide.record.lastAt);
});

test("a training survives being stored at any moment: the copy goes on as the original", () => {
  const { guide, kept } = makeGuide();
  guide.done("w/0", {});
  guide.done("a/0", { reps: 11 });
  const { guide: copy } = makeGuide(kept.at(-1));
  assert.deepEqual([copy.state, copy.current.set.id, copy.figures], [guide.state, guide.current.set.id, guide.figures]);
  assert.deepEqual(sequenceOf(plan, copy.record.sets).map(({ set }) => set.state), guide.sequence.map(({ set }) => set.state));
});

test("values that the server refuses change nothing", () => {
  const { guide, kept } = makeGuide();
  assert.equal(guide.done("w/0", { reps: 1_212 }), false);
  assert.equal(guide.change("a/0", { kilograms: -1 }), false);
  assert.deepEqual([guide.state, guide.figures.done, kept.length, unsentSets(guide.record)], ["exercise", 0, 0, []]);
});

test("a correction of a figure, of this or another set, leaves the timer running", () => {
  const { guide, clock } = makeGuide();
  guide.timeSet(true);
  clock.now += 40 * second;
  guide.change("c/0", { seconds: 45 });
  guide.change("w/0", { seconds: 100 });
  assert.deepEqual([guide.setSeconds, guide.setGoal], [40, 100]);
  guide.jump("a/0");
  assert.equal(guide.setSeconds, null);
});

test("a timer that is stopped gives its seconds to the set, and goes on from there", () => {
  const { guide, clock } = makeGuide();
  guide.timeSet(true);
  clock.now += 40 * second;
  guide.timeSet(false);
  assert.deepEqual([guide.current.set.values, guide.setSeconds, guide.setGoal], [{ seconds: 40 }, null, 120]);
  guide.timeSet(true);
  clock.now += 10 * second;
  assert.equal(guide.setSeconds, 50);
  guide.done("w/0", guide.current.set.values);
  assert.deepEqual(guide.record.sets[0].values, { seconds: 50 });
  const other = makeGuide();
  other.guide.timeSet(true);
  other.clock.now += 33 * second;
  other.guide.pause();
  assert.deepEqual(other.guide.current.set.values, { seconds: 33 });
  other.guide.timeSet(true);
  assert.deepEqual([other.guide.state, other.guide.setSeconds], ["exercise", 33]);
  other.clock.now += 87 * second;
  other.guide.tick();
  assert.deepEqual(other.guide.record.sets[0].values, { seconds: 120 });
});

test("seconds that the person typed are not replaced by those of the timer", () => {
  const { guide, clock } = makeGuide();
  guide.timeSet(true);
  clock.now += 40 * second;
  guide.done("w/0", { seconds: 60 });
  assert.deepEqual(guide.record.sets[0].values, { seconds: 60 });
});

test("Set done in a pause ends the pause", () => {
  const { guide, clock } = makeGuide();
  guide.pause();
  clock.now += 60 * second;
  assert.equal(guide.done("w/0", { seconds: 120 }), true);
  assert.deepEqual([guide.state, guide.figures.done, guide.record.pauses], ["exercise", 1, [{ from: start, until: start + 60 * second }]]);
});

test("a training whose end has a time that the server refused goes on where it was", () => {
  const { guide, clock } = makeGuide();
  guide.done("w/0", {});
  clock.now += 7_200 * second;
  guide.finish();
  assert.ok(guide.reopen({ keepsEnd: false }));
  assert.deepEqual([guide.state, guide.record.endedAt, guide.current.set.id], ["exercise", null, "a/0"]);
  // Online again, the clock is right.
  clock.now -= 7_000 * second;
  for (const id of order.slice(1)) guide.done(id, {});
  guide.finish();
  assert.equal(guide.record.endedAt, clock.now);
  guide.reopen({ keepsEnd: false });
  assert.equal(guide.state, "complete");
});

/** A training of a minute and a pause of a minute, whose end the server refused. */
function held() {
  const made = makeGuide();
  made.guide.done("w/0", {});
  made.clock.now += 60 * second;
  made.guide.pause();
  made.clock.now += 60 * second;
  made.guide.finish();
  const { endedAt } = made.guide.record;
  assert.ok(made.guide.reopen({ keepsEnd: true }));
  return { ...made, endedAt };
}

test("a training whose end was refused is paused since then, and keeps that end however often it is refused and whatever is corrected", () => {
  const { guide, clock, endedAt } = held();
  assert.deepEqual([guide.state, guide.record.endedAt, guide.current.set.id], ["paused", null, "a/0"]);
  for (const hours of [1, 30]) {
    clock.now += hours * 3_600 * second;
    assert.equal(guide.seconds, 60);
    guide.change("w/0", { seconds: 90 });
    guide.finish();
    assert.deepEqual([guide.record.endedAt, guide.seconds, guide.record.pauses.length], [endedAt, 60, 1]);
    guide.reopen({ keepsEnd: true });
  }
});

test("a training that goes on after its end was refused ends later, and the time between does not count", () => {
  for (const goOn of [(guide) => guide.done("a/0", {}), (guide) => guide.resume(), (guide) => guide.timeSet(true)]) {
    const { guide, clock, endedAt } = held();
    clock.now += 600 * second;
    goOn(guide);
    clock.now += 30 * second;
    guide.finish();
    assert.deepEqual([guide.record.endedAt, guide.seconds], [endedAt + 630 * second, 90]);
  }
});

test("a set with a time ahead, of a device with another clock, moves no end", () => {
  const { guide, clock } = makeGuide();
  clock.now += 600 * second;
  guide.merge([{ ...guide.record.sets[0], state: "done", at: new Date(clock.now + 7_200 * second).toISOString() }]);
  guide.finish();
  assert.equal(guide.record.endedAt, clock.now);
});

test("an end names the generation that this device controls, once the server has the start", () => {
  const { guide } = makeGuide();
  guide.finish();
  assert.ok(!("generation" in finishOf(guide.record)));
  assert.equal(finishOf({ ...guide.record, isSent: true, generation: 3 }).generation, 3);
});

test("a timed set that ended while the page slept ended at its time, and its rest began then", () => {
  const { guide, clock } = makeGuide({ current: "c/0" });
  const { entry } = guide.current;
  guide.timeSet(true);
  clock.now += 600_000;
  guide.tick();
  const { state, values, at } = guide.record.sets.find(({ id }) => id === "c/0");
  assert.deepEqual([state, values.seconds, Date.parse(at)], ["done", 30, start + 30_000]);
  assert.deepEqual([guide.state, guide.record.restEndsAt, guide.restSeconds], ["rest", start + 30_000 + entry.restSeconds * 1_000, 0]);
  guide.tick();
  assert.equal(guide.state, "exercise");
});

test("a clock that is set back makes neither a rest nor a timer longer than it is", () => {
  const { guide, clock } = makeGuide({ current: "b/0" });
  guide.done("b/0", { reps: 8, kilograms: 20 });
  assert.equal(guide.restSeconds, 60);
  guide.addRest(15);
  clock.now -= 3_600_000;
  assert.equal(guide.restSeconds, 75);
  guide.tick();
  clock.now += 30_000;
  assert.equal(guide.restSeconds, 45);
  guide.pause();
  clock.now -= 3_600_000;
  guide.resume();
  assert.equal(guide.restSeconds, 45);
  guide.jump("c/0");
  guide.timeSet(true);
  clock.now -= 3_600_000;
  guide.tick();
  clock.now += 10_000;
  assert.equal(guide.setSeconds, 10);
});
