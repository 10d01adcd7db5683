import assert from "node:assert/strict";
import { test } from "node:test";
import { queue, settle } from "../connection/fakequeue.js";
import { ExerciseNames, LiveGroup } from "../../../Sources/WebApp/together/livegroup.js";

/** A client whose subscription the test answers. */
function makeNet(replies = {}) {
  const net = {
    account: { id: 7, username: "anna" }, clock: { now: () => 1_000 }, requests: [], handlers: null, closed: 0, topics: 0,
    subscribe(topic, handlers) {
      assert.equal(topic, "workout/g");
      net.handlers = handlers;
      net.topics += 1;
      return { close: () => { net.closed += 1; } };
    },
    async request(method, params) {
      net.requests.push([method, params]);
      if (!(method in replies)) throw Object.assign(new Error("no"), { isTransient: false });
      return replies[method];
    },
  };
  return net;
}

const member = (username, more = {}) => ({ username, isHost: false, state: "joined", isPresent: true, sharesZone: false, ...more });
const group = (...members) => ({ id: "g", title: "Leg day", host: "ben", createdAt: "2026-11-28T12:00:00Z", members });
const names = (live) => [...live.members.keys()].sort();

test("updates change, add and remove members, and a full one replaces all", () => {
  const net = makeNet();
  const live = new LiveGroup(net, "g");
  net.handlers.snapshot({ group: group(member("anna"), member("ben", { isHost: true })) });
  assert.equal(live.state, "live");
  assert.equal(live.info.title, "Leg day");
  assert.equal(live.isHost, false);
  net.handlers.push({ type: "members", members: [member("ben", { isHost: true, state: "finished" }), member("cleo")], gone: [] });
  assert.deepEqual(names(live), ["anna", "ben", "cleo"]);
  assert.equal(live.members.get("ben").state, "finished");
  net.handlers.push({ type: "members", gone: ["cleo"] });
  assert.deepEqual(names(live), ["anna", "ben"]);
  net.handlers.push({ type: "members", full: true, members: [member("anna")] });
  assert.deepEqual(names(live), ["anna"]);
});

test("the members before an update are those that it changed", () => {
  const net = makeNet();
  const live = new LiveGroup(net, "g");
  net.handlers.snapshot({ group: group(member("anna")) });
  let before = null;
  live.addEventListener("members", ({ detail }) => { ({ before } = detail); });
  net.handlers.push({ type: "members", members: [member("ben")] });
  assert.deepEqual([...before.keys()], ["anna"]);
});

test("a group that ends keeps its last members, and its topic is left", () => {
  const net = makeNet();
  const live = new LiveGroup(net, "g");
  net.handlers.snapshot({ group: group(member("anna"), member("ben")) });
  net.handlers.push({ type: "closed", reason: "the live group has ended" });
  assert.deepEqual([live.state, live.reason, net.closed], ["closed", "the live group has ended", 1]);
  assert.deepEqual(names(live), ["anna", "ben"]);
});

test("a person who leaves may come back, and one who was removed may not", async () => {
  const replies = { "together.list": { groups: [group(member("anna", { state: "left" }), member("ben"))] } };
  const net = makeNet(replies);
  const live = new LiveGroup(net, "g");
  net.handlers.snapshot({ group: group(member("anna"), member("ben")) });
  await net.handlers.push({ type: "closed", reason: "no longer shared" });
  assert.deepEqual([live.state, live.own.state, net.topics], ["live", "left", 1]);
  live.again();
  net.handlers.snapshot({ group: group(member("anna"), member("ben")) });
  assert.deepEqual([live.own.state, net.topics], ["joined", 2]);
  replies["together.list"] = { groups: [] };
  await net.handlers.push({ type: "closed", reason: "no longer shared" });
  assert.equal(live.state, "closed");
});

test("without the topic, signals bring the group; who joined on another device gets the topic", async () => {
  const replies = { "together.list": { groups: [group(member("anna", { state: "invited" }))] } };
  const net = makeNet(replies);
  const live = new LiveGroup(net, "g");
  await net.handlers.error({ isTransient: false });
  replies["together.list"] = { groups: [group(member("anna"), member("ben"))] };
  await live.changed();
  assert.deepEqual([live.own.state, net.topics], ["joined", 2]);
  net.handlers.snapshot({ group: group(member("anna")) });
  const before = net.requests.length;
  live.changed();
  assert.equal(net.requests.length, before);
});

test("an invited person whom the topic refuses sees the group of the invitation", async () => {
  const net = makeNet({ "together.list": { groups: [group(member("anna", { state: "invited" }))] } });
  const live = new LiveGroup(net, "g");
  await net.handlers.error({ isTransient: false });
  assert.deepEqual([live.state, live.own.state], ["live", "invited"]);
});

test("a group that nobody invited the reader to cannot be opened, and a lost connection changes nothing", async () => {
  const net = makeNet({ "together.list": { groups: [] } });
  const live = new LiveGroup(net, "g");
  await net.handlers.error({ isTransient: true });
  assert.equal(live.state, "loading");
  const problem = { isTransient: false, isNotFound: true };
  await net.handlers.error(problem);
  assert.deepEqual([live.state, live.problem], ["failed", problem]);
});

test("the name of an exercise is asked for once", async () => {
  const net = makeNet({ "exercises.get": { id: "squat", name: "Back squat" } });
  const exercises = new ExerciseNames(net);
  exercises.know([{ id: "lunge", name: "Lunge" }]);
  assert.equal(exercises.of("lunge"), "Lunge");
  assert.equal(exercises.of(undefined), null);
  const named = new Promise((resolve) => { exercises.addEventListener("change", resolve, { once: true }); });
  assert.equal(exercises.of("squat"), null);
  assert.equal(exercises.of("squat"), null);
  await named;
  assert.equal(exercises.of("squat"), "Back squat");
  assert.equal(net.requests.length, 1);
});

/** A client with a queue of changes, whose group has `anna` with a zone that she shares. */
function makeSharingNet() {
  const requests = [];
  const net = Object.assign(new EventTarget(), {
    state: "live", account: { id: 7, username: "anna" }, clock: { now: () => net.time }, time: 0, requests, answers: {},
    subscribe: (_topic, handlers) => {
      net.handlers = handlers;
      return { close: () => {} };
    },
    request: async (method, params) => {
      requests.push([method, params]);
      return net.answers[method];
    },
  });
  net.writes = queue(net);
  net.become = (state) => {
    net.state = state;
    net.dispatchEvent(new Event("state"));
  };
  const live = new LiveGroup(net, "g");
  net.handlers.snapshot({ group: group(member("anna", { sharesZone: true }), member("ben")) });
  return { net, live };
}

test("a zone that is hidden without a connection is hidden here at once, and at the server later", async () => {
  const { net, live } = makeSharingNet();
  net.become("offline");
  assert.equal(await live.shareZone(false), null);
  assert.equal(live.own.sharesZone, false);
  // The server does not know it yet.
  net.handlers.push({ type: "members", members: [member("anna", { sharesZone: true })] });
  assert.equal(live.own.sharesZone, false);
  net.time = 3_600_000;
  net.answers = { "together.list": { groups: [group(member("anna", { sharesZone: true }))] }, "together.join": {} };
  net.become("live");
  await settle();
  assert.deepEqual(net.requests, [["together.list", undefined], ["together.join", { group: "g", sharesZone: false }]]);
  assert.deepEqual(net.writes.waiting, []);
  assert.equal(live.own.sharesZone, false);
});

test("a zone is hidden here while the request is in flight", () => {
  const { live } = makeSharingNet();
  live.shareZone(false);
  assert.equal(live.own.sharesZone, false);
});

test("a person who has left the group does not join it again to hide the zone", async () => {
  const { net, live } = makeSharingNet();
  net.become("offline");
  await live.shareZone(false);
  net.time = 3_600_000;
  net.answers = { "together.list": { groups: [group(member("anna", { state: "left" }))] } };
  net.become("live");
  await settle();
  assert.deepEqual(net.requests.map(([method]) => method), ["together.list"]);
  assert.deepEqual(net.writes.waiting, []);
});

test("a zone is shown with a connection only", async () => {
  const { net, live } = makeSharingNet();
  net.become("offline");
  await assert.rejects(live.shareZone(true), /offline/);
  assert.deepEqual(net.writes.waiting, []);
  net.answers = { "together.join": { group: group(member("anna", { sharesZone: true })), exercises: [] } };
  net.become("live");
  assert.equal((await live.shareZone(true)).group.id, "g");
  assert.deepEqual(net.requests, [["together.join", { group: "g", sharesZone: true }]]);
});
