import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { StorageMark } from "../../../Sources/WebApp/connection/storagemark.js";
import { FakeStorage, fakeIndexedDB } from "./fakedatabase.js";

let storage;
let databases;
beforeEach(() => {
  globalThis.indexedDB = /** @type {any} */ (fakeIndexedDB());
  ({ databases } = /** @type {any} */ (globalThis.indexedDB));
  storage = new FakeStorage();
});

test("what the browser removed is found once: the databases with what waited there, or the other store", async () => {
  const mark = new StorageMark(storage);
  assert.equal(await mark.check(7), null);
  mark.note(7, "2 messages");
  assert.equal(await mark.check(7), null);
  databases.get("campanile-mark").marks.rows.clear();
  assert.deepEqual(await mark.check(7), { store: "databases", waited: "2 messages" });
  assert.equal(await mark.check(7), null);
  for (const key of Object.keys(storage)) storage.removeItem(key);
  assert.deepEqual(await mark.check(null), { store: "local", waited: "" });
  assert.equal(await mark.check(null), null);
});

test("a page that starts while an account is forgotten sees no loss", async () => {
  const mark = new StorageMark(storage);
  await mark.check(7);
  const forgetting = mark.forget(7);
  assert.equal(Object.keys(storage).length, 1, "removed before the mark of the database");
  assert.equal(await new StorageMark(storage).check(null), null);
  await forgetting;
  assert.deepEqual(Object.keys(storage), []);
  assert.equal(await mark.check(null), null);
});
