import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { endOf } from "../../../Sources/WebApp/routes/ends.js";
import { KeptWalk } from "../../../Sources/WebApp/routes/keptwalk.js";
import { LiveWalk } from "../../../Sources/WebApp/routes/livewalk.js";
import { FakeNet, FakeStorage, at, exampleRoute, settled } from "./fakes.js";

const to = endOf("room/34");
const me = endOf("me");
const longer = () => exampleRoute({ seconds: 330, legs: exampleRoute().legs.map((leg) => ({ ...leg, seconds: leg.seconds + 40 })) });

/** A walk that has begun at the route's start. */
async function begun({ from = me, storage = new FakeStorage(), route = exampleRoute() } = {}) {
  const net = new FakeNet();
  net.replies["routes.walk"] = { walk: "w1", topic: "route/w1", route, version: 1 };
  net.replies["routes.end"] = {};
  let time = 1_000_000;
  const clock = { now: () => time, pass: (milliseconds) => { time += milliseconds; } };
  const store = new KeptWalk({ storage, now: clock.now });
  const walk = new LiveWalk({ net, store, now: clock.now }, { from, to, name: "Reading room", preferences: { stepFree: true } });
  const said = [];
  walk.addEventListener("news", ({ detail }) => said.push(detail));
  await walk.begin(from.kind === "me" ? at(0) : null);
  const fix = (place, accuracy = 5) => {
    clock.pass(2_000);
    walk.take({ lat: place.lat, lon: place.lon, accuracy, time: time });
  };
  return { net, walk, said, fix, store, storage, clock };
}

test("a walk asks for its route once, listens on its own topic, and sends no position while the person is on it", async () => {
  const { net, walk, fix } = await begun();
  assert.equal(walk.state, "walking");
  assert.deepEqual(net.methods("routes.walk")[0].params, { from: { lat: 0, lon: 0 }, to: { destination: "room/34" }, preferences: { stepFree: true } });
  assert.equal(net.subscriptions[0].topic, "route/w1");
  for (const north of [5, 20, 40, 60, 80]) fix(at(north, 3));
  assert.equal(walk.progress.leg, 0);
  assert.ok(Math.abs(walk.progress.toNext - 20) < 1);
  assert.deepEqual(net.sent.map(({ method }) => method), ["routes.walk"]);
});

test("off the route a new one is asked for from here, once, and it says so", async () => {
  const { net, walk, said, fix } = await begun();
  net.replies["routes.move"] = { route: exampleRoute({ points: [at(40, 90), ...exampleRoute().points.slice(1)] }), version: 2 };
  fix(at(40));
  for (const east of [60, 70, 80, 90]) fix(at(40, east));
  await settled();
  assert.equal(net.methods("routes.move").length, 1);
  assert.equal(net.methods("routes.move")[0].params.walk, "w1");
  assert.deepEqual(said, ["You left the route. New route."]);
  assert.equal(walk.state, "walking");
});

test("a broken lift brings a new route with the reason and the difference; an older version changes nothing", async () => {
  const { net, walk, said, fix } = await begun();
  fix(at(10));
  net.push({ type: "route", version: 2, reason: { kind: "closed", object: "Lift in the library" }, route: longer() });
  assert.deepEqual(said, ["The lift in the library is out of order. New route: 3 minutes longer."]);
  net.push({ type: "route", version: 2, reason: { kind: "opened" }, route: exampleRoute() });
  assert.equal(walk.route.seconds, 330);
});

test("without any way the server's message is shown, and a later route goes on", async () => {
  const { net, walk, said } = await begun();
  net.push({ type: "route", version: 2, reason: { kind: "closed", object: "Lift in the library" }, message: "no step-free route is known: ask for help" });
  assert.equal(walk.state, "noRoute");
  assert.equal(walk.problem, "The lift in the library is out of order. No step-free route is known: ask for help.");
  net.push({ type: "route", version: 3, reason: { kind: "opened", object: "Lift in the library" }, route: exampleRoute() });
  assert.equal(walk.state, "walking");
  assert.equal(said.at(-1), "The lift in the library is working again. New route.");
});

test("without a network the walk goes on; at the return it is resumed, and what changed meanwhile is said", async () => {
  const { net, walk, said, fix } = await begun();
  net.become("offline");
  fix(at(50));
  for (const east of [60, 70, 80, 90]) fix(at(50, east));
  await settled();
  assert.equal(net.methods("routes.move").length, 0);
  assert.equal(walk.state, "walking");
  fix(at(60));
  net.replies["routes.resume"] = { route: longer(), version: 4 };
  net.become("live");
  await settled();
  assert.deepEqual(net.methods("routes.resume").map(({ params }) => params), [{ walk: "w1" }]);
  assert.equal(walk.route.seconds, 330);
  assert.equal(said.length, 1);
});

test("a walk that the server has forgotten begins again from here, silently where the way is the same", async () => {
  const { net, walk, said, fix } = await begun();
  net.become("offline");
  fix(at(60));
  net.replies["routes.resume"] = () => { throw Object.assign(new Error("no such walk"), { isTransient: false, isNotFound: true }); };
  net.replies["routes.walk"] = { walk: "w2", topic: "route/w2", version: 1, route: exampleRoute({ points: [at(60), ...exampleRoute().points.slice(1)] }) };
  net.become("live");
  await settled();
  await settled();
  assert.deepEqual(net.methods("routes.walk").at(-1).params.from, { lat: at(60).lat, lon: 0 });
  assert.deepEqual(said, []);
  net.push({ type: "route", version: 2, reason: { kind: "closed", object: "Lift in the library" }, route: longer() });
  assert.equal(walk.route.seconds, 330, "the new topic counts");
});

test("a reload goes on with the walk, its place and its floor plans; another account's walk and an old one are forgotten", async () => {
  const { net, walk, fix, store, storage, clock } = await begun();
  walk.floors = [{ building: 12, floors: [] }];
  fix(at(110, 20));
  walk.close();
  const kept = LiveWalk.kept({ net, store, now: clock.now });
  assert.deepEqual([kept.state, kept.progress.leg, kept.name, kept.floors.length], ["walking", walk.progress.leg, "Reading room", 1]);
  assert.equal(LiveWalk.kept({ net, store, now: clock.now }, endOf("room/35")), null, "an address to elsewhere is another walk");
  net.account = { id: 7 };
  assert.equal(LiveWalk.kept({ net, store, now: clock.now }), null);
  assert.equal(storage.values.size, 0);
  net.account = null;
  walk.keep();
  clock.pass(4 * 3_600_000);
  assert.equal(LiveWalk.kept({ net, store, now: clock.now }), null);
});

test("indoors the person goes step by step: a lift is done when they say so, and the last step arrives", async () => {
  const { net, walk, storage } = await begun({ from: endOf("0.000000,0.000000") });
  assert.equal(walk.source, null);
  walk.step(1);
  assert.deepEqual([walk.progress.leg, walk.source], [1, "hand"]);
  walk.step(1);
  assert.deepEqual([walk.progress.leg, walk.level], [2, "0"]);
  walk.step(-1);
  walk.step(1);
  walk.setLevel("2");
  assert.deepEqual([walk.progress.leg, walk.level], [3, "2"]);
  walk.step(1);
  assert.equal(walk.state, "arrived");
  assert.equal(net.methods("routes.end").length, 1);
  assert.equal(storage.values.size, 0, "nothing of the walk stays");
});

test("a new route that passes above the person later finds them on their own level", async () => {
  const { net, walk } = await begun({ from: endOf("0.000000,0.000000") });
  for (let step = 0; step < 2; step += 1) walk.step(1);
  assert.deepEqual([walk.progress.leg, walk.level], [2, "0"]);
  // Shorter, by another lift, and to a room above the first one.
  const points = [at(100), at(100, 20, "0"), at(100, 60, "0"), at(100, 60, "2"), at(100, 20, "2")];
  const [, enter, lift, along] = exampleRoute().legs;
  const legs = [{ ...enter, first: 0, last: 2 }, { ...lift, first: 2, last: 3 }, { ...along, first: 3, last: 4 }];
  net.push({ type: "route", version: 2, reason: { kind: "closed", object: "Lift in the library" }, route: exampleRoute({ points, legs }) });
  assert.deepEqual([walk.progress.leg, walk.level], [0, "0"]);
});

test("after a step by hand a position behind the person, or a rough one, changes nothing; the person can trust it again", async () => {
  const { walk, fix } = await begun();
  walk.step(1);
  walk.step(1);
  walk.step(1);
  assert.deepEqual([walk.progress.leg, walk.level], [3, "2"]);
  fix(at(50), 5);
  fix(at(125, 20), 45);
  assert.deepEqual([walk.progress.leg, walk.source, walk.hasOtherFix], [3, "hand", true]);
  fix(at(110, 20), 8);
  assert.equal(walk.source, "device", "an exact position farther on counts");
  walk.step(-1);
  fix(at(50), 5);
  walk.useDevice();
  assert.deepEqual([walk.progress.leg, walk.source, walk.hasOtherFix], [0, "device", false]);
});

test("a position at the destination arrives; one that may be wrong by a building does not", async () => {
  const { walk, fix } = await begun();
  for (const place of [at(50), at(100, 10), at(100, 20)]) fix(place);
  walk.setLevel("2");
  fix(at(112, 20));
  fix(at(130, 20), 90);
  assert.equal(walk.state, "walking");
  fix(at(129, 20), 6);
  assert.equal(walk.state, "arrived");
});

test("below the destination nobody has arrived: a position waits at the lift until the person says that they are above it", async () => {
  const { walk, fix } = await begun();
  for (const place of [at(50), at(95), at(100, 10), at(100, 20), at(112, 20), at(129, 20)]) fix(place);
  assert.deepEqual([walk.state, walk.progress.leg, walk.level], ["walking", 2, "0"]);
  walk.setLevel("2");
  assert.deepEqual([walk.state, walk.progress.leg, walk.level], ["walking", 3, "2"]);
  fix(at(129, 20), 6);
  assert.equal(walk.state, "arrived");
});

test("outdoors nobody is on a level, and a level set by hand ends there; far from a lift it moves nobody", async () => {
  const { walk, fix } = await begun();
  fix(at(50));
  assert.equal(walk.canBeOn("2"), false);
  walk.setLevel("2");
  assert.deepEqual([walk.progress.leg, walk.level], [0, null]);
  fix(at(100, 10));
  assert.deepEqual([walk.canBeOn("2"), walk.canBeOn("1"), walk.canBeOn("0")], [true, true, false]);
  walk.setLevel("1");
  assert.deepEqual([walk.progress.leg, walk.level, walk.hasOtherFix], [1, "1", true]);
  walk.useDevice();
  assert.deepEqual([walk.level, walk.hasOtherFix], ["0", false]);
  walk.setLevel("1");
  for (const north of [60, 50, 40]) fix(at(north));
  assert.equal(walk.level, null);
  fix(at(100, 10));
  assert.equal(walk.level, "0");
});

test("without a position a level moves the person only across the lift beside them", async () => {
  const { walk } = await begun({ from: endOf("0.000000,0.000000") });
  walk.setLevel("2");
  assert.deepEqual([walk.progress.leg, walk.level], [0, null]);
  walk.step(1);
  walk.setLevel("2");
  assert.deepEqual([walk.progress.leg, walk.level], [3, "2"], "the lift is next");
  walk.setLevel("0");
  assert.deepEqual([walk.progress.leg, walk.level], [2, "0"], "and back");
});

test("what opened again is good news; an admin's words about a closure are part of it; a person outside the campus is no start", async () => {
  const { net, walk, said, fix } = await begun();
  fix(at(10));
  const object = "Lift in the library";
  net.push({ type: "route", version: 2, reason: { kind: "closed", object, note: "Motor is being repaired" }, route: longer() });
  assert.equal(said[0], "The lift in the library is out of order. Motor is being repaired. New route: 3 minutes longer.");
  assert.equal(walk.isGoodNews, false);
  net.push({ type: "route", version: 3, reason: { kind: "opened", object }, route: exampleRoute() });
  assert.equal(walk.isGoodNews, true);
  net.push({ type: "route", version: 4, message: "the start is outside the campus: choose a point within 200 m of a path" });
  assert.match(walk.problem, /You're outside the campus: go back to a path on the campus, then try again\.$/);
});

test("a failure of the first request says whether it may pass", async () => {
  const { net, walk } = await begun();
  net.replies["routes.walk"] = () => { throw Object.assign(new Error("the start is outside the campus: choose a point within 200 m of a path"), { isTransient: false }); };
  await walk.again();
  assert.deepEqual([walk.state, walk.isTransient], ["noRoute", false]);
  net.state = "offline";
  await walk.again();
  assert.deepEqual([walk.state, walk.isTransient], ["failed", true]);
});

test("a walk that is too large for the storage is kept without its floor plans, or not at all", () => {
  const storage = new FakeStorage();
  const store = new KeptWalk({ storage, now: () => 1 });
  const walk = { account: null, startedAt: 0, route: exampleRoute(), floors: ["x".repeat(2_000_000)] };
  store.save(walk);
  assert.deepEqual(store.load(null).floors, []);
  storage.setItem = () => { throw new Error("full"); };
  store.save(walk);
});
