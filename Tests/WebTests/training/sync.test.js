import assert from "node:assert/strict";
import { test } from "node:test";
import { unsentSets } from "../../../Sources/WebApp/training/record.js";
import { TrainingSync } from "../../../Sources/WebApp/training/sync.js";
import { FakeNet, makeGuide, settled, start } from "./fakes.js";

function make() {
  const net = new FakeNet();
  const { guide, clock } = makeGuide();
  const sync = new TrainingSync(net, guide);
  return { net, guide, clock, sync };
}
const setsSent = ({ sent }) => sent.flatMap(({ params }) => params.sets ?? []).map(({ id }) => id);

test("a start without a network has the plan only where the server may have another", async () => {
  const { net, sync, guide } = make();
  await sync.start();
  assert.ok(!("plan" in net.sent[0].params));
  guide.noteSent({ isPlanSent: true });
  await sync.start();
  assert.equal(net.sent[1].params.plan.title, "Full body");
  assert.deepEqual([guide.record.isSent, guide.record.generation], [true, 1]);
});

test("each change is sent once, and all that was done without a network when it is back", async () => {
  const { net, sync, guide } = make();
  await sync.start();
  guide.done("w/0", { seconds: 100 });
  await sync.push();
  assert.deepEqual(setsSent(net), ["w/0"]);
  net.become("offline");
  guide.done("a/0", { reps: 9 });
  guide.done("b/0", { reps: 7, kilograms: 20 });
  guide.pause();
  await sync.push();
  assert.equal(setsSent(net).length, 1);
  net.become("live");
  await settled();
  assert.deepEqual(setsSent(net), ["w/0", "a/0", "b/0"]);
  assert.equal(net.sent.at(-1).params.pauses.length, 1);
  assert.deepEqual(unsentSets(guide.record), []);
  await sync.push();
  assert.equal(setsSent(net).length, 3);
});

test("a change that is made during a request is sent after it", async () => {
  const { net, sync, guide } = make();
  let release = () => {};
  net.replies["training.record"] = (params) => new Promise((resolve) => {
    release = () => resolve({ state: "active", generation: 0, sets: [], echo: params });
  });
  guide.done("w/0", {});
  const pushing = sync.push();
  await settled();
  guide.done("a/0", {});
  sync.push();
  net.replies["training.record"] = { state: "active", generation: 0, sets: [] };
  release();
  await pushing;
  assert.deepEqual(setsSent(net), ["w/0", "a/0"]);
});

test("a higher generation is another device, and its later sets are taken; what this one did is still sent", async () => {
  const { net, sync, guide } = make();
  const lost = [];
  sync.addEventListener("lost", () => {
    lost.push(guide.state);
    guide.lose();
  });
  await sync.start();
  const theirs = { ...guide.record.sets[1], state: "done", values: { reps: 20 }, at: new Date(start + 60_000).toISOString() };
  net.replies["training.record"] = { state: "active", generation: 2, sets: [theirs] };
  guide.done("w/0", {});
  await sync.push();
  assert.equal(lost.length, 1);
  assert.deepEqual(guide.record.sets.find(({ id }) => id === "a/0").values, { reps: 20 });
  assert.deepEqual([setsSent(net), unsentSets(guide.record)], [["w/0"], []]);
});

test("a start that another tab sent is no take-over; a later generation than that of the start is one", async () => {
  const { net, sync, guide } = make();
  let lost = 0;
  sync.addEventListener("lost", () => { lost += 1; });
  net.become("offline");
  await sync.start();
  guide.done("w/0", {});
  guide.pause();
  net.become("live");
  await settled();
  assert.deepEqual([setsSent(net), lost, guide.record.isSent, guide.record.generation], [["w/0"], 0, true, 1]);
  await sync.push();
  await sync.push();
  const pausesSent = net.sent.filter(({ params }) => params.pauses?.length > 0).map(({ params }) => params.generation);
  assert.deepEqual(pausesSent, [0, 1], "the server ignores pauses of another generation");
  guide.noteSent({ isSent: false, generation: 0 });
  net.replies["training.record"] = { state: "active", generation: 2, sets: [] };
  guide.done("a/0", {});
  await sync.push();
  assert.equal(lost, 1);
});

test("the end sends the rest of the sets and heart rates, and waits without a network", async () => {
  const { net, sync, guide, clock } = make();
  await sync.start();
  net.become("offline");
  guide.done("w/0", {});
  guide.noteSent({ pulse: Array.from({ length: 700 }, (_, index) => ({ at: new Date(start + index * 5_000).toISOString(), bpm: 120 })) });
  clock.now += 60_000;
  guide.finish();
  assert.deepEqual(await sync.finish(), { waits: true });
  const methods = net.sent.slice(1).map(({ method, params }) => `${method} ${params.pulse?.length ?? params.sets?.length}`);
  assert.deepEqual(methods, ["training.record 600", "training.record 100", "training.finish 1"]);
  assert.ok(Date.parse(net.sent.at(-1).params.endedAt) > start);
});

test("leaving the page without a network leaves what is new to the queue of the app", async () => {
  const { net, sync, guide } = make();
  net.become("offline");
  guide.done("w/0", {});
  sync.close();
  assert.deepEqual(setsSent(net), ["w/0"]);
});

test("a refused end is no end that waits, and says why", async () => {
  const { net, sync, guide } = make();
  await sync.start();
  const problems = [];
  sync.addEventListener("problem", ({ detail }) => problems.push(detail.message));
  guide.finish();
  net.replies["training.finish"] = () => { throw new Error("Reps are 0 to 1,000."); };
  assert.equal((await sync.finish()).error.message, "Reps are 0 to 1,000.");
  delete net.replies["training.finish"];
  assert.equal((await sync.finish()).reply.generation, 1);
  net.become("offline");
  assert.deepEqual([await sync.finish(), problems], [{ waits: true }, ["Reps are 0 to 1,000."]]);
});

test("after a refused start nothing is sent until the start is sent again, and the end begins with it", async () => {
  const { net, sync, guide } = make();
  const refused = [];
  sync.addEventListener("refused", ({ detail }) => refused.push(detail.message));
  net.replies["training.start"] = () => { throw new Error("5 trainings have not ended"); };
  await sync.start();
  guide.done("w/0", {});
  await sync.push();
  sync.close();
  assert.deepEqual([net.sent.map(({ method }) => method), refused, guide.record.isSent], [["training.start"], ["5 trainings have not ended"], false]);
  const again = new TrainingSync(net, guide);
  await again.start();
  delete net.replies["training.start"];
  guide.finish();
  assert.ok((await again.finish()).reply);
  assert.deepEqual(net.sent.slice(2).map(({ method }) => method), ["training.start", "training.finish"]);
});

test("a start that waited and was refused then is a refused start too", async () => {
  const { net, sync } = make();
  net.become("offline");
  assert.deepEqual(await sync.start(), { waits: true });
  const { method, params } = net.sent[0];
  net.writes.dispatchEvent(new CustomEvent("refused", { detail: { method, params, error: new Error("full") } }));
  assert.equal(sync.isRefused, true);
});

test("a tab that follows no longer sends nothing when the connection is back", async () => {
  const { net, sync, guide } = make();
  net.become("offline");
  guide.done("w/0", {});
  sync.stop();
  net.become("live");
  await settled();
  assert.deepEqual(net.sent, []);
});
