import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, queue, settle } from "./fakequeue.js";

/** A network whose requests are answered by the test, one after the other. */
class Slow extends Network {
  open = [];

  request(method, params) {
    this.asked.push([method, params]);
    return new Promise((resolve, reject) => { this.open.push({ resolve, reject }); });
  }

  async answerNext(outcome) {
    const { resolve, reject } = this.open.shift();
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
    await settle();
  }
}

/** Web Locks of one browser. */
class Locks {
  held = new Map();

  async request(name, ...rest) {
    const body = rest.at(-1);
    // A browser grants a lock later.
    await Promise.resolve();
    if (rest[0].ifAvailable && this.held.has(name)) return body(null);
    while (this.held.has(name)) await this.held.get(name);
    let release = () => {};
    this.held.set(name, new Promise((resolve) => { release = () => resolve(undefined); }));
    try {
      return await body({ name });
    } finally {
      this.held.delete(name);
      release();
    }
  }
}

const timeout = () => new RequestError("timeout", "No reply came in time.");
const refusal = (code, message) => new RequestError(errorCodes[code], message);
const methodsOf = (list) => list.map(({ method }) => method);
const offline = () => {
  const net = new Network();
  net.state = "offline";
  return { net, writes: queue(net) };
};
const on = { residences: true };
const off = { residences: false };

test("a late failure does not take the place of a later decision", async () => {
  const net = new Slow();
  const writes = queue(net);
  const first = writes.write("privacy.saveSettings", on);
  net.become("reconnecting");
  assert.equal(await writes.write("privacy.saveSettings", off), null);
  await net.answerNext(timeout());
  assert.equal(await first, null);
  assert.deepEqual(writes.waiting.map(({ params, isTried }) => [params, isTried]), [[off, true]]);
  net.become("live");
  await net.answerNext({ ...off });
  assert.deepEqual(net.asked.map(([, params]) => params), [on, off]);
  assert.equal(writes.waiting.length, 0);
});

test("changes of one object go out one after the other, and the last has the last word", async () => {
  for (const error of [timeout(), refusal("unavailable", "Later."), refusal("rateLimited", "Later.")]) {
    const net = new Slow();
    const writes = queue(net);
    let waits = 0;
    writes.addEventListener("waits", () => { waits += 1; });
    const first = writes.write("privacy.saveSettings", on);
    const second = writes.write("privacy.saveSettings", off);
    await settle();
    assert.equal(net.asked.length, 1);
    // Kept already: the page may be closed.
    assert.deepEqual(writes.find("privacy.saveSettings", "residences"), off);
    await net.answerNext(error);
    assert.equal(await first, null);
    await net.answerNext({ ...off });
    assert.deepEqual(await second, off);
    assert.deepEqual(net.asked.map(([, params]) => params), [on, off]);
    assert.equal(writes.waiting.length, 0);
    assert.equal(waits, 1);
  }
});

test("a change that waits only for the one before it has its own reply, or its own refusal", async () => {
  const net = new Slow();
  const writes = queue(net);
  const events = [];
  for (const type of ["waits", "sent", "refused"]) writes.addEventListener(type, () => events.push(type));
  const first = writes.write("events.answer", { event: 7, answer: "going" });
  const second = writes.write("events.answer", { event: 7, answer: "maybe" });
  const third = writes.write("events.answer", { event: 7, answer: "no" });
  assert.equal(await second, null);
  await net.answerNext({ id: 7 });
  await net.answerNext(refusal("rejected", "The event is over."));
  assert.deepEqual(await first, { id: 7 });
  await assert.rejects(third, /over/);
  assert.deepEqual(net.asked.map(([, { answer }]) => answer), ["going", "no"]);
  assert.deepEqual(events, []);
});

test("the page learns that such a change has to wait when the connection is lost", async () => {
  const net = new Slow();
  const writes = queue(net);
  writes.write("events.answer", { event: 7, answer: "going" });
  const second = writes.write("events.answer", { event: 7, answer: "no" });
  let waits = 0;
  writes.addEventListener("waits", () => { waits += 1; });
  net.become("reconnecting");
  assert.equal(await second, null);
  assert.equal(waits, 1);
  assert.equal(writes.waiting.length, 1);
});

test("a block that failed goes out before the unblock that followed it", async () => {
  const net = new Slow();
  const writes = queue(net);
  writes.write("safety.block", { account: 8 });
  writes.write("safety.unblock", { account: 8 });
  await net.answerNext(timeout());
  assert.deepEqual(methodsOf(writes.waiting), ["safety.block", "safety.unblock"]);
  await net.answerNext({ account: 8 });
  await net.answerNext({ account: 8 });
  assert.deepEqual(net.asked.map(([method]) => method), ["safety.block", "safety.block", "safety.unblock"]);
});

test("two tabs do not have requests of one object in flight side by side", async () => {
  const [storage, locks, net, other, clock] = [new Storage(), new Locks(), new Slow(), new Slow(), new Clock()];
  const one = new WriteQueue(net, { storage, locks, scheduler: clock });
  const two = new WriteQueue(other, { storage, locks, scheduler: clock });
  const first = one.write("privacy.saveSettings", on);
  await settle();
  assert.equal(await two.write("privacy.saveSettings", off), null);
  await settle();
  assert.deepEqual([net.asked.length, other.asked.length], [1, 0]);
  await net.answerNext(refusal("unavailable", "Later."));
  assert.equal(await first, null);
  await clock.fire();
  for (const each of [net, other]) if (each.open.length > 0) await each.answerNext({ ...off });
  assert.deepEqual([...net.asked, ...other.asked].map(([, params]) => params), [on, off]);
  assert.equal(one.waiting.length, 0);
});

test("two changes that are made before the first has its lock go out in the order in which they were made", async () => {
  const net = new Slow();
  const writes = new WriteQueue(net, { storage: new Storage(), locks: new Locks(), scheduler: new Clock() });
  const saved = [writes.write("privacy.saveSettings", on), writes.write("privacy.saveSettings", off)];
  await settle();
  await net.answerNext({ ...on });
  await net.answerNext({ ...off });
  assert.deepEqual(await Promise.all(saved), [on, off]);
  assert.deepEqual(net.asked.map(([, params]) => params), [on, off]);
});

test("a change that another tab has written meanwhile goes first, and then those of this tab in their order", async () => {
  const [storage, locks, net, clock] = [new Storage(), new Locks(), new Slow(), new Clock()];
  const writes = new WriteQueue(net, { storage, locks, scheduler: clock });
  const other = new Network();
  other.state = "offline";
  const first = writes.write("safety.block", { account: 8 });
  await queue(other, storage).write("safety.unblock", { account: 8 });
  const second = writes.write("safety.unblock", { account: 8 });
  assert.equal(await first, null);
  await settle();
  assert.deepEqual(methodsOf(writes.waiting), ["safety.block", "safety.unblock"]);
  await net.answerNext({ account: 8 });
  await net.answerNext({ account: 8 });
  assert.deepEqual(await second, { account: 8 });
  assert.deepEqual(net.asked.map(([method]) => method), ["safety.block", "safety.unblock"]);
});

test("settings that are written as a whole are changed one after the other", async () => {
  const net = new Network();
  let chat = { read: true, delivered: true, typing: true };
  let notices = { zones: [] };
  net.request = async (method, params) => {
    await settle();
    if (method === "chat.saveSettings") chat = params;
    if (method === "notices.saveSettings") notices = params;
    return method.startsWith("chat.") ? chat : notices;
  };
  const writes = queue(net);
  const saved = [writes.write("chat.saveSettings", { read: false }), writes.write("chat.saveSettings", { typing: false })];
  for (const zone of [1, 2, 3]) saved.push(writes.write("notices.saveSettings", { zone, isFollowed: true }));
  assert.ok((await Promise.all(saved)).every((reply) => reply !== null));
  assert.deepEqual([chat, notices], [{ read: false, delivered: true, typing: false }, { zones: [1, 2, 3] }]);
});

test("an unblock does not take back the block before it, which ended a match, and a block takes back the unblock", async () => {
  const { writes } = offline();
  await writes.write("buddies.remove", { account: 8 });
  await writes.write("safety.block", { account: 8 });
  await writes.write("safety.unblock", { account: 8 });
  assert.deepEqual(methodsOf(writes.waiting), ["buddies.remove", "safety.block", "safety.unblock"]);
  await writes.write("safety.block", { account: 8 });
  assert.deepEqual(methodsOf(writes.waiting), ["buddies.remove", "safety.block"]);
});

test("what is turned off is turned off even when it is turned on again", async () => {
  const { net, writes } = offline();
  for (const visits of [false, true, false, true]) await writes.write("privacy.saveSettings", { visits });
  assert.deepEqual(writes.waiting.map(({ params }) => params.visits), [false, true]);
  assert.deepEqual(writes.find("privacy.saveSettings", "visits"), { visits: true });
  assert.deepEqual(writes.shown("privacy.settings", {}, { visits: true }), { visits: true });
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([, params]) => params.visits), [false, true]);
});

test("a deleted session that is kept after all has the audience and the title that were chosen before", async () => {
  const { writes } = offline();
  await writes.write("tracking.audience", { session: 5, audience: "private" }, { before: "public" });
  await writes.write("tracking.rename", { session: 5, title: "Loop" });
  await writes.write("tracking.delete", { session: 5 });
  assert.equal(writes.drop("tracking.delete", 5), true);
  assert.deepEqual(methodsOf(writes.waiting), ["tracking.audience", "tracking.rename"]);
});

test("a session is deleted before its audience or title is changed, which then end with it", async () => {
  const { net, writes } = offline();
  await writes.write("tracking.audience", { session: 5, audience: "public" }, { before: "private" });
  await writes.write("tracking.rename", { session: 5, title: "Loop" });
  await writes.write("tracking.rename", { session: 6, title: "Hill" });
  await writes.write("tracking.delete", { session: 5 });
  const outcomes = [];
  for (const type of ["sent", "refused"]) writes.addEventListener(type, ({ detail }) => outcomes.push(`${type} ${detail.method}`));
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([method, { session }]) => [method, session]), [["tracking.delete", 5], ["tracking.rename", 6]]);
  assert.deepEqual(outcomes, ["sent tracking.delete", "sent tracking.rename"]);
  assert.equal(writes.waiting.length, 0);
});

test("a session whose deletion is refused has the audience that was chosen before it", async () => {
  const { net, writes } = offline();
  await writes.write("tracking.audience", { session: 5, audience: "private" }, { before: "public" });
  await writes.write("tracking.delete", { session: 5 });
  net.answer = ({ audience }) => { if (!audience) throw refusal("conflict", "It is tracked."); return {}; };
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([method]) => method), ["tracking.delete", "tracking.audience"]);
});

test("a change of an event stays before its publication, and a reset before the length that follows it", async () => {
  const { writes } = offline();
  const update = (revision, title) => writes.write("events.update", { event: 3, revision, details: { title } });
  await update(5, "A");
  await writes.write("events.publish", { event: 3 });
  await update(5, "B");
  assert.deepEqual(methodsOf(writes.waiting), ["events.update", "events.publish"]);
  assert.equal(writes.waiting[0].params.details.title, "B");
  await writes.write("goals.save", { kilometres: 60 });
  await writes.write("goals.reset", { at: "1" });
  await writes.write("goals.save", { kilometres: 20 });
  await writes.write("goals.reset", { at: "2" });
  assert.deepEqual(writes.waiting.slice(2).map(({ params }) => params), [{ at: "2" }, { kilometres: 20 }]);
});

test("a change of an event is of the revision that the change before it made, and of no other", async () => {
  for (const [revision, expected] of [[6, 6], [7, 5]]) {
    const { net, writes } = offline();
    await writes.write("events.publish", { event: 3 });
    await writes.write("events.update", { event: 3, revision: 5, details: {} });
    net.answer = () => ({ id: 3, revision });
    net.become("live");
    await settle();
    assert.deepEqual(net.asked[1], ["events.update", { event: 3, revision: expected, details: {} }]);
  }
});

test("a change of an event whose reply was lost is repeated as it was before the next one", async () => {
  const net = new Network();
  net.answer = () => { net.state = "offline"; throw timeout(); };
  const writes = queue(net);
  const update = (title) => writes.write("events.update", { event: 3, revision: 5, details: { title } });
  for (const title of ["A", "B", "C"]) await update(title);
  assert.deepEqual(writes.find("events.update", 3).details, { title: "C" });
  net.asked = [];
  net.answer = ({ revision }) => ({ id: 3, revision: revision + 1 });
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([, { revision, details }]) => [revision, details.title]), [[5, "A"], [6, "C"]]);
});

test("an event is not published without the change that was refused", async () => {
  const { net, writes } = offline();
  await writes.write("events.update", { event: 3, revision: 5, details: {} });
  await writes.write("events.publish", { event: 3 });
  await writes.write("events.publish", { event: 4 });
  net.answer = ({ revision }) => { if (revision) throw refusal("conflict", "It has changed."); return {}; };
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push([detail.method, methodsOf(detail.needing)]));
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([method, { event }]) => [method, event]), [["events.update", 3], ["events.publish", 4]]);
  assert.deepEqual(refused, [["events.update", ["events.publish"]]]);
});

test("what waits for a start that is refused is given up with it, and the start alone is reported", async () => {
  const { net, writes } = offline();
  await writes.write("training.start", { id: "t" });
  await writes.write("training.record", { training: "t", sets: [{ id: "a/0" }] });
  await writes.write("training.finish", { training: "t" });
  await writes.write("training.edit", { training: "t", note: "Good" });
  await writes.write("training.record", { training: "u", sets: [{ id: "a/0" }] });
  net.answer = ({ id }) => { if (id) throw refusal("conflict", "5 trainings have not ended."); return {}; };
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push([detail.method, methodsOf(detail.needing)]));
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([method, { id, training }]) => [method, id ?? training]), [["training.start", "t"], ["training.record", "u"]]);
  assert.deepEqual(refused, [["training.start", ["training.record", "training.finish", "training.edit"]]]);
});

test("an end that may be of a draft leaves its changes, and follows a publication that the server may have", async () => {
  const net = new Network();
  net.answer = () => { net.state = "offline"; throw timeout(); };
  const writes = queue(net);
  await writes.write("events.publish", { event: 3 });
  await writes.write("events.update", { event: 3, revision: 5, details: {} });
  assert.equal(writes.withdraw("events.publish", 3), false);
  await writes.write("events.cancel", { event: 3 }, { mayBeDraft: true });
  assert.deepEqual(methodsOf(writes.waiting), ["events.publish", "events.update", "events.cancel"]);
  await writes.write("events.update", { event: 4, revision: 5, details: {} });
  await writes.write("events.cancel", { event: 4 }, { mayBeDraft: false });
  assert.deepEqual(writes.waiting.slice(3).map(({ method }) => method), ["events.cancel"]);
  await writes.write("events.publish", { event: 5 });
  assert.equal(writes.withdraw("events.publish", 5), true);
  assert.equal(writes.find("events.publish", 5), null);
});
