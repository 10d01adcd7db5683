import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeGuide, FakeNet, settled, start } from "./fakes.js";

globalThis.localStorage ??= /** @type {any} */ ({ getItem: () => "d", setItem() {} });
const { TrainingSession } = await import("../../../Sources/WebApp/training/session.js");

class Lock extends EventTarget {
  isHeld = false;

  constructor(isFree) {
    super();
    this.isFree = isFree;
  }

  async take({ steal = false } = {}) {
    if (!this.isFree && !steal) return;
    this.isHeld = true;
    this.dispatchEvent(new Event("held"));
  }

  release() {
    this.isHeld = false;
  }

  become(isHeld) {
    this.isFree = isHeld;
    this.isHeld = isHeld;
    this.dispatchEvent(new Event(isHeld ? "held" : "lost"));
  }
}

const training = (changes) => ({ id: "t", state: "active", device: "d", generation: 1, sets: [], ...changes });

/** `{session, net, lock, kept, ended}`; the sessions are closed after the test. */
async function make(t, { record = {}, isFree = true, origin = "here", replies = {}, kept = new Map() } = {}) {
  const net = Object.assign(new FakeNet(), {
    read: async () => ({ maximumPulse: 190 }), keep() {}, subscribe: () => ({ close() {} }),
  });
  Object.assign(net.replies, { "training.get": training(), ...replies });
  const lock = new Lock(isFree);
  const records = {
    get: async (_account, id) => structuredClone(kept.get(id)) ?? null, remove: async (_account, id) => { kept.delete(id); },
    put: async (one) => { kept.set(one.id, structuredClone(one)); },
  };
  const session = new TrainingSession(net, makeGuide({ isSent: true, generation: 1, ...record }).guide.record, { records, lock: /** @type {any} */ (lock) });
  t.after(() => session.close());
  const ended = [];
  session.addEventListener("ended", (/** @type {any} */ { detail }) => ended.push(detail));
  const refusal = await session.open({ origin });
  await settled();
  return { session, net, lock, kept, ended, refusal };
}
const done = (record) => record.sets.filter(({ state }) => state === "done").map(({ id }) => id);
const methods = ({ sent }) => sent.map(({ method }) => method);

test("a refused end stays on the page with the reason, and can be sent again after a correction", async (t) => {
  const { session, net, kept, ended } = await make(t);
  session.guide.done("w/0", { seconds: 90 });
  net.replies["training.finish"] = () => { throw new Error("reps must be 0 to 1000"); };
  await session.finish();
  await settled();
  assert.deepEqual([session.guide.state, session.problem, ended], ["paused", "This workout isn't saved yet. Reps must be 0 to 1000.", []]);
  assert.equal(kept.get("t").state, "paused");
  delete net.replies["training.finish"];
  await session.finish();
  assert.deepEqual([session.problem, ended, kept.size], ["", ["saved"], 0]);
});

test("the end of a training that another device took over does not end it", async (t) => {
  const { session, net, kept, ended } = await make(t);
  net.replies["training.finish"] = training({ device: "other", generation: 2 });
  await session.finish();
  await settled();
  assert.deepEqual([session.where, session.guide.state, ended, kept.get("t").state], ["device", "elsewhere", [], "exercise"]);
});

test("an end without a connection waits, and the record stays", async (t) => {
  const { session, net, kept, ended } = await make(t);
  net.become("offline");
  await session.finish();
  assert.deepEqual([ended, kept.get("t").state], [["waits"], "finished"]);
});

test("a refused start is an error, and the training is sent when it is tried again", async (t) => {
  let isFull = true;
  const replies = { "training.start": () => {
    if (isFull) throw new Error("5 trainings have not ended");
    return training();
  } };
  const { session, net, refusal } = await make(t, { record: { isSent: false }, origin: "new", replies });
  assert.equal(refusal?.message, "5 trainings have not ended");
  session.guide.done("w/0", { seconds: 90 });
  await settled();
  assert.deepEqual(methods(net).filter((method) => method !== "training.start"), []);
  isFull = false;
  await session.startAgain();
  await settled();
  assert.deepEqual([session.refusal, methods(net).includes("training.record")], [null, true]);
});

test("a training whose waiting start was refused was not deleted on another device", async (t) => {
  const { session, net } = await make(t, { record: { isSent: false } });
  session.guide.noteSent({ isSent: false });
  const emit = (method, params, error) => (
    net.writes.dispatchEvent(new CustomEvent("refused", { detail: { method, params, error } })));
  emit("training.start", { id: "t" }, new Error("5 trainings have not ended"));
  emit("training.record", { training: "t" }, Object.assign(new Error("The training was not found."), { isNotFound: true }));
  assert.deepEqual([session.refusal?.message, session.problem], ["5 trainings have not ended", ""]);
});

test("a problem is gone once the server takes a change", async (t) => {
  const { session, net } = await make(t);
  net.replies["training.record"] = () => { throw new Error("no"); };
  session.guide.done("w/0", { seconds: 90 });
  await settled();
  assert.equal(session.problem, "No.");
  delete net.replies["training.record"];
  session.guide.done("a/0", { reps: 10 });
  await settled();
  assert.equal(session.problem, "");
});

test("a tab goes on with what the other one kept when that is closed, and writes nothing over it before", async (t) => {
  const kept = new Map();
  const { session, lock } = await make(t, { isFree: false, kept });
  const { guide } = makeGuide({ isSent: true, generation: 1 });
  guide.done("w/0", { seconds: 90 });
  kept.set("t", structuredClone(guide.record));
  session.guide.merge([{ ...guide.record.sets[1], state: "skipped", at: new Date(start + 60_000).toISOString() }]);
  await settled();
  assert.deepEqual([session.where, kept.get("t").state, done(kept.get("t"))], ["tab", "exercise", ["w/0"]]);
  lock.become(true);
  await settled();
  assert.deepEqual([session.where, session.guide.state, done(session.guide.record)], [null, "exercise", ["w/0"]]);
  session.guide.done(session.guide.current.set.id, {});
  await settled();
  assert.equal(done(kept.get("t")).length, 2);
});

test("a tab takes over from another one without a connection, with what that kept", async (t) => {
  const kept = new Map();
  const { session, net, lock } = await make(t, { isFree: false, kept });
  const { guide } = makeGuide({ isSent: true, generation: 1 });
  guide.done("w/0", { seconds: 90 });
  guide.pause();
  kept.set("t", structuredClone(guide.record));
  net.become("offline");
  await session.takeOver();
  assert.deepEqual([lock.isHeld, session.where, session.guide.state, done(session.guide.record)], [true, null, "paused", ["w/0"]]);
  assert.ok(!methods(net).includes("training.takeOver"));
});

test("a training that another device guides is not kept over what this one did", async (t) => {
  const { session, net, kept } = await make(t);
  session.guide.done("w/0", { seconds: 90 });
  net.replies["training.get"] = training({ device: "other", generation: 2 });
  net.become("live");
  await settled();
  assert.deepEqual([session.where, session.guide.state, kept.get("t").state, done(kept.get("t"))], ["device", "elsewhere", "exercise", ["w/0"]]);
});

test("a tab that lost the lock sends nothing more", async (t) => {
  const { session, net, lock } = await make(t);
  session.guide.done("w/0", { seconds: 90 });
  net.state = "offline";
  session.guide.done("a/0", { reps: 9 });
  lock.become(false);
  const count = methods(net).filter((method) => method === "training.record").length;
  net.become("live");
  await settled();
  assert.equal(methods(net).filter((method) => method === "training.record").length, count);
});

test("a tab that another took over from goes on when the other is closed", async (t) => {
  const { session, lock } = await make(t);
  let waits = 0;
  const { take } = lock;
  lock.take = (options) => {
    waits += 1;
    return take.call(lock, options);
  };
  lock.become(false);
  await settled();
  assert.deepEqual([session.where, session.guide.state, waits], ["tab", "elsewhere", 1]);
  lock.become(true);
  await settled();
  assert.deepEqual([session.where, session.guide.state], [null, "exercise"]);
});

test("a discarded training is removed here and at the server, and nothing of it is written after that", async (t) => {
  const { session, net, kept, ended } = await make(t);
  session.guide.done("w/0", { seconds: 90 });
  await session.discard();
  session.guide.done("a/0", { reps: 9 });
  await settled();
  assert.deepEqual([methods(net).at(-1), kept.size, ended, session.isClosed], ["training.remove", 0, ["removed"], true]);
});

test("the zone is shown to the live group as the switch of another page says", async (t) => {
  const { session, net } = await make(t, { record: { together: "g" } });
  const zones = () => net.sent.filter(({ method }) => method === "together.update").map(({ params }) => params.position.zone ?? null);
  const join = (sharesZone, group = "g") => net.writes.dispatchEvent(new CustomEvent("done", { detail: {
    method: "together.join", params: { group, sharesZone } } }));
  session.pulse.enter(160);
  join(true, "another");
  net.become("live");
  join(true);
  assert.equal(session.isSharingZone, true);
  await new Promise((resolve) => { setTimeout(resolve, 1_100); });
  assert.equal(zones().at(-1), 4);
  net.writes.find = /** @type {any} */ (() => ({ group: "g", sharesZone: false }));
  session.reportAgain();
  await new Promise((resolve) => { setTimeout(resolve, 1_100); });
  assert.equal(zones().at(-1), null);
});

test("an end that the server refuses is not shown to the live group, and one that it takes is", async (t) => {
  const { session, net, ended } = await make(t, { record: { together: "g" } });
  const isShown = () => net.sent.some(({ method, params }) => method === "together.update" && params.position.phase === "finished");
  net.replies["training.finish"] = () => { throw new Error("refused"); };
  await session.finish();
  // The group takes a position each second.
  await new Promise((resolve) => { setTimeout(resolve, 1_100); });
  assert.deepEqual([isShown(), ended, session.isClosed, session.guide.state], [false, [], false, "paused"]);
  net.replies["training.finish"] = () => { throw Object.assign(new Error("early"), { data: { field: "endedAt" } }); };
  await session.finish();
  assert.deepEqual([session.guide.state, ended, session.problem.endsWith("Finish the workout again.")], ["exercise", [], true]);
  delete net.replies["training.finish"];
  await session.finish();
  assert.deepEqual([isShown(), ended], [true, ["saved"]]);
});

test("a lost monitor leaves no rate, and the maximum is read again with the connection", async (t) => {
  const { session, net } = await make(t);
  session.pulse.maximum = null;
  net.become("live");
  await settled();
  session.pulse.enter(160);
  assert.deepEqual([session.pulse.maximum, session.pulse.zone, session.guide.record.pulse.length], [190, 4, 1]);
});

test("a training that was deleted on another device says so", async (t) => {
  const { session, net } = await make(t);
  net.replies["training.get"] = () => { throw Object.assign(new Error("none"), { isNotFound: true }); };
  net.become("live");
  await settled();
  assert.match(session.problem, /^This workout was deleted on another device/);
});

test("after a log-out nothing of the account is kept", async (t) => {
  const { session, net, kept } = await make(t);
  kept.clear();
  net.account = /** @type {any} */ (null);
  session.guide.done("w/0", { seconds: 90 });
  session.pulse.enter(120);
  session.close();
  await settled();
  assert.equal(kept.size, 0);
});
