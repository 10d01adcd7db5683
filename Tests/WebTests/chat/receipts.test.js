import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { OpenConversation } from "../../../Sources/WebApp/chat/conversation.js";

const [me, ben] = [1, 2];
const conversation = { id: 7, kind: "direct", state: "joined", read: 0, unread: 0, members: 2 };
const message = (offset, by) => ({ offset, event: { type: "message", by, id: `m${offset}`, at: "2026-11-25T10:00:00Z", text: "Hi" }, reactions: [] });
const inbox = { read: () => true, message() {}, put() {} };

/** A connection whose answers a test gives. */
class Network {
  state = "live";
  account = { id: me };
  requests = [];
  readUpTo = 0;
  read = this.request;
  isRefusing = false;

  async request(method, params) {
    this.requests.push({ method, params });
    if (method === "chat.conversation") {
      const member = (account, read) => ({ person: { account, name: `Name ${account}` }, state: "joined", read, delivered: read });
      return { conversation, members: [member(me, 2), member(ben, this.readUpTo)] };
    }
    if (method === "chat.history") return { epoch: "e", head: 2, items: [message(1, me), message(2, ben)], next: null };
    if (method === "chat.read" && this.isRefusing) throw new Error("The server is busy.");
    return {};
  }

  subscribe(topic, handlers) {
    this.handlers = handlers;
    return { again() {}, close() {} };
  }

  count(method) {
    return this.requests.filter((request) => request.method === method).length;
  }
}

const settle = async () => { for (let turn = 0; turn < 20; turn += 1) await Promise.resolve(); };
const caughtUp = { epoch: "e", offset: 2 };

let net;
let opened;
beforeEach(async () => {
  net = new Network();
  opened = new OpenConversation(7, net, inbox);
  await opened.open();
});

test("a message that was read between the answer with the members and the subscription has its tick", async () => {
  assert.equal(opened.tick(1), "sent");
  net.readUpTo = 1;
  net.handlers.caughtUp(caughtUp);
  await settle();
  assert.equal(opened.tick(1), "read");
});

test("a receipt that overtakes the answer with the members is kept", async () => {
  const refreshed = opened.refresh();
  net.handlers.push({ type: "receipt", by: ben, read: 1, delivered: 1 });
  await refreshed;
  assert.equal(opened.tick(1), "read");
});

test("a receipt that the server refuses is asked for again, ever more rarely, and not once the conversation is closed", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  net.isRefusing = true;
  opened.addEventListener("change", () => opened.readAll());
  opened.readAll();
  await settle();
  assert.equal(net.count("chat.read"), 1);
  for (const [milliseconds, requests] of [[2000, 2], [2000, 2], [2000, 3]]) {
    mock.timers.tick(milliseconds);
    await settle();
    assert.equal(net.count("chat.read"), requests);
  }
  opened.close();
  mock.timers.tick(3_600_000);
  await settle();
  assert.equal(net.count("chat.read"), 3);
});
