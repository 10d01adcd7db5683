import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { settled } from "../client/fakes.js";

/** `Object.keys` of a browser's storage gives its keys. */
class FakeStorage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = String(value); }
  removeItem(key) { delete this[key]; }
}

const page = new EventTarget();
globalThis.addEventListener = /** @type {any} */ (page.addEventListener.bind(page));
const { NoticeFeed } = await import("../../../Sources/WebApp/notices/feed.js");

/** A connection whose requests are answered by the test, each when it says so. */
class FakeNet extends EventTarget {
  account = null;
  returning = null;
  state = "live";
  clock = { now: () => 1_800_000_000_000 };
  lists = [];
  topic = null;
  handlers = null;

  subscribe(topic, handlers, { since }) {
    Object.assign(this, { topic, handlers });
    since();
    return { close() {} };
  }

  request(method) {
    if (method !== "notices.list") return Promise.resolve({ unread: 0 });
    return new Promise((resolve) => { this.lists.push((...notices) => { resolve({ notices, unread: notices.length }); }); });
  }

  become(id) {
    this.account = id === null ? null : { id };
    this.dispatchEvent(new Event("account"));
  }

  push(data, offset) {
    this.handlers.publication(data, { epoch: 1, offset }, { isRecovered: false });
  }

  recover(data, offset) {
    this.handlers.publication(data, { epoch: 1, offset }, { isRecovered: true });
  }

  caughtUp(offset) {
    this.handlers.caughtUp({ epoch: 1, offset });
  }
}

const notice = (number, more = {}) => ({
  type: "notice", number, revision: 1, at: new Date(1_799_999_000_000 + number).toISOString(), level: "info", to: { kind: "campus" },
  title: `n${number}`, ...more,
});

/** A feed, and what it reported as new: `n5`, `n5 corrected`, or `n5 missed` for a notice from before the subscription. */
function follow(net = new FakeNet()) {
  const feed = new NoticeFeed(net);
  const seen = [];
  feed.addEventListener("arrived", (event) => {
    const { notices, isLive } = /** @type {CustomEvent} */ (event).detail;
    for (const one of notices) seen.push(one.notice.title + (one.isCorrection ? " corrected" : "") + (isLive ? "" : " missed"));
  });
  return { net, feed, seen };
}

/** A person who was a guest and has logged in: notice 1 is known, the list is loaded. */
async function loggedIn() {
  const all = follow();
  const { net } = all;
  net.recover(notice(1, { level: "emergency" }), 1);
  net.caughtUp(1);
  net.become(7);
  assert.equal(net.topic, "notices");
  net.recover(notice(1, { level: "emergency" }), 1);
  net.caughtUp(1);
  net.lists[0](notice(1, { level: "emergency" }));
  await settled();
  return all;
}

beforeEach(() => { globalThis.localStorage = /** @type {any} */ (new FakeStorage()); });

test("a notice is reported once, also when a list that was requested before has it first", async () => {
  const { net, feed, seen } = await loggedIn();
  feed.load();
  net.lists[1](notice(2), notice(1));
  await settled();
  assert.equal(feed.unread, 2);
  assert.deepEqual(seen, []);
  net.push(notice(2), 2);
  net.push(notice(2), 2);
  assert.deepEqual(seen, ["n2"]);
});

test("a correction is reported once, also when a list has it first; an older revision that follows is not", async () => {
  const { net, feed, seen } = await loggedIn();
  net.push(notice(2), 2);
  feed.load();
  net.lists[1](notice(2, { revision: 3, title: "third" }), notice(1));
  await settled();
  net.push(notice(2, { revision: 2, title: "second" }), 3);
  net.push(notice(2, { revision: 3, title: "third" }), 4);
  net.push(notice(2, { revision: 3, title: "third" }), 4);
  assert.deepEqual(seen, ["n2", "third corrected"]);
});

test("a notice that was read in the list before it was pushed is not reported", async () => {
  const { net, feed, seen } = await loggedIn();
  feed.load();
  net.lists[1](notice(2), notice(1));
  await settled();
  feed.read([2]);
  net.push(notice(2), 2);
  assert.deepEqual(seen, []);
});

test("a notice that another tab stored first is reported in this tab as well, once", async () => {
  const { net, feed, seen } = await loggedIn();
  const stored = JSON.parse(localStorage.getItem("campanile.notices.7"));
  const event = Object.assign(new Event("storage"), {
    key: "campanile.notices.7", newValue: JSON.stringify({ ...stored, items: [...stored.items, notice(2)] }),
  });
  page.dispatchEvent(event);
  assert.equal(feed.unread, 2);
  net.push(notice(2), 2);
  assert.deepEqual(seen, ["n2"]);
});

test("a notice that only a list had is reported after a reload, when it is recovered; known ones are not", async () => {
  const { net, feed } = await loggedIn();
  net.push(notice(2), 2);
  feed.load();
  net.lists[1](notice(3), notice(2), notice(1));
  await settled();
  const again = new FakeNet();
  again.account = { id: 7 };
  const { seen } = follow(again);
  for (const number of [2, 3]) again.recover(notice(number), number);
  again.caughtUp(3);
  assert.deepEqual(seen, ["n3 missed"]);
});
