import assert from "node:assert/strict";
import { test } from "node:test";
import { cellTopic } from "../../../Sources/WebApp/client/campanile.js";
import { FakeServer } from "./fakes.js";

const here = { lat: 51.5, lon: 8 };
const topic = cellTopic(here.lat, here.lon, 15);
const runner = (session, more) => ({
  session, name: `r${session}`, state: "moving", ...here, at: "2026-01-01T00:00:00.000Z", elapsed: 10, rate: 1, ...more,
});

async function viewing() {
  const server = new FakeServer();
  server.answers["positions.view"] = ({ box }) => ({ topics: box ? [topic] : [] });
  const client = await server.connected();
  const positions = client.positions([51.49, 7.99, 51.51, 8.01], 15);
  await server.scheduler.pass(500);
  const push = (data) => server.socket.push({ topic, data: { type: "positions", serverTime: "2026-01-01T00:00:00.000Z", ...data } });
  const sessions = () => positions.runners.map(({ session }) => session);
  return { server, client, positions, push, sessions };
}

test("a view is sent, its snapshot is everyone, and changes are announced once a frame", async () => {
  const { server, client, positions, push, sessions } = await viewing();
  assert.deepEqual(server.socket.requests("positions.view"), [{ box: [51.49, 7.99, 51.51, 8.01], zoom: 15, encoding: "binary" }]);
  let changes = 0;
  positions.addEventListener("change", () => { changes += 1; });
  assert.equal(positions.isKnown, false);
  push({ full: true, runners: [runner(1), runner(2)] });
  push({ runners: [runner(3)] });
  await server.scheduler.pass(20);
  assert.deepEqual([sessions(), positions.isKnown, changes], [[1, 2, 3], true, 1]);
  push({ left: [{ session: 1, reason: "hidden" }, { session: 2, reason: "zone" }] });
  assert.deepEqual(sessions(), [2, 3]);
  await server.scheduler.pass(7_000);
  assert.deepEqual(sessions(), [3]);
  positions.close();
  client.close();
  assert.equal(server.scheduler.timers > 0, false);
});

test("counts replace the runners of a cell, and a snapshot ends them", async () => {
  const { positions, client, push, sessions } = await viewing();
  push({ full: true, runners: [runner(1)] });
  push({ type: "counts", clusters: [{ index: 0, count: 70, lat: 51.5, lon: 8 }] });
  assert.deepEqual([sessions(), [...positions.clusters.values()].flat().map(({ count }) => count)], [[], [70]]);
  push({ full: true, runners: [runner(2)] });
  assert.deepEqual([sessions(), positions.clusters.size], [[2], 0]);
  positions.close();
  client.close();
});

test("after a lost connection the view is sent again, and the next snapshot replaces what is known", async () => {
  const { server, client, positions, push, sessions } = await viewing();
  push({ full: true, runners: [runner(1), runner(2)] });
  server.socket.end(1006);
  await server.scheduler.pass(1_000);
  await server.open();
  await server.scheduler.pass(500);
  assert.equal(server.socket.requests("positions.view").length, 1);
  assert.deepEqual(sessions(), [1, 2]);
  push({ full: true, runners: [runner(2)] });
  assert.deepEqual(sessions(), [2]);
  positions.close();
  client.close();
});

test("close() of the client stops the view's timers, and connect() shows the view again", async () => {
  const { server, client, positions, push, sessions } = await viewing();
  push({ full: true, runners: [runner(1), runner(2)] });
  await server.scheduler.pass(100);
  client.close();
  assert.equal(server.scheduler.timers, 0);
  positions.show([51.48, 7.99, 51.51, 8.01], 15);
  assert.deepEqual([server.scheduler.timers, sessions(), positions.isKnown], [0, [1, 2], true]);

  client.connect();
  await server.open();
  await server.scheduler.pass(500);
  assert.deepEqual(server.socket.requests("positions.view").map(({ box }) => box), [[51.48, 7.99, 51.51, 8.01]]);
  push({ full: true, runners: [runner(2)] });
  push({ left: [{ session: 2, reason: "zone" }] });
  await server.scheduler.pass(7_000);
  assert.deepEqual(sessions(), []);
  client.close();
  assert.equal(server.scheduler.timers, 0);
});

test("close() of the client stops the timers of a view whose snapshot is awaited, that was refused, or that was replaced", async () => {
  const waiting = await viewing();
  await waiting.server.scheduler.pass(100);
  waiting.client.close();
  assert.equal(waiting.server.scheduler.timers, 0);

  const refused = await viewing();
  refused.server.answers["positions.view"] = () => ({ error: { code: 1005, message: "later", data: { retryAfter: 60 } } });
  refused.positions.show([51.4, 7.9, 51.6, 8.1], 12);
  await refused.server.scheduler.pass(500);
  await refused.server.scheduler.pass(100);
  assert.equal(refused.positions.problem?.code, 1005);
  refused.client.close();
  assert.equal(refused.server.scheduler.timers, 0);

  const replaced = await viewing();
  replaced.client.positions([51.49, 7.99, 51.51, 8.01], 16);
  await replaced.server.scheduler.pass(500);
  await replaced.server.scheduler.pass(100);
  replaced.client.close();
  assert.equal(replaced.server.scheduler.timers, 0);
});

test("the time of a running session goes on; a paused one's does not", async () => {
  const { server, client, positions } = await viewing();
  const at = client.clock.now() - 4_000;
  assert.equal(Math.round(positions.elapsed(runner(1, { at, rate: 2 }))), 18);
  assert.equal(positions.elapsed(runner(1, { at, state: "paused" })), 10);
  server.socket.end(1006);
  positions.close();
  client.close();
});

test("a snapshot in the same turn as the reply that announces it is not missed, as with ws for Node.js", async () => {
  const server = new FakeServer();
  server.answers["positions.view"] = () => undefined;
  server.answers.subscribe = () => undefined;
  const client = await server.connected();
  const seen = [];
  client.subscribe("campus/notices", { publication: (data) => seen.push(data) });
  const positions = client.positions([51.49, 7.99, 51.51, 8.01], 15);
  await server.scheduler.pass(500);
  const { socket } = server;
  const receive = (message) => socket.onmessage({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const idOf = (name) => JSON.parse(socket.sent.find((message) => JSON.parse(message).method === name)).id;
  receive({ id: idOf("positions.view"), result: { topics: [topic] } });
  receive({ method: "push", params: { topic, data: { type: "positions", full: true, runners: [runner(1)], left: [] } } });
  receive({ id: idOf("subscribe"), result: { topic: "campus/notices", epoch: 1, offset: 4, recovered: false, publications: [] } });
  receive({ method: "push", params: { topic: "campus/notices", epoch: 1, offset: 5, data: "five" } });
  await server.scheduler.pass(10);
  assert.deepEqual([positions.runners.length, seen], [1, ["five"]]);
  positions.close();

  // Replies before the close are taken, too.
  const two = ["campus.info", "places.list"].map((method) => client.request(method).catch((error) => error));
  await server.scheduler.pass(0);
  receive({ id: idOf("campus.info"), result: { name: "North" } });
  receive({ id: idOf("places.list"), result: { places: [] } });
  socket.end(1012);
  assert.deepEqual(await Promise.all(two), [{ name: "North" }, { places: [] }]);
  client.close();
});
