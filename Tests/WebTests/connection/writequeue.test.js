import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";

class Storage {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, value) => { this.items.set(key, value); };
  removeItem = (key) => { this.items.delete(key); };
}

class Network extends EventTarget {
  state = "live";
  account = { id: 1 };
  asked = [];
  answer = () => ({});

  async request(method, params) {
    this.asked.push([method, params]);
    return this.answer(params, this.asked.length);
  }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

const scheduler = { now: () => 0, after: (_milliseconds, body) => { queueMicrotask(body); return () => {}; } };
const settle = async () => { for (let turn = 0; turn < 60; turn += 1) await Promise.resolve(); };
const queue = (net, storage = new Storage()) => new WriteQueue(net, { storage, locks: null, scheduler });
const going = { event: 7, answer: "going" };

test("a change with a connection is sent and does not wait", async () => {
  const net = new Network();
  net.answer = () => ({ id: 7 });
  const writes = queue(net);
  assert.deepEqual(await writes.write("events.answer", going), { id: 7 });
  assert.equal(writes.waiting.length, 0);
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
