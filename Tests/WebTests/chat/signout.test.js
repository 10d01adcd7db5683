import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";

/** `Object.keys` of a browser's storage gives its keys. */
class FakeStorage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = String(value); }
  removeItem(key) { delete this[key]; }
}

globalThis.localStorage = /** @type {any} */ (new FakeStorage());
delete globalThis.BroadcastChannel;
const { Chat } = await import("../../../Sources/WebApp/chat/store.js");
const { writeDraft } = await import("../../../Sources/WebApp/chat/drafts.js");

class FakeNet extends EventTarget {
  account = { id: 7 };
  returning = null;
  state = "live";
  replies = null;
  writes = Object.assign(new EventTarget(), { waiting: [], find: () => null, shown: (_method, _params, reply) => reply });
  subscribe(_topic, on) {
    this.on = on;
    return { close() {} };
  }
  become(id, returning = null) {
    this.account = id === null ? null : { id };
    this.returning = returning;
    this.dispatchEvent(new Event("account"));
  }
}

const keys = () => Object.keys(localStorage);
let net;
const start = () => {
  net = new FakeNet();
  return new Chat(net, { clear() {} });
};

test("a reload and a sign-out because an admin changed the account leave the drafts of messages", () => {
  writeDraft(7, 4, { text: "hello" });
  start();
  assert.deepEqual(keys(), ["campanile.draft.7.4"]);
  net.become(null, 7);
  assert.deepEqual(keys(), ["campanile.draft.7.4"]);
  net.become(7);
  assert.deepEqual(keys(), ["campanile.draft.7.4"]);
});

test("any other sign-out, and the sign-in of another account, remove the drafts of messages", () => {
  writeDraft(7, 4, { text: "hello" });
  start();
  net.become(null);
  assert.deepEqual(keys(), []);
  writeDraft(7, 4, { text: "hello" });
  net.become(8);
  assert.deepEqual(keys(), []);
});

test("a change of a conversation that is not open, such as a deleted message, removes the messages that the device kept", () => {
  const chat = start();
  const removed = [];
  net.replies = { get: async () => null, remove: (...what) => removed.push(what) };
  net.on.push({ type: "conversation", conversation: 4 });
  assert.deepEqual(removed, [["chat.history", { conversation: 4, limit: 40 }]]);
  net.become(null);
  assert.equal(chat.keptAt, null);
});

test("an open conversation is loaded again when its new name, or any other change of it, was refused", async () => {
  const chat = start();
  const asked = [];
  net.request = net.read = async (method) => {
    asked.push(method);
    throw new Error("Not now.");
  };
  chat.open(4);
  await new Promise((resolve) => { setImmediate(resolve); });
  for (const method of ["group.rename", "chat.edit"]) {
    asked.length = 0;
    net.writes.dispatchEvent(new CustomEvent("refused", { detail: { method, params: { conversation: 4 } } }));
    net.writes.dispatchEvent(new CustomEvent("refused", { detail: { method: "goals.save", params: { kilometres: 9 } } }));
    await new Promise((resolve) => { setImmediate(resolve); });
    assert.ok(asked.includes("chat.conversation"), method);
  }
  net.become(null);
});
