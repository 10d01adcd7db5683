// The list of shares to stop: stored for each account, and merged with the lists of other tabs.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { StopList } from "../../../Sources/WebApp/sharing/stoplist.js";

const key = "campanile.sharesToStop.7";
let stored;

beforeEach(() => {
  stored = new Map();
  globalThis.localStorage = {
    getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => stored.set(name, value), removeItem: (name) => stored.delete(name),
  };
});

function listOf(account) {
  const list = new StopList();
  list.use(account);
  return list;
}

test("a list survives the page, and each account has its own", () => {
  listOf(7).add(1);
  assert.equal(listOf(7).includes(1), true);
  assert.equal(listOf(8).isEmpty, true);
  assert.equal(listOf(null).isEmpty, true);
});

test("all stands for every share", () => {
  const list = listOf(7);
  list.add("all");
  assert.equal(list.includes(12), true);
  list.settle("all");
  assert.equal(list.includes(12), false);
  assert.equal(stored.has(key), false);
});

test("an addition keeps the shares that another tab stored", () => {
  const [one, other] = [listOf(7), listOf(7)];
  one.add(1);
  other.add(2);
  assert.deepEqual([...listOf(7).ids], [1, 2]);
  one.settle(1);
  assert.deepEqual([...listOf(7).ids], [2]);
});

test("a merge takes over additions and settled shares of another tab", () => {
  const list = listOf(7);
  list.add(1);
  stored.set(key, "[2]");
  assert.deepEqual(list.merge({ key, oldValue: "[1]", newValue: "[2]" }), [1]);
  assert.deepEqual([...list.ids], [2]);
  assert.equal(list.merge({ key: "something.else", oldValue: null, newValue: "[3]" }), null);
});

test("a merge stores an own share that the other tab did not know", () => {
  const list = listOf(7);
  list.add(1);
  stored.set(key, "[2]");
  assert.deepEqual(list.merge({ key, oldValue: null, newValue: "[2]" }), []);
  assert.deepEqual(JSON.parse(stored.get(key)).sort(), [1, 2]);
});

test("a list that cannot be read is empty", () => {
  stored.set(key, "{");
  assert.equal(listOf(7).isEmpty, true);
});
