import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { MemoryStorage } from "../../../Sources/WebApp/client/campanile.js";
import { closeCodes } from "../../../Sources/WebApp/client/registry.js";
import { afterClose, retryDelay } from "../../../Sources/WebApp/client/backoff.js";
import { FakeServer, settled } from "./fakes.js";

test("a client says hello, is live, and answers requests by their id", async () => {
  const server = new FakeServer();
  server.answers["campus.info"] = () => ({ id: 1, name: "North" });
  const client = server.client({ client: { name: "test", version: "7" } });
  const states = [];
  client.addEventListener("state", () => states.push(client.state));
  assert.equal(client.state, "closed");
  client.connect();
  client.connect();
  assert.equal(server.sockets.length, 1);
  await server.open();
  assert.deepEqual(states, ["reconnecting", "live"]);
  assert.deepEqual(server.socket.requests("hello"), [{ client: { name: "test", version: "7" }, protocolVersion: 1 }]);
  assert.equal((await client.request("campus.info")).name, "North");
  assert.equal(client.campus.name, "C");
  client.close();
  assert.equal(client.state, "closed");
  assert.equal(server.scheduler.timers, 0);
});

test("a request waits for the connection, up to 8 seconds", async () => {
  const server = new FakeServer();
  const client = server.client();
  client.connect();
  const failed = client.request("campus.info").catch((error) => error);
  await server.scheduler.pass(8_000);
  assert.ok((await failed).isOffline);
  client.close();
  const closed = client.request("campus.info").catch((error) => error);
  client.close();
  assert.ok((await closed).isOffline);
});

test("a lost connection is opened again with growing random delays, and a stable one begins anew", async () => {
  const random = mock.method(Math, "random", () => 0.999999);
  const server = new FakeServer();
  const client = await server.connected();
  const delays = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    server.socket.end(1006);
    delays.push(client.nextAttemptAt - server.scheduler.time);
    await server.scheduler.pass(delays.at(-1));
  }
  assert.deepEqual(delays, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  await server.open();
  assert.equal(client.state, "live");
  await server.scheduler.pass(10_001);
  server.socket.end(1006);
  assert.equal(client.nextAttemptAt - server.scheduler.time, 500);
  assert.equal(client.state, "reconnecting");
  client.close();
  random.mock.restore();
});

test("close codes decide: give up, wait for the restart, or connect at once", async () => {
  for (const { code, reconnect } of Object.values(closeCodes)) {
    const { action } = afterClose(code, 0, () => 0.5);
    assert.equal(action, { never: "giveUp", afterSignIn: "signOut" }[reconnect] ?? "retry", `${code}`);
  }
  assert.deepEqual(["restart; reconnect-after-ms=1234", "restart", "reconnect-after-ms=99999999999"]
    .map((reason) => afterClose(1012, 0, () => 0.5, reason).delay), [1_234, 2_500, 300_000]);
  assert.deepEqual([afterClose(4008, 0, () => 0.5).delay, afterClose(4008, 2, () => 0.5).delay], [0, 1_000]);
  assert.deepEqual([retryDelay(0), retryDelay(3), retryDelay(40), retryDelay(0, 2.5), retryDelay(0, 1e12)],
    [1_000, 8_000, 30_000, 2_500, 300_000]);

  const server = new FakeServer();
  const client = await server.connected();
  server.socket.end(1008);
  assert.deepEqual([client.state, client.gaveUp, client.nextAttemptAt], ["offline", true, null]);
  await server.scheduler.pass(600_000);
  assert.equal(server.sockets.length, 1);
  client.connect();
  await server.open();
  assert.deepEqual([client.state, client.gaveUp], ["live", false]);
  server.socket.end(1012, "restart; reconnect-after-ms=700");
  client.retryNow();
  await server.scheduler.pass(699);
  assert.equal(server.sockets.length, 2);
  await server.scheduler.pass(1);
  assert.equal(server.sockets.length, 3);
  client.close();
});

test("a silent connection is asked, doubted, and replaced", async () => {
  const server = new FakeServer();
  const client = await server.connected();
  server.answers.ping = () => undefined;
  await server.scheduler.pass(5_000);
  assert.equal(server.socket.requests("ping").length, 1);
  await server.scheduler.pass(3_000);
  assert.equal(client.state, "reconnecting");
  server.socket.push({ topic: "none", data: {} });
  assert.equal(client.state, "live");
  await server.scheduler.pass(20_000);
  assert.equal(server.sockets.length > 1, true);
  client.close();
});

test("a handshake without an answer is given up after ten seconds, and 20 seconds without a connection are offline", async () => {
  const server = new FakeServer();
  const client = server.client();
  client.connect();
  await server.scheduler.pass(9_999);
  assert.equal(server.sockets.length, 1);
  await server.scheduler.pass(10_001);
  assert.ok(server.sockets.length > 1);
  assert.equal(client.state, "offline");
  client.close();
});

test("a token is used and kept; when it is revoked, the client is a guest", async () => {
  const server = new FakeServer();
  const storage = new MemoryStorage();
  server.account = { id: 7, username: "anna" };
  server.answers["account.login"] = () => ({ account: server.account, token: "secret", device: "known" });
  const client = await server.connected({ storage });
  const events = [];
  for (const name of ["account", "signingOut", "signedOut"]) {
    client.addEventListener(name, ({ detail }) => events.push([name, client.account?.id ?? null, detail?.cause ?? null]));
  }
  await client.signIn("account.login", { email: "a@b.c", password: "Secret123" });
  assert.deepEqual([client.account.id, client.token], [7, "secret"]);
  server.socket.end(1006);
  await server.scheduler.pass(1_000);
  await server.open();
  assert.equal(server.socket.requests("hello")[0].token, "secret");
  server.socket.end(4003, "signed out; cause=disabled");
  assert.deepEqual([client.account, client.token], [null, null]);
  assert.deepEqual(events, [["account", 7, null], ["signingOut", 7, "disabled"], ["account", null, null], ["signedOut", null, "disabled"]]);
  assert.equal(storage.getItem("campanile.device"), "known");
  client.close();

  // Revoked while the client was away.
  const away = server.client({ token: "old" });
  server.answers.hello = ({ token }) => (token ? { error: { code: 1001, message: "no", data: { field: "token" } } }
    : { campus: {}, version: "1" });
  away.connect();
  await server.open();
  await server.open();
  assert.deepEqual([away.state, away.token], ["live", null]);
  away.close();
});

test("requests that were sent when the connection is lost are rejected, and a late reply is ignored", async () => {
  const server = new FakeServer();
  const client = await server.connected();
  const failed = client.request("campus.info").catch((error) => error);
  await settled();
  server.socket.end(1006);
  assert.ok((await failed).isUnanswered);
  await server.scheduler.pass(1_000);
  await server.open();
  const late = client.request("campus.info", {}, { timeout: 50 }).catch((error) => error);
  await server.scheduler.pass(60);
  assert.ok((await late).isTimeout);
  client.close();
});

test("an error has the server's message, or the program's words for it", async () => {
  const server = new FakeServer();
  server.answers["chat.list"] = () => ({ error: { code: 1005, message: "slow down", data: { retryAfter: 3 } } });
  const client = await server.connected({ messageOf: ({ code, message }) => `${code}: ${message}` });
  const error = await client.request("chat.list").catch((one) => one);
  assert.deepEqual([error.message, error.isRateLimited, error.isTransient, error.data.retryAfter], ["1005: slow down", true, true, 3]);
  client.close();
});

test("an account that a reply describes again changes only by its values, not by their order, and never becomes another one", async () => {
  const server = new FakeServer();
  server.answers["account.login"] = () => ({ account: { id: 7, username: "anna", email: "a@b.c" }, token: "secret" });
  const client = await server.connected();
  await client.signIn("account.login", { email: "a@b.c", password: "Secret123" });
  let events = 0;
  client.addEventListener("account", () => { events += 1; });
  client.accountChanged({ email: "a@b.c", username: "anna", id: 7 });
  assert.equal(events, 0);
  client.accountChanged({ email: "new@b.c", username: "anna", id: 7 });
  assert.deepEqual([events, client.account.email], [1, "new@b.c"]);
  client.accountChanged({ email: "a@b.c", username: "bert", id: 8 });
  assert.deepEqual([events, client.account.id], [1, 7]);
  client.close();
});
