import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, queue, settle } from "./fakequeue.js";

const going = { event: 7, answer: "going" };

test("a change with a connection is sent and does not wait", async () => {
  const net = new Network();
  net.answer = () => ({ id: 7 });
  const writes = queue(net);
  assert.deepEqual(await writes.write("events.answer", going), { id: 7 });
  assert.equal(writes.waiting.length, 0);
});

test("a change of a page that the browser leaves is kept before it is sent", async () => {
  const net = new Network();
  const storage = new Storage();
  const writes = queue(net, storage);
  writes.writeKept("training.edit", { training: "t", note: "Good" });
  const reloaded = new Network();
  reloaded.state = "offline";
  assert.deepEqual(queue(reloaded, storage).find("training.edit", "t"), { training: "t", note: "Good" });
  await settle();
  assert.deepEqual([net.asked.length, writes.waiting.length], [1, 0]);
});

test("a refusal with a connection reaches the page", async () => {
  const net = new Network();
  net.answer = () => { throw new RequestError(errorCodes.rejected, "The event is over."); };
  const writes = queue(net);
  await assert.rejects(writes.write("events.answer", going), /over/);
  assert.equal(writes.waiting.length, 0);
});

test("changes without a connection wait, the last of an object counts, and each is sent once in order", async () => {
  const net = new Network();
  const storage = new Storage();
  net.state = "offline";
  const writes = queue(net, storage);
  assert.equal(await writes.write("events.answer", { event: 7, answer: "no" }), null);
  assert.equal(await writes.write("goals.save", { kilometres: 30 }), null);
  assert.equal(await writes.write("events.answer", going), null);
  assert.deepEqual(writes.find("events.answer", 7), going);
  // As after a reload.
  const again = new Network();
  again.state = "offline";
  const later = queue(again, storage);
  const sent = [];
  later.addEventListener("sent", ({ detail }) => sent.push(detail.method));
  again.become("live");
  await settle();
  assert.deepEqual(again.asked.map(([method]) => method), ["goals.save", "events.answer"]);
  assert.deepEqual(again.asked[1][1], going);
  assert.deepEqual(sent, ["goals.save", "events.answer"]);
  assert.equal(later.waiting.length, 0);
});

test("a change whose answer was lost is sent again, and a newer one of its object is not lost by that", async () => {
  const net = new Network();
  const writes = queue(net);
  net.answer = (_params, count) => {
    if (count === 1) {
      net.state = "offline";
      throw new RequestError("offline", "The connection was lost.");
    }
    return {};
  };
  assert.equal(await writes.write("saved.save", { clientId: "c", name: "A", lat: 1, lon: 2 }), null);
  assert.equal(writes.waiting.length, 1);
  net.become("live");
  await settle();
  assert.equal(net.asked.length, 2);
  assert.deepEqual(net.asked[0], net.asked[1]);
  assert.equal(writes.waiting.length, 0);
});

test("a refused change is given up with its reason, and holds nothing up", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("events.answer", going);
  await writes.write("saved.remove", { id: 3 });
  net.answer = ({ event }) => { if (event) throw new RequestError(errorCodes.rejected, "The event is over."); return {}; };
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push(detail.error.message));
  net.become("live");
  await settle();
  assert.deepEqual(refused, ["The event is over."]);
  assert.deepEqual(net.asked.map(([method]) => method), ["events.answer", "saved.remove"]);
  assert.equal(writes.waiting.length, 0);
});

test("what waits of an account is not shown to another, and is not sent for it", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("events.answer", going);
  net.account = { id: 2 };
  net.dispatchEvent(new Event("account"));
  assert.equal(writes.waiting.length, 0);
  net.become("live");
  await settle();
  assert.equal(net.asked.length, 0);
});

const oak = { clientId: "c", name: "Oak", lat: 1, lon: 2 };
const lost = () => { throw new RequestError("offline", "The connection was lost."); };

test("a client that is too old keeps what it holds", async () => {
  const net = new Network();
  const clock = new Clock();
  net.state = "offline";
  net.answer = () => { throw new RequestError(errorCodes.clientOutdated, "Update."); };
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  await writes.write("goals.save", { kilometres: 30 });
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push(detail.method));
  net.become("live");
  await settle();
  assert.equal(net.asked.length, 1);
  assert.equal(writes.waiting.length, 1);
  assert.deepEqual(refused, []);
});

test("a removal of what is removed already is done", async () => {
  const net = new Network();
  net.answer = () => { throw new RequestError(errorCodes.notFound, "There is no such place."); };
  const writes = queue(net);
  assert.deepEqual(await writes.write("saved.remove", { id: 3 }), { erased: 0 });
  net.state = "offline";
  await writes.write("saved.remove", { id: 4 });
  const outcomes = [];
  for (const type of ["sent", "refused"]) writes.addEventListener(type, () => outcomes.push(type));
  net.become("live");
  await settle();
  assert.deepEqual(outcomes, ["sent"]);
});

test("a change that was never sent is dropped; one that the server may have is not", async () => {
  const net = new Network();
  const storage = new Storage();
  net.state = "offline";
  const writes = queue(net, storage);
  await writes.write("saved.save", oak);
  assert.equal(writes.drop("saved.save", "c"), true);
  net.state = "live";
  net.answer = () => { net.state = "offline"; lost(); };
  await writes.write("saved.save", oak);
  // Also after a reload, and with a newer name.
  const again = new Network();
  again.state = "offline";
  const later = queue(again, storage);
  await later.write("saved.save", { ...oak, name: "Old oak" });
  assert.equal(later.drop("saved.save", "c"), false);
  assert.equal(later.waiting.length, 0);
});

test("a change is not dropped as never sent while its request is in flight", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("saved.save", oak);
  net.answer = () => new Promise(() => {});
  net.become("live");
  await settle();
  assert.equal(net.asked.length, 1);
  assert.equal(writes.drop("saved.save", "c"), false);
});

test("a place whose number is not known is removed by saving it again", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("saved.remove", { saved: oak });
  assert.deepEqual(writes.find("saved.remove", "c"), { saved: oak });
  net.answer = ({ clientId }) => (clientId ? { id: 9 } : { erased: 1 });
  net.become("live");
  await settle();
  assert.deepEqual(net.asked, [["saved.save", oak], ["saved.remove", { id: 9 }]]);
  assert.equal(writes.waiting.length, 0);
});

test("a change that another tab wrote is sent", async () => {
  const net = new Network();
  const storage = new Storage();
  const listeners = [];
  const before = globalThis.addEventListener;
  globalThis.addEventListener = (type, body) => { if (type === "storage") listeners.push(body); };
  const writes = queue(net, storage);
  globalThis.addEventListener = before;
  const other = new Network();
  other.state = "offline";
  await queue(other, storage).write("goals.save", { kilometres: 30 });
  for (const body of listeners) body({ key: "campanile.writes.1" });
  await settle();
  assert.deepEqual(net.asked.map(([method]) => method), ["goals.save"]);
  assert.equal(writes.waiting.length, 0);
});

test("when the storage is full, copies make room for a change, and else the reason is in plain words", async () => {
  const net = new Network();
  net.state = "offline";
  const storage = new Storage(400);
  storage.setItem("campanile.runners.1", "r".repeat(200));
  storage.setItem("campanile.events.1", "e".repeat(200));
  const writes = queue(net, storage);
  assert.equal(await writes.write("goals.save", { kilometres: 30 }), null);
  assert.equal(storage.getItem("campanile.runners.1"), null);
  await assert.rejects(writes.write("saved.save", { ...oak, name: "x".repeat(400) }), (error) => (
    error instanceof RequestError && error.message.startsWith("There's no room left in this browser")));
  assert.equal(writes.waiting.length, 1);
});

test("a change that always fails does not hold up others, and can be discarded", async () => {
  const net = new Network();
  const clock = new Clock();
  net.state = "offline";
  net.answer = ({ event }) => { if (event) throw new RequestError(errorCodes.internalError, "It failed."); return {}; };
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  await writes.write("events.answer", going);
  await writes.write("events.save", { event: 7, saved: true });
  await writes.write("goals.save", { kilometres: 30 });
  net.become("live");
  await settle();
  await clock.fire();
  assert.deepEqual(net.asked.map(([method]) => method), ["events.answer", "events.answer"]);
  await clock.fire();
  // Of the same object nothing overtakes.
  assert.deepEqual(net.asked.slice(2).map(([method]) => method), ["events.answer", "goals.save"]);
  assert.deepEqual(writes.waiting.map(({ method }) => method), ["events.answer", "events.save"]);
  assert.equal(clock.timers.length, 1);
  writes.discard(["events.answer", "events.save"]);
  assert.equal(writes.waiting.length, 0);
});

test("an answer that waited too long is not sent; other changes are", async () => {
  const net = new Network();
  const clock = new Clock();
  net.state = "offline";
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  await writes.write("events.answer", going);
  await writes.write("goals.save", { kilometres: 30 });
  clock.time += 15 * 86_400_000;
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push(detail.error.message));
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.map(([method]) => method), ["goals.save"]);
  assert.deepEqual(refused, ["Your answer to an event waited for more than 14 days."]);
});

test("at a log-in nothing of other accounts stays", async () => {
  const net = new Network();
  const storage = new Storage();
  net.state = "offline";
  const writes = queue(net, storage);
  await writes.write("events.answer", going);
  net.account = null;
  net.dispatchEvent(new Event("account"));
  assert.notEqual(storage.getItem("campanile.writes.1"), null);
  net.account = { id: 2 };
  net.dispatchEvent(new Event("account"));
  assert.equal(storage.getItem("campanile.writes.1"), null);
});

test("nothing of an account is sent for another that logs in while it is sent, or without a connection", async () => {
  const net = new Network();
  const storage = new Storage();
  let granted = () => {};
  const locks = { request: async (_name, ...rest) => {
    if (rest.length > 1) return rest[1]({});
    await new Promise((resolve) => { granted = resolve; });
    return rest[0]();
  } };
  net.state = "offline";
  const writes = new WriteQueue(net, { storage, locks, scheduler: new Clock() });
  await writes.write("saved.remove", { saved: oak });
  net.answer = () => { net.account = { id: 2 }; return { id: 9 }; };
  net.become("live");
  granted();
  await settle();
  assert.deepEqual(net.asked.map(([method]) => method), ["saved.save"]);
  net.account = { id: 1 };
  net.asked = [];
  net.become("offline");
  net.become("live");
  net.state = "reconnecting";
  granted();
  await settle();
  assert.equal(net.asked.length, 0);
});
