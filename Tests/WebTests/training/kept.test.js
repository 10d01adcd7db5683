import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetSettled, keptChanges, sendKept } from "../../../Sources/WebApp/training/kept.js";
import { FakeNet, makeGuide, start } from "./fakes.js";

/** `{net, records, guide}` with the records that this device keeps, by the guides that made them. */
function make(...guides) {
  const removed = [];
  return {
    net: new FakeNet(), removed, records: {
      get: async (account, id) => guides.map(({ record }) => record).find((one) => one.account === account && one.id === id) ?? null,
      all: async (account) => guides.map(({ record }) => record).filter((one) => one.account === account),
      remove: async (_account, id) => { removed.push(id); },
    },
  };
}
const methods = ({ sent }) => sent.map(({ method }) => method);

test("sets that a killed browser kept are sent at the next start of the app, and the training goes on", async () => {
  const { guide } = makeGuide({ isSent: true, generation: 4 });
  guide.done("w/0", { seconds: 100 });
  const { net, records } = make(guide);
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: true });
  assert.deepEqual(methods(net), ["training.record"]);
  assert.deepEqual([net.sent[0].params.generation, net.sent[0].params.sets.map(({ id }) => id)], [4, ["w/0"]]);
});

test("a training whose start was never sent begins first; one with nothing new sends nothing", async () => {
  const fresh = makeGuide({ id: "new" }).guide;
  fresh.done("w/0", {});
  const known = makeGuide({ isSent: true }).guide;
  const { net, records } = make(fresh, known);
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: true });
  assert.deepEqual(methods(net), ["training.start", "training.record", "training.get"]);
  assert.equal(net.sent[1].params.generation, 1);
});

test("heart rates and the end of a training that was killed while it ended are sent", async () => {
  const { guide, clock } = makeGuide({ isSent: true, chunks: [[{ at: new Date(start).toISOString(), beatsPerMinute: 120 }]] });
  clock.now += 60_000;
  guide.finish();
  const { net, records } = make(guide);
  await sendKept({ net, records });
  assert.deepEqual(methods(net), ["training.record", "training.finish"]);
  assert.equal(net.sent[1].params.endedAt, new Date(clock.now).toISOString());
});

test("one refused training does not hold up the next; nothing is sent without a connection or for another account", async () => {
  const guides = ["one", "two"].map((id) => makeGuide({ id, isSent: true }).guide);
  for (const guide of guides) guide.done("w/0", {});
  const { net, records } = make(...guides);
  net.replies["training.record"] = ({ training }) => {
    if (training === "one") throw new Error("gone");
    return {};
  };
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: true });
  net.become("offline");
  assert.deepEqual(await sendKept({ net, records }), { sent: 0, isDone: false });
  net.become("live");
  net.account = { id: 8, username: "bob" };
  assert.deepEqual(await sendKept({ net, records }), { sent: 0, isDone: true });
});

test("after a connection that was lost midway it is not done, and the next one sends the rest", async () => {
  const guides = ["one", "two"].map((id) => makeGuide({ id, isSent: true }).guide);
  for (const guide of guides) guide.done("w/0", {});
  const { net, records } = make(...guides);
  net.replies["training.record"] = ({ training }) => {
    if (training === "two") throw Object.assign(new Error("lost"), { isTransient: true });
    return {};
  };
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: false });
  net.replies["training.record"] = {};
  assert.deepEqual(await sendKept({ net, records }), { sent: 2, isDone: true });
});

test("heart rates that were in no request yet are sent in requests that the server takes", async () => {
  const pulse = Array.from({ length: 601 }, (_, index) => ({ at: new Date(start + index * 5_000).toISOString(), bpm: 120 }));
  const { net, records } = make(makeGuide({ isSent: true, pulse }).guide);
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: true });
  assert.deepEqual(net.sent.map(({ params }) => params.pulse.length), [600, 1]);
});

test("a training that ended is not kept once the server has its end, and is kept when it is refused", async () => {
  const ended = makeGuide({ id: "ended", isSent: true }).guide;
  const going = makeGuide({ id: "going", isSent: true }).guide;
  ended.finish();
  const { net, records, removed } = make(ended, going);
  net.replies["training.finish"] = () => { throw new Error("no"); };
  await sendKept({ net, records });
  assert.deepEqual(removed, []);
  delete net.replies["training.finish"];
  await sendKept({ net, records });
  assert.deepEqual(removed, ["ended"]);
});

test("a training that ended, or was deleted, on another device is kept no more", async () => {
  const [ended, deleted, unstarted, going] = ["ended", "deleted", "unstarted", "going"].map((id) => (
    makeGuide({ id, isSent: id !== "unstarted" }).guide));
  ended.done("w/0", {});
  unstarted.done("w/0", {});
  const { net, records, removed } = make(ended, deleted, unstarted, going);
  const gone = () => { throw Object.assign(new Error("gone"), { isNotFound: true }); };
  net.replies["training.record"] = ({ training }) => (training === "ended" ? { state: "finished" } : gone());
  net.replies["training.get"] = ({ training }) => (training === "deleted" ? gone() : { state: "active" });
  let changes = 0;
  keptChanges.addEventListener("change", () => { changes += 1; });
  assert.deepEqual(await sendKept({ net, records }), { sent: 1, isDone: true });
  assert.deepEqual([removed, changes], [["ended", "deleted"], 2]);
});

const removedError = () => Object.assign(new Error("This training was removed: start a new one."), { isConflict: true });

test("a training whose end the queue sent is kept no more, unless it goes on", async () => {
  const [ended, going] = ["ended", "going"].map((id) => makeGuide({ id }).guide);
  ended.finish();
  const { records, removed } = make(ended, going);
  const sent = (training, state) => forgetSettled({ account: 7, records }, { method: "training.finish", params: { training }, reply: { state } });
  await sent("ended", "active");
  await sent("going", "finished");
  await sent("unknown", "finished");
  assert.deepEqual(removed, []);
  await sent("ended", "finished");
  assert.deepEqual(removed, ["ended"]);
});

test("a training that was deleted on another device before its start is kept no more; after another refusal it is", async () => {
  const { guide } = makeGuide();
  guide.finish();
  const { net, records, removed } = make(guide);
  const refused = (error) => forgetSettled({ account: 7, records }, { method: "training.start", params: { id: "t" }, error });
  await refused(Object.assign(new Error("5 trainings have not ended: end one first."), { isConflict: true }));
  assert.deepEqual(removed, []);
  await refused(removedError());
  net.replies["training.start"] = () => { throw removedError(); };
  await sendKept({ net, records });
  assert.deepEqual(removed, ["t", "t"]);
});
