import "../navigator.js";
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { retryDelay } from "../../../Sources/WebApp/client/backoff.js";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { settled } from "../client/fakes.js";

delete globalThis.BroadcastChannel;
const { Sender } = await import("../../../Sources/WebApp/chat/sender.js");
const { nextEntries } = await import("../../../Sources/WebApp/chat/sendplan.js");

/** A server whose conversation 1 fails for the moment until `isBusy` is false. */
class FakeNet extends EventTarget {
  state = "live";
  account = { id: 7 };
  clock = { toServer: (time) => time };
  isBusy = true;
  isLimited = false;
  sent = [];

  async request(_method, { conversation, text }) {
    this.sent.push(`${conversation} ${text}`);
    if (this.isLimited) throw new RequestError(errorCodes.rateLimited, "later", { retryAfter: 5 });
    if (conversation === 1 && this.isBusy) throw new RequestError(errorCodes.unavailable, "later");
    return { offset: 1 };
  }
}

let net, sender;
const quiet = async () => { for (let turn = 0; turn < 20; turn += 1) await settled(); };
beforeEach(async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  net = new FakeNet();
  sender = new Sender(net);
  await sender.use(7);
});
afterEach(() => mock.timers.reset());

test("a conversation that fails for the moment holds up its own messages and no others", async () => {
  for (const [conversation, text] of [[1, "a"], [1, "b"], [2, "c"], [2, "d"]]) await sender.add({ conversation, text });
  await quiet();
  assert.deepEqual(net.sent, ["1 a", "2 c", "2 d"]);
  net.isBusy = false;
  mock.timers.tick(retryDelay(0));
  await quiet();
  assert.deepEqual(net.sent.slice(3), ["1 a", "1 b"]);
  assert.deepEqual(sender.entries, []);
});

test("the waits of a conversation double, and a connection that is new ends them", async () => {
  await sender.add({ conversation: 1, text: "a" });
  await quiet();
  mock.timers.tick(retryDelay(0));
  await quiet();
  assert.equal(net.sent.length, 2);
  mock.timers.tick(retryDelay(1) - 1);
  await quiet();
  assert.equal(net.sent.length, 2);
  net.isBusy = false;
  net.dispatchEvent(new Event("state"));
  await quiet();
  assert.equal(net.sent.length, 3);
  assert.deepEqual(sender.entries, []);
});

test("after a rate limit each conversation waits as long as the server says", async () => {
  net.isLimited = true;
  await sender.add({ conversation: 2, text: "a" });
  await quiet();
  await sender.add({ conversation: 3, text: "b" });
  await quiet();
  // A conversation that had nothing to send finds out by itself.
  assert.deepEqual(net.sent, ["2 a", "3 b"]);
  mock.timers.tick(4_999);
  await quiet();
  assert.equal(net.sent.length, 2);
  net.isLimited = false;
  mock.timers.tick(1);
  await quiet();
  assert.deepEqual(net.sent.slice(2), ["2 a", "3 b"]);
});

test("four conversations are sent to at the same time, besides those that wait", () => {
  const entries = [1, 2, 3, 4, 5, 6, 7].map((conversation) => ({ conversation, order: conversation }));
  const numbers = (busy, held) => nextEntries(entries, new Set(busy), new Map(held.map((one) => [one, 0]))).map((one) => one.conversation);
  assert.deepEqual(numbers([], []), [1, 2, 3, 4]);
  assert.deepEqual(numbers([1], [2, 3]), [4, 5, 6]);
});
