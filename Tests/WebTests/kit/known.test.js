import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { KnownPeople } from "../../../Sources/WebApp/kit/known.js";
import { settled } from "../client/fakes.js";

class FakeNet extends EventTarget {
  account = { id: 7, username: "ada" };
  state = "live";
  people = [{ account: 7, username: "ada", name: "Ada Lovelace", picture: "p1" }, { account: 8, username: "ben", name: "Ben Castro" }];
  request = async () => ({ people: this.people });
  subscribe(_topic, on) {
    this.on = on;
    return { close() {} };
  }
  become(account) {
    this.account = account;
    this.dispatchEvent(new Event("account"));
  }
}

let stored;
beforeEach(() => {
  stored = new Map();
  globalThis.localStorage = /** @type {any} */ ({
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: (key) => stored.delete(key),
  });
});

test("the account's own name is its username until it is known, and then the name that others see", async () => {
  const net = new FakeNet();
  const known = new KnownPeople(net);
  assert.deepEqual(known.own, { account: 7, username: "ada", name: "ada" });
  await known.load();
  assert.equal(known.own.name, "Ada Lovelace");
  assert.equal(known.own.picture, "p1");
  assert.equal(known.nameOf("ben"), "Ben Castro");
});

test("the next page begins with the name, and a sign-out removes it", async () => {
  const net = new FakeNet();
  await new KnownPeople(net).load();
  const known = new KnownPeople(net);
  assert.equal(known.own.name, "Ada Lovelace");
  net.become(null);
  assert.equal(known.own, null);
  assert.deepEqual([...stored.keys()], []);
});

test("where storage is blocked the name is known all the same", async () => {
  const refuse = () => { throw new Error("blocked"); };
  globalThis.localStorage = /** @type {any} */ ({ getItem: refuse, setItem: refuse, removeItem: refuse });
  const net = new FakeNet();
  const known = new KnownPeople(net);
  net.on.snapshot();
  await settled();
  assert.equal(known.own.name, "Ada Lovelace");
});

test("people that this browser kept are known when the features bring the replies, and not after a sign-out", async () => {
  const net = /** @type {any} */ (new FakeNet());
  const known = new KnownPeople(net);
  await settled();
  assert.equal(known.nameOf("ben"), "ben");
  net.replies = { get: async () => ({ people: net.people }) };
  net.dispatchEvent(new Event("replies"));
  await settled();
  assert.equal(known.nameOf("ben"), "Ben Castro");
  net.become(null);
  net.dispatchEvent(new Event("replies"));
  await settled();
  assert.equal(known.nameOf("ben"), "ben");
});
