import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { PendingRequests } from "../../../Sources/WebApp/client/pending.js";
import { Subscriptions } from "../../../Sources/WebApp/client/subscriptions.js";

const settled = () => new Promise((resolve) => { setImmediate(resolve); });

test("a pending request is taken once, and the oldest of a kind is found", async () => {
  const pending = new PendingRequests();
  const ids = [pending.nextId(), pending.nextId(), pending.nextId()];
  const replies = ids.map((id, index) => pending.add(id, { timeout: 10_000, isBinary: index > 0 }));
  assert.equal(pending.oldest({ isBinary: true }), ids[1]);
  assert.equal(pending.oldest({ isBinary: false }), ids[0]);
  pending.take(ids[1]).resolve("done");
  assert.equal(await replies[1], "done");
  assert.equal(pending.take(ids[1]), undefined);
  pending.rejectAll(() => new RequestError("offline", "lost"));
  const errors = await Promise.all([replies[0], replies[2]].map((reply) => reply.catch((error) => error)));
  assert.ok(errors.every((error) => error.isOffline));
  assert.notEqual(errors[0], errors[1]);
});

test("a request without a reply times out", async () => {
  const pending = new PendingRequests();
  await assert.rejects(pending.add(pending.nextId(), { timeout: 0, isBinary: false }), (error) => error.isTimeout && error.isUnanswered);
  assert.equal(pending.oldest({ isBinary: false }), undefined);
});

test("a topic is subscribed when ready, renewed, and left with its last subscription", async () => {
  const sent = [];
  let isReady = false;
  const request = async (method, params) => {
    sent.push([method, params]);
    return { snapshot: 7 };
  };
  const subscriptions = new Subscriptions({ request, isReady: () => isReady });
  const seen = [];
  const one = subscriptions.add("share/1", { snapshot: (value) => seen.push(value), push: (data) => seen.push(data) }, { share: "1.x" });
  assert.deepEqual(sent, []);
  isReady = true;
  subscriptions.renew();
  await settled();
  assert.deepEqual(sent, [["subscribe", { topic: "share/1", share: "1.x" }]]);
  subscriptions.push({ topic: "share/1", data: "a" });
  assert.deepEqual(seen, [7, "a"]);
  const two = subscriptions.add("share/1", {});
  one.close();
  assert.equal(sent.length, 2);
  two.close();
  assert.deepEqual(sent[2], ["unsubscribe", { topic: "share/1" }]);
});

test("an error reaches the handlers, except that of a lost connection", async () => {
  const errors = [];
  for (const code of ["offline", 1003]) {
    const subscriptions = new Subscriptions({ request: async () => { throw new RequestError(code, ""); }, isReady: () => true });
    subscriptions.add("share/1", { error: (error) => errors.push(error.code) });
  }
  await settled();
  assert.deepEqual(errors, [1003]);
});
