import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeNet, makeGuide } from "./fakes.js";

globalThis.localStorage ??= /** @type {any} */ ({ getItem: () => "d", setItem() {} });
const { openRecord } = await import("../../../Sources/WebApp/training/opening.js");

function make(changes = {}) {
  const { guide } = makeGuide({ isSent: true, generation: 1, ...changes });
  guide.done("w/0", { seconds: 100 });
  guide.finish();
  const kept = new Map([[guide.record.id, guide.record]]);
  const records = {
    get: async (_account, id) => kept.get(id) ?? null, remove: async (_account, id) => { kept.delete(id); },
    put: async (record) => { kept.set(record.id, record); },
  };
  return { net: new FakeNet(), kept, records };
}
const open = ({ net, records }) => openRecord({ net, records }, { id: "t", workout: null, group: null });

test("a training that ended here and is open at the server is ended again there, and kept no more", async () => {
  const made = make();
  assert.equal(await open(made), null);
  assert.deepEqual([made.net.sent.map(({ method }) => method), made.kept.size], [["training.finish"], 0]);
});

test("its end waits without a connection, and stays kept", async () => {
  const made = make({ isSent: false });
  made.net.become("offline");
  assert.equal(await open(made), null);
  assert.deepEqual([made.net.sent.map(({ method }) => method), made.kept.get("t").state], [["training.start", "training.finish"], "finished"]);
});

test("when the end is refused, the training is paused with the reason and its sets, also after a reload; a wrong time of the end lets it go on", async () => {
  const made = make();
  made.net.replies["training.finish"] = () => { throw new Error("Reps are 0 to 1,000."); };
  const opened = await open(made);
  assert.deepEqual([opened.origin, opened.problem, opened.record.state, opened.record.endedAt], ["here", "Reps are 0 to 1,000.", "paused", null]);
  assert.equal(opened.record.sets[0].state, "done");
  assert.equal((await open(made)).record.state, "paused");
  const early = make();
  early.net.replies["training.finish"] = () => { throw Object.assign(new Error("in the future"), { data: { field: "endedAt" } }); };
  assert.equal((await open(early)).record.state, "exercise");
});

test("a training that ended here after another device took it over goes on there", async () => {
  const made = make();
  const { plan, sets, startedAt } = made.kept.get("t");
  made.net.replies["training.finish"] = { id: "t", state: "active", device: "other", generation: 2, plan, sets, exercises: [], pauses: [],
    startedAt: new Date(startedAt).toISOString() };
  const opened = await open(made);
  assert.deepEqual([opened.origin, opened.record.state, opened.record.device, made.kept.size], ["elsewhere", "exercise", "other", 0]);
});

test("a training that was deleted on another device before its start is over, and kept no more", async () => {
  const made = make({ isSent: false });
  made.net.replies["training.start"] = () => {
    throw Object.assign(new Error("This training was removed: start a new one."), { isConflict: true });
  };
  assert.equal(await open(made), null);
  assert.deepEqual([made.net.sent.map(({ method }) => method), made.kept.size], [["training.start"], 0]);
});
