import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { beginAttempt, takeAttempt } from "../../../Sources/WebApp/account/providerattempt.js";
import { MemoryStorage } from "../../../Sources/WebApp/client/credentials.js";

const google = { name: "google", label: "Google", purpose: "login", next: "/map" };

test("an attempt keeps its secret in the tab, and only the hash goes out", async () => {
  const storage = new MemoryStorage();
  const path = await beginAttempt(google, { storage });
  const [, hash] = path.match(/^\/openid\/google\/start\?secret=([\w-]{43})$/);
  const { secret, ...rest } = takeAttempt(storage);
  assert.deepEqual(rest, google);
  assert.match(secret, /^[\w-]{43}$/);
  assert.equal(hash, createHash("sha256").update(secret).digest("base64url"));
  assert.equal(takeAttempt(storage), null);
});

test("two attempts have different secrets, and what is kept badly is no attempt", async () => {
  const storage = new MemoryStorage();
  const paths = [await beginAttempt(google, { storage }), await beginAttempt(google, { storage })];
  assert.notEqual(paths[0], paths[1]);
  for (const kept of ["", "{", "null", "[]", '{"secret":1}']) {
    storage.setItem("campanile.openid", kept);
    assert.equal(takeAttempt(storage), null);
  }
});

test("a page without hashes says what to do instead of sending a secret", async () => {
  const crypto = { getRandomValues: (bytes) => bytes };
  await assert.rejects(beginAttempt(google, { storage: new MemoryStorage(), crypto }), /https address to continue with Google/);
});
