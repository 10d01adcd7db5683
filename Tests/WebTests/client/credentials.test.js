import assert from "node:assert/strict";
import { test } from "node:test";
import { Credentials, MemoryStorage } from "../../../Sources/WebApp/client/credentials.js";
import { FakeServer } from "./fakes.js";

const anna = { id: 7, username: "anna" };

function signedIn(storage, token, account) {
  const credentials = new Credentials(storage);
  Object.assign(credentials, { token, account });
  return credentials;
}

test("a token that replaces another one is stored, and used by every program of the account that shares the storage", () => {
  const storage = new MemoryStorage();
  const one = signedIn(storage, "first", anna);
  const other = new Credentials(storage);
  one.rotated("first", "second");
  assert.deepEqual([one.token, other.token, new Credentials(storage).token], ["second", "second", "second"]);
  one.rotated("second", "third");
  one.rotated("third", "fourth");
  assert.equal(other.token, "fourth");
});

test("a program takes over no token of another account, and its own token does not replace that account's", () => {
  const storage = new MemoryStorage();
  const one = signedIn(storage, "first", anna);
  signedIn(storage, "other", { id: 8, username: "ben" });
  assert.equal(one.token, "first");
  one.rotated("first", "second");
  assert.deepEqual([one.token, storage.getItem("campanile.token")], ["second", "other"]);
  storage.removeItem("campanile.token");
  one.rotated("second", "third");
  assert.deepEqual([one.token, storage.getItem("campanile.token")], ["third", null]);
});

test("a sign-out leaves the sign-in of another account, which another program has made meanwhile, and removes its own", () => {
  const storage = new MemoryStorage();
  const one = signedIn(storage, "first", anna);
  const ben = { id: 8, username: "ben" };
  const other = signedIn(storage, "other", ben);
  Object.assign(one, { token: null, account: null });
  assert.deepEqual([one.token, one.account], [null, null]);
  const next = new Credentials(storage);
  assert.deepEqual([next.token, next.account], ["other", ben]);
  // As a guest learns at each connection.
  one.account = null;
  assert.deepEqual(new Credentials(storage).account, ben);
  Object.assign(other, { token: null, account: null });
  assert.deepEqual([storage.getItem("campanile.token"), storage.getItem("campanile.account")], [null, null]);
});

test("a client asks for rotation, and sends the token that a reply brings from then on", async () => {
  const server = new FakeServer();
  server.account = anna;
  const client = await server.connected({ token: "first" });
  assert.equal(server.socket.requests("hello")[0].rotates, true);
  server.answers.hello = ({ token }) => ({ account: anna, campus: {}, version: "1", ...(token === "first" && { token: "second" }) });
  for (const expected of ["first", "second", "second"]) {
    server.socket.end(1006);
    await server.scheduler.pass(1_000);
    await server.open();
    assert.equal(server.socket.requests("hello")[0].token, expected);
  }
  assert.equal(client.token, "second");
  client.close();
});
