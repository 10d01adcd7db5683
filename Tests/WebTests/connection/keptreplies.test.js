import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { keptAt } from "../../../Sources/WebApp/connection/keptage.js";
import { KeptReplies } from "../../../Sources/WebApp/connection/keptreplies.js";
import { keptMillisecondsMax } from "../../../Sources/WebApp/connection/kepttable.js";
import { WebClient } from "../../../Sources/WebApp/connection/webclient.js";
import { fakeIndexedDB } from "./fakedatabase.js";

const rows = () => /** @type {any} */ (globalThis.indexedDB).databases.get("campanile-kept").replies.rows.size;
beforeEach(() => { globalThis.indexedDB = /** @type {any} */ (fakeIndexedDB()); });

test("a reply is kept with its age, of the account that is signed in, and own sessions alone", async () => {
  const replies = new KeptReplies();
  replies.use(7);
  replies.put(7, "goals.get", {}, { kilometres: 30 });
  replies.put(8, "goals.get", {}, { kilometres: 40 });
  for (const id of [7, 8]) replies.put(7, "tracking.session", { session: id }, { session: { owner: { id } } });
  const goal = await replies.get("goals.get", {});
  assert.equal(goal.kilometres, 30);
  assert.ok(keptAt(goal) > 0);
  assert.ok(await replies.get("tracking.session", { session: 7 }));
  assert.equal(await replies.get("tracking.session", { session: 8 }), null);
});

test("a sign-out removes the replies of its account, and none of one that has signed in in another tab", async () => {
  const [stale, other] = [new KeptReplies(), new KeptReplies()];
  stale.use(7);
  stale.put(7, "goals.get", {}, { kilometres: 30 });
  await stale.get("goals.get", {});
  other.use(8);
  other.put(8, "goals.get", {}, { kilometres: 40 });
  await other.get("goals.get", {});
  stale.use(null);
  await stale.forgetAccount(7);
  assert.equal((await other.get("goals.get", {})).kilometres, 40);
  other.use(null);
  await other.forgetAccount(8);
  assert.equal(rows(), 0);
});

test("old replies are removed when the next page starts", async () => {
  const replies = new KeptReplies();
  replies.use(7);
  replies.put(7, "goals.get", {}, { kilometres: 30 });
  await replies.get("goals.get", {});
  const now = Date.now();
  mock.method(Date, "now", () => now + keptMillisecondsMax + 1);
  const next = new KeptReplies();
  next.use(7);
  await next.get("goals.get", {});
  mock.restoreAll();
  assert.equal(rows(), 0);
});

test("a kept reply is not returned after a change of the account", async () => {
  const client = new WebClient("ws://fake", { isOnline: () => false });
  let account = { id: 7 };
  Object.defineProperty(client, "account", { get: () => account });
  Object.defineProperty(client, "state", { get: () => "offline" });
  client.replies = /** @type {any} */ ({ get: async () => {
    queueMicrotask(() => { account = { id: 8 }; });
    return { kilometres: 30 };
  } });
  await assert.rejects(client.read("goals.get", { timeZone: "UTC" }), /offline/);
});
