import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FakeServer, settled } from "./fakes.js";

const vectors = (name) => JSON.parse(readFileSync(new URL(`../../Vectors/${name}.json`, import.meta.url), "utf8"));
const bytes = (hex) => new Uint8Array((hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16))).buffer;
const cell = "cell/17/33614/48629";

/** A client with a view of `topics`, and a request in flight. */
async function viewing(topics = [cell]) {
  const server = new FakeServer();
  server.answers["positions.view"] = ({ box }) => ({ topics: box ? topics : [] });
  const client = await server.connected();
  const positions = client.positions([42.05, -87.68, 42.06, -87.67], 17);
  await server.scheduler.pass(1_000);
  return { server, client, positions };
}

test("text that is not the protocol is ignored, and requests after it are answered", async () => {
  const { server, client, positions } = await viewing();
  const receive = (data) => server.socket.onmessage({ data });
  const values = [null, 0, "x", [], {}, [null, 7, [], { id: null }], { id: 1 }, { id: {}, result: 1 },
    { id: 99, error: null }, { id: null, error: 5 },
    { method: "push" }, { method: "push", params: null }, { method: "push", params: { topic: 7 } },
    { method: "push", params: { topic: cell } },
    ...[null, 5, {}, { type: "positions" }, { type: "positions", full: true, runners: 7, left: "x" }, { type: "counts", clusters: {} },
      { type: "positions", full: true, runners: [null, 1, {}], left: [null, {}] }, { type: "counts", clusters: [null] }]
      .map((data) => ({ method: "push", params: { topic: cell, data } })),
    { method: "push", params: { topic: "x", offset: "1", epoch: {} } }];
  for (const text of ["", "{", "\u0000", "[[[[", ...values.map((value) => JSON.stringify(value))]) receive(text);
  receive(undefined);
  receive(new Uint8Array([1, 2, 3]));
  receive({});
  server.answers["campus.info"] = () => ({ name: "North" });
  assert.equal((await client.request("campus.info")).name, "North");
  assert.equal(client.state, "live");
  positions.close();
  client.close();
});

test("errors of any form reject the request, and nothing else", async () => {
  for (const error of [{}, { code: "x" }, { code: 1, message: {} }, { code: 1005, message: null, data: 7 }, true]) {
    const server = new FakeServer();
    server.answers["campus.info"] = () => ({ error });
    const client = await server.connected();
    const failure = await client.request("campus.info").catch((one) => one);
    assert.equal(failure.name, "RequestError");
    assert.equal(typeof failure.message, "string");
    client.close();
  }
});

test("a hello of any form is a failure that is tried again", async () => {
  for (const hello of [null, 7, [], "x"]) {
    const server = new FakeServer();
    server.answers.hello = () => ({ result: hello }).result;
    const client = server.client();
    client.connect();
    await server.open();
    assert.notEqual(client.state, "closed");
    client.close();
  }
});

test("binary frames that are cut, changed or refused by the server's decoders never throw, and the view is sent again", async () => {
  const { server, positions, client } = await viewing(["cell/17/33614/48630", cell]);
  const frames = [...vectors("positions"), ...vectors("counts")].flat().map(({ frame }) => frame);
  const { pictures, replies } = vectors("strict");
  frames.push(...[pictures, replies].flatMap(({ refused }) => refused.map(({ frame }) => frame)), "", "50", "5001", "ff".repeat(40));
  for (const frame of frames) {
    for (let cut = 0; cut <= frame.length; cut += 2) server.socket.onmessage({ data: bytes(frame.slice(0, cut)) });
    for (let at = 0; at < Math.min(frame.length, 80); at += 2) {
      server.socket.onmessage({ data: bytes(`${frame.slice(0, at)}ff${frame.slice(at + 2)}`) });
    }
  }
  const views = server.socket.requests("positions.view").length;
  await server.scheduler.pass(5_000);
  assert.ok(server.socket.requests("positions.view").length > views);
  assert.equal(client.state, "live");
  positions.close();
  client.close();
});

test("an exception of a handler does not disturb the connection, and is not swallowed", async () => {
  const server = new FakeServer();
  const client = await server.connected();
  const thrown = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => thrown.push(error.message));
  const seen = [];
  client.subscribe("heatmap", { snapshot() { throw new Error("mine"); }, push: (data) => seen.push(data) });
  await settled();
  await settled();
  server.socket.push({ topic: "heatmap", data: 1 });
  await settled();
  process.removeAllListeners("uncaughtException");
  for (const listener of listeners) process.on("uncaughtException", listener);
  assert.deepEqual([thrown, seen, client.state], [["mine"], [1], "live"]);
  client.close();
});
