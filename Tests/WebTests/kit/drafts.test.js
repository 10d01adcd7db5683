import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

/** `Object.keys` of a browser's storage gives its keys. */
class FakeStorage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = String(value); }
  removeItem(key) { delete this[key]; }
}

const listeners = new Map();
globalThis.addEventListener = (type, run) => listeners.set(type, run);
globalThis.removeEventListener = (type, run) => { if (listeners.get(type) === run) listeners.delete(type); };
const { Drafts, DraftTimer } = await import("../../../Sources/WebApp/kit/drafts.js");
const { clearDrafts, readDraft, writeDraft } = await import("../../../Sources/WebApp/chat/drafts.js");

const keys = () => Object.keys(localStorage).sort();
beforeEach(() => { globalThis.localStorage = new FakeStorage(); });

test("a draft is stored under prefix, account and key, and read again", () => {
  const drafts = new Drafts("campanile.eventForm.");
  drafts.write(7, "new", { values: { title: "Run" } });
  assert.equal(localStorage.getItem("campanile.eventForm.7.new"), '{"values":{"title":"Run"}}');
  assert.deepEqual(drafts.read(7, "new"), { values: { title: "Run" } });
  assert.equal(drafts.read(7, 12), null);
  drafts.write(7, "new", null);
  assert.deepEqual(keys(), []);
});

test("a text that is no draft reads as none", () => {
  localStorage.setItem("campanile.eventForm.7.new", "{");
  assert.equal(new Drafts("campanile.eventForm.").read(7, "new"), null);
});

test("as many drafts as allowed are kept, and those can still be changed", () => {
  const drafts = new Drafts("campanile.test.", { most: 2 });
  for (const key of [1, 2, 3]) drafts.write(7, key, { key });
  assert.deepEqual(keys(), ["campanile.test.7.1", "campanile.test.7.2"]);
  drafts.write(7, 2, { key: "other" });
  assert.deepEqual(drafts.read(7, 2), { key: "other" });
});

test("the drafts of one account can be left when all others are removed", () => {
  const drafts = new Drafts("campanile.test.");
  for (const account of [1, 12, 2]) drafts.write(account, "new", {});
  localStorage.setItem("campanile.other.2.new", "{}");
  drafts.clear(1);
  assert.deepEqual(keys(), ["campanile.other.2.new", "campanile.test.1.new"]);
  drafts.clear();
  assert.deepEqual(keys(), ["campanile.other.2.new"]);
});

test("a storage that refuses does not fail the page", () => {
  globalThis.localStorage = { getItem() { throw new Error("blocked"); }, setItem() { throw new Error("full"); } };
  const drafts = new Drafts("campanile.test.");
  assert.equal(drafts.read(1, 1), null);
  drafts.write(1, 1, {});
});

test("a message's draft keeps its text and reply, and is removed when both are empty", () => {
  writeDraft(7, 4, { text: "hello", reply: 12 });
  assert.equal(localStorage.getItem("campanile.draft.7.4"), '{"text":"hello","reply":12}');
  assert.deepEqual(readDraft(7, 4), { text: "hello", reply: 12 });
  writeDraft(7, 4, { text: "  ", reply: 12 });
  assert.deepEqual(readDraft(7, 4), { text: "  ", reply: 12 });
  writeDraft(7, 4, { text: "  " });
  assert.equal(readDraft(7, 4), null);
  writeDraft(7, 4, { text: "hello" });
  writeDraft(8, 4, { text: "hello" });
  clearDrafts(7);
  assert.deepEqual(keys(), ["campanile.draft.7.4"]);
  clearDrafts();
  assert.deepEqual(keys(), []);
});

test("a draft is written once after the last change, and when the page goes", () => {
  mock.timers.enable(["setTimeout"]);
  let writes = 0;
  const timer = new DraftTimer(() => { writes += 1; }, { wait: 100 });
  timer.changed();
  mock.timers.tick(60);
  timer.changed();
  mock.timers.tick(60);
  assert.equal(writes, 0);
  mock.timers.tick(40);
  assert.equal(writes, 1);
  timer.changed();
  listeners.get("pagehide")();
  mock.timers.tick(200);
  assert.equal(writes, 2);
  timer.changed();
  timer.close();
  mock.timers.tick(200);
  assert.equal(writes, 2);
  assert.equal(listeners.has("pagehide"), false);
  mock.timers.reset();
});
