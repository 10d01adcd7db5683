import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryOutbox, MemoryStorage, TrackUploader, encodePoints } from "../../../Sources/WebApp/client/campanile.js";
import { FakeServer, settled } from "./fakes.js";

const account = { id: 7, username: "anna" };

/** A reply to points in binary: all of them stored. */
const stored = (id, count) => new Uint8Array([0x74, 1, id, 0, count, 0, 0, 0, 0, 100, 10, 10, count]).buffer;

/** A signed-in client and an uploader. `isAnswering` says whether points get a reply. */
async function tracking({ outbox = new MemoryOutbox() } = {}) {
  const server = new FakeServer();
  const { scheduler } = server;
  const log = [];
  const state = { isAnswering: true };
  server.account = account;
  const step = (name) => (params) => {
    log.push(name);
    return { session: { id: 9, clientId: params.clientId, state: name === "stop" ? "finished" : "running", distance: 0 } };
  };
  for (const name of ["start", "pause", "resume", "stop"]) server.answers[`tracking.${name}`] = step(name);
  const storage = new MemoryStorage();
  storage.setItem("campanile.account", JSON.stringify(account));
  storage.setItem("campanile.token", "t");
  const client = server.client({ storage });
  const uploader = new TrackUploader(client, { outbox, scheduler });
  const events = [];
  uploader.addEventListener("saved", ({ detail }) => events.push(`saved ${detail.state}`));
  uploader.addEventListener("refused", ({ detail: { error } }) => events.push(`refused: ${error.message}`));
  const connect = async () => {
    client.connect();
    const { socket } = server;
    const send = socket.send.bind(socket);
    socket.send = (message) => {
      send(message);
      if (typeof message === "string") return;
      const [, , id, , count] = message;
      log.push(`points ${count}`);
      if (state.isAnswering) setImmediate(() => socket.onmessage?.({ data: stored(id, count) }));
    };
    await server.open();
    await idle();
  };
  const add = (seconds) => uploader.add({ lat: 51, lon: 8 + seconds * 1e-4, time: scheduler.time + seconds * 1000 });
  return { server, client, uploader, log, events, state, connect, add, outbox };
}

async function idle() {
  for (let turn = 0; turn < 30; turn += 1) await settled();
}

test("what is recorded without a connection is sent in order with it, each fix once", async () => {
  const { client, uploader, log, events, connect, add } = await tracking();
  await uploader.start({ title: "Laps" });
  assert.equal(await add(1), true);
  assert.equal(await add(1), false);
  assert.equal(await add(2), true);
  await uploader.pause();
  assert.equal(await add(3), false);
  await uploader.resume();
  await add(4);
  await uploader.stop();
  assert.deepEqual([uploader.unsent, uploader.isRecording], [7, false]);
  await connect();
  assert.deepEqual(log, ["start", "points 2", "pause", "resume", "points 1", "stop"]);
  assert.deepEqual([uploader.unsent, events], [0, ["saved finished"]]);
  uploader.close();
  client.close();
});

test("points without a reply are kept, and sent again on the next connection", async () => {
  const { server, client, uploader, log, state, connect, add } = await tracking();
  await connect();
  await uploader.start();
  await idle();
  state.isAnswering = false;
  await add(1);
  await add(2);
  await idle();
  assert.deepEqual([log, uploader.unsent], [["start", "points 1"], 2]);
  server.socket.end(1006);
  state.isAnswering = true;
  await server.scheduler.pass(0);
  await connect();
  assert.deepEqual([log, uploader.unsent], [["start", "points 1", "points 2"], 0]);
  await server.scheduler.pass(100);
  assert.equal(log.length, 3);
  uploader.close();
  client.close();
});

test("another run of the program sends what the outbox still has", async () => {
  const outbox = new MemoryOutbox();
  const first = await tracking({ outbox });
  await first.uploader.start();
  await first.add(1);
  first.uploader.close();
  const second = await tracking({ outbox });
  await second.uploader.ready;
  assert.deepEqual([second.uploader.isRecording, second.uploader.unsent], [true, 2]);
  await second.connect();
  await second.add(2);
  await second.uploader.stop();
  await idle();
  assert.deepEqual([second.log, second.uploader.unsent], [["start", "points 1", "points 1", "stop"], 0]);
  second.uploader.close();
  second.client.close();
});

test("after a refusal that passes, the uploader waits for the time that the server gives", async () => {
  const { server, client, uploader, connect, add } = await tracking();
  await connect();
  let attempts = 0;
  server.answers["tracking.start"] = () => {
    attempts += 1;
    return { error: { code: 1006, message: "later", data: { retryAfter: 5 } } };
  };
  await uploader.start();
  await idle();
  await add(1);
  await idle();
  assert.deepEqual([attempts, uploader.problem.isUnavailable], [1, true]);
  await server.scheduler.pass(5_000);
  await idle();
  assert.equal(attempts, 2);
  uploader.close();
  client.close();
});

test("a session that the server refuses for good is forgotten, and its owner is notified", async () => {
  const { server, client, uploader, events, connect, add } = await tracking();
  await connect();
  server.answers["tracking.start"] = () => ({ error: { code: 1008, message: "Not today." } });
  await uploader.start();
  await add(1);
  await idle();
  assert.deepEqual([events, uploader.unsent, uploader.isRecording], [["refused: Not today."], 0, false]);
  uploader.close();
  client.close();
});

test("a guest cannot record, and an outbox that cannot store says so", async () => {
  const server = new FakeServer();
  const guest = new TrackUploader(server.client(), { scheduler: server.scheduler });
  await assert.rejects(guest.start(), (error) => error.isUnauthenticated);
  guest.close();
  const outbox = new MemoryOutbox();
  const { uploader, add } = await tracking({ outbox });
  await uploader.start();
  outbox.save = async () => { throw new Error("full"); };
  await assert.rejects(add(1), (error) => error.code === "notStored");
  uploader.close();
});

test("a frame of points has the form that the fake server reads", () => {
  const [kind, version, id, session, count] = encodePoints(3, 9, [{ seq: 1, lat: 1, lon: 1, time: "2026-01-01T00:00:00Z" }]);
  assert.deepEqual([kind, version, id, session, count], [0x54, 1, 3, 9, 1]);
});
