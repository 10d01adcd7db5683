import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { FakeStorage } from "../connection/fakedatabase.js";
import { Network, queue, settle } from "../connection/fakequeue.js";

globalThis.addEventListener ??= /** @type {any} */ (() => {});
globalThis.localStorage = /** @type {any} */ (new FakeStorage());
const { Events } = await import("../../../Sources/WebApp/events/store.js");

const draft = { id: 3, state: "draft", revision: 5, details: { title: "Run" }, mine: { owns: true } };

function offline() {
  const net = /** @type {any} */ (new Network());
  net.subscribe = () => ({ close() {} });
  net.state = "offline";
  net.writes = queue(net);
  const events = new Events(net);
  events.kept.put(draft, Date.now());
  return { net, events };
}

test("an event whose publication nobody has seen is a draft again, with its changes, and nothing is cancelled", async () => {
  const { net, events } = offline();
  await events.update(3, 5, { title: "Long run" }, null);
  await events.publish(3);
  const shown = [];
  events.addEventListener("event", ({ detail }) => shown.push([detail.state, detail.details.title]));
  const event = await events.cancel(3, "");
  assert.deepEqual([event.state, event.details.title], ["draft", "Long run"]);
  assert.deepEqual(shown, [["draft", "Long run"]]);
  assert.deepEqual(net.writes.waiting.map(({ method }) => method), ["events.update"]);
});

test("a publication that the server may have is sent before the end of the event, and so is its change", async () => {
  const { net, events } = offline();
  net.state = "live";
  net.answer = () => { net.state = "offline"; throw Object.assign(new Error("No reply."), { isTransient: true }); };
  await events.publish(3);
  await events.update(3, 5, { title: "Long run" }, null);
  assert.equal(await events.cancel(3, ""), null);
  assert.deepEqual(net.writes.waiting.map(({ method }) => method), ["events.publish", "events.update", "events.cancel"]);
});

test("an event that another device has published is cancelled, although this one's publication waits", async () => {
  const { net, events } = offline();
  await events.publish(3);
  events.kept.put({ ...draft, state: "published" }, Date.now());
  assert.equal(await events.cancel(3, "Rain"), null);
  assert.deepEqual(net.writes.waiting.map(({ method, params }) => [method, params.reason]), [["events.cancel", "Rain"]]);
});

test("an event that this device does not have is cancelled unless it is a draft, and then shown as one", async () => {
  for (const isWaiting of [true, false]) {
    const { net, events } = offline();
    await events.update(3, 5, { title: "Long run" }, null);
    await events.publish(3);
    events.kept.remove(3);
    const refuse = () => { throw new RequestError(errorCodes.conflict, "this is a draft: delete it instead", { field: "event" }); };
    net.request = async (method, params) => {
      net.asked.push([method, params]);
      return method === "events.cancel" ? refuse() : draft;
    };
    const outcomes = [];
    net.writes.addEventListener("refused", ({ detail }) => outcomes.push(detail.method));
    events.addEventListener("event", ({ detail }) => outcomes.push(detail.state));
    if (!isWaiting) {
      net.writes.drop("events.update", 3);
      net.state = "live";
    }
    const cancelled = await events.cancel(3, "");
    assert.equal(cancelled?.state ?? null, isWaiting ? null : "draft");
    net.become("live");
    await settle();
    const asked = net.asked.map(([method]) => method).filter((method) => method !== "events.list");
    assert.deepEqual(asked, [...(isWaiting ? ["events.update"] : []), "events.cancel", "events.get"]);
    assert.ok(!outcomes.includes("events.cancel"));
    assert.equal(outcomes.at(-1), "draft");
  }
});
