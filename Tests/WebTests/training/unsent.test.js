import assert from "node:assert/strict";
import { test } from "node:test";
import { queue, settle } from "../connection/fakequeue.js";
import { isUnsent, shownTraining, withDuration, withUnsent } from "../../../Sources/WebApp/training/unsent.js";
import { editParams } from "../../../Sources/WebApp/training/edits.js";
import { finishOf } from "../../../Sources/WebApp/training/record.js";
import { makeGuide, start } from "./fakes.js";

const minute = 60_000;

/** A record of a training that ended after half an hour, and a client without a connection in which its end waits. */
async function endedOffline() {
  const { guide, clock } = makeGuide();
  guide.done({ reps: 10 });
  clock.now = start + 30 * minute;
  guide.finish();
  const net = Object.assign(new EventTarget(), { state: "offline", account: { id: 7 }, clock: { now: () => clock.now } });
  net.writes = queue(net);
  await net.writes.write("training.finish", finishOf(guide.record));
  await settle();
  return { record: guide.record, net };
}

test("a summary shows the corrections that wait while the end waits", async () => {
  const { record, net } = await endedOffline();
  assert.equal(isUnsent(net, record), true);
  const [set] = record.sets;
  const later = new Date(start + 40 * minute).toISOString();
  await net.writes.write("training.edit", editParams("t", null, { note: "Good", sets: [{ ...set, state: "skipped", at: later }] }));
  const shown = shownTraining(net, record);
  assert.equal(shown.note, "Good");
  assert.equal(shown.sets.find(({ id }) => id === set.id).state, "skipped");
  assert.equal(shown.isWaiting, true);
});

test("other times make another duration", async () => {
  const { record, net } = await endedOffline();
  const endedAt = new Date(start + 50 * minute).toISOString();
  await net.writes.write("training.edit", editParams("t", null, { startedAt: new Date(start).toISOString(), endedAt }));
  assert.equal(shownTraining(net, record).activeSeconds, 50 * 60);
  const pauses = [{ from: new Date(start).toISOString(), until: new Date(start + minute).toISOString() }];
  assert.equal(withDuration({ startedAt: new Date(start).toISOString(), endedAt, pauses }).activeSeconds, 49 * 60);
});

test("a training that ended offline is in the list of past ones", async () => {
  const { record, net } = await endedOffline();
  const other = { id: "o", title: "Run", state: "finished", startedAt: new Date(start - minute).toISOString() };
  const shown = withUnsent([other], [record], net);
  assert.deepEqual(shown.map(({ id }) => id), ["t", "o"]);
  const [{ title, state, activeSeconds, isWaiting }] = shown;
  assert.deepEqual([title, state, activeSeconds, isWaiting], ["Full body", "finished", 1_800, true]);
  // The server's row of the same training, in progress as far as it knows.
  assert.deepEqual(withUnsent([{ ...other, id: "t", state: "active" }], [record], net).map((one) => one.state), ["finished"]);
  assert.deepEqual(withUnsent([{ ...other, id: "t", net: 90 }], [record], net).map((one) => one.net), [90]);
  assert.deepEqual(withUnsent([], [record], net, { workout: "another" }), []);
  assert.deepEqual(withUnsent([], [{ ...record, state: "exercise" }], net), []);
});

test("a training whose deletion waits is not in the list, nor one that the server has", async () => {
  const { record, net } = await endedOffline();
  net.writes.discard(["training.finish"]);
  net.state = "live";
  assert.deepEqual(withUnsent([], [{ ...record, isSent: true }], net), []);
  const rows = () => withUnsent([], [record], net).map(({ id, isRefused = false }) => [id, isRefused]);
  assert.deepEqual(rows(), [["t", true]], "the server refused its start");
  net.state = "offline";
  assert.deepEqual(rows(), [["t", false]]);
  await net.writes.write("training.remove", { training: "t" });
  assert.deepEqual(withUnsent([], [record], net), []);
});
