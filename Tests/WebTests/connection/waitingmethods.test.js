import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { audiences } from "../../../Sources/WebApp/kit/format.js";
import { waitingMethods } from "../../../Sources/WebApp/connection/waitingmethods.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, queue, settle } from "./fakequeue.js";

test("a deletion takes the place of what waits for the same thing, and what is gone already is deleted", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("chat.edit", { conversation: 5, message: 6, text: "Loop" });
  await writes.write("events.save", { event: 5, saved: true });
  await writes.write("chat.delete", { conversation: 5, message: 6 });
  assert.deepEqual(writes.waiting.map(({ method }) => method), ["events.save", "chat.delete"]);
  net.answer = ({ message }) => { if (message) throw new RequestError(errorCodes.notFound, "There is no such message."); return {}; };
  const outcomes = [];
  for (const type of ["sent", "refused"]) writes.addEventListener(type, ({ detail }) => outcomes.push(`${type} ${detail.method}`));
  net.become("live");
  await settle();
  assert.deepEqual(outcomes, ["sent events.save", "sent chat.delete"]);
});

test("what shows more is not sent after more than a day; what shows less is always sent", async () => {
  const net = new Network();
  const clock = new Clock();
  net.state = "offline";
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  await writes.write("privacy.saveSettings", { visits: true });
  await writes.write("privacy.saveSettings", { heatmap: false });
  await writes.write("privacy.deleteZone", { zone: 3 });
  await writes.write("chat.saveSettings", { read: true });
  await writes.write("tracking.audience", { session: 4, audience: "public" });
  await writes.write("tracking.audience", { session: 5, audience: "private" });
  clock.time = 86_400_001;
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push(detail.error.message));
  net.become("live");
  await settle();
  assert.deepEqual(net.asked, [
    ["privacy.saveSettings", { heatmap: false }], ["tracking.audience", { session: 5, audience: "private" }]]);
  assert.deepEqual(refused, [
    "A privacy setting waited for more than a day.", "A deleted private zone waited for more than a day.",
    "A chat setting waited for more than a day.", "Who can see a session waited for more than a day."]);
  // Chosen again, it is another wish.
  net.state = "offline";
  await writes.write("privacy.saveSettings", { visits: true });
  clock.time += 86_400_000;
  net.become("live");
  await settle();
  assert.deepEqual(net.asked.at(-1), ["privacy.saveSettings", { visits: true }]);
});

const waitedFor = async (days, changes, { serverClock = false } = {}) => {
  const net = new Network();
  const clock = new Clock();
  clock.time = 100 * 86_400_000;
  if (serverClock) net.clock = { now: () => clock.time };
  net.state = "offline";
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null,
    scheduler: serverClock ? { ...clock, now: () => 0 } : clock });
  for (const [method, params, shown] of changes) await writes.write(method, params, shown);
  clock.time += days * 86_400_000;
  const refused = [];
  writes.addEventListener("refused", ({ detail }) => refused.push(detail.error.message));
  net.become("live");
  await settle();
  return { sent: net.asked.map(([, params]) => params), refused };
};

test("an audience expires only when it is larger than the one that the server has", async () => {
  const to = (audience, before) => ["tracking.audience", { session: 5, audience }, { before }];
  const campus = { session: 5, audience: "campus" };
  assert.deepEqual(await waitedFor(2, [to("campus", "public")]), { sent: [campus], refused: [] });
  // Chosen first, the smaller one is no reason to keep the public one.
  assert.deepEqual((await waitedFor(2, [to("private", "public"), to("campus", "private")])).sent, [campus]);
  const { sent, refused } = await waitedFor(2, [to("private", "campus"), to("public", "private")]);
  assert.deepEqual([sent.map(({ audience }) => audience), refused.length], [["private"], 1]);
  assert.deepEqual(audiences.map(({ value }) => value), ["private", "campus", "public"]);
});

test("a private zone expires only when it was moved, made smaller or deleted", async () => {
  const before = { lat: 1, lon: 2, metres: 300 };
  const to = (lat, metres) => ["privacy.saveZone", { zone: 3, name: "Home", lat, lon: 2, size: String(metres) }, { before, metres }];
  const sizes = async (changes) => (await waitedFor(2, changes)).sent.map(({ size }) => size);
  assert.deepEqual(await sizes([to(1, 500)]), ["500"]);
  assert.deepEqual(await sizes([to(1, 150)]), []);
  assert.deepEqual(await sizes([to(4, 500)]), []);
  // What hides more stays when what hides less has expired.
  assert.deepEqual(await sizes([to(1, 500), to(4, 500)]), ["500"]);
  assert.deepEqual(await sizes([to(1, 500), ["privacy.deleteZone", { zone: 3 }]]), ["500"]);
  // It was moved before it was made larger there.
  assert.deepEqual(await sizes([to(4, 300), ["privacy.saveZone", { zone: 3, name: "Home", lat: 4, lon: 2, size: "500" },
    { before: { lat: 4, lon: 2, metres: 300 }, metres: 500 }]]), []);
});

test("a clock that is set back makes no change last longer", async () => {
  const changes = [["chat.mute", { conversation: 1, seconds: 60 }], ["privacy.saveSettings", { visits: true }],
    ["privacy.saveSettings", { heatmap: false }]];
  const { sent, refused } = await waitedFor(-2, changes);
  assert.deepEqual(sent, [{ conversation: 1, seconds: 60 }, { heatmap: false }]);
  assert.deepEqual(refused, ["A privacy setting may have waited for more than a day."]);
  // The time of the server counts, as far as it is known.
  assert.deepEqual((await waitedFor(2, changes, { serverClock: true })).sent, [{ heatmap: false }]);
  // A clock that is a little fast is none that was set back.
  assert.equal((await waitedFor(-0.01, changes)).refused.length, 0);
});

test("a setting that is sent later leaves those that another device chose meanwhile", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("notices.saveSettings", { zone: 3, isFollowed: true });
  await writes.write("notices.saveSettings", { zone: 4, isFollowed: false });
  await writes.write("notices.saveSettings", { quietHours: undefined });
  await writes.write("chat.saveSettings", { typing: false });
  let notices = { zones: [4, 9], quietHours: { from: "22:00" } };
  net.request = async (method, params) => {
    net.asked.push([method, params]);
    if (method === "chat.settings") return { read: false, delivered: true, typing: true };
    if (method === "notices.saveSettings") notices = params;
    return notices;
  };
  net.become("live");
  await settle();
  assert.deepEqual(notices, { zones: [9, 3] });
  assert.deepEqual(net.asked.at(-1), ["chat.saveSettings", { read: false, delivered: true, typing: false }]);
});

test("a mute that waited ends when it would have ended", async () => {
  const net = new Network();
  const clock = new Clock();
  net.state = "offline";
  const writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: clock });
  await writes.write("chat.mute", { conversation: 1, seconds: 3_600 });
  await writes.write("chat.mute", { conversation: 2, seconds: 60 });
  await writes.write("chat.mute", { conversation: 3 });
  clock.time = 1_200_000;
  net.become("live");
  await settle();
  assert.deepEqual(net.asked, [["chat.mute", { conversation: 1, seconds: 2_400 }], ["chat.mute", { conversation: 3 }]]);
});

test("a tab that still has an account which is not this browser's any more leaves what waits of the other", () => {
  const net = new Network();
  const storage = new Storage();
  queue(net, storage);
  storage.setItem("campanile.writes.2", "[]");
  net.dispatchEvent(new Event("account"));
  assert.deepEqual(Object.keys(storage), ["campanile.writes.2"]);
  net.account = { id: 3 };
  net.dispatchEvent(new Event("account"));
  assert.deepEqual(Object.keys(storage), []);
});

test("replies have the changes that wait, and those that are kept have them once they are sent", async () => {
  const net = new Network();
  const changes = [];
  net.replies = { change: (account, methods, changed) => changes.push({ account, methods, changed }) };
  net.state = "offline";
  const writes = queue(net);
  await writes.write("tracking.rename", { session: 5, title: "Long loop" });
  const history = { sessions: [{ id: 4, title: "A" }, { id: 5, title: "B" }] };
  assert.deepEqual(writes.shown("tracking.history", {}, history).sessions.map(({ title }) => title), ["A", "Long loop"]);
  assert.equal(writes.shown("goals.get", {}, history), history);
  assert.equal(changes.length, 0);
  net.become("live");
  await settle();
  assert.equal(writes.shown("tracking.history", {}, history), history);
  assert.deepEqual(changes[0].methods, ["tracking.session", "tracking.history"]);
  assert.equal(changes[0].changed("tracking.history", {}, history).sessions[1].title, "Long loop");
});

test("an entry of a day and its removal are of one figure", () => {
  const { subject } = waitingMethods["insights.saveDay"];
  const date = "2026-11-28";
  assert.equal(subject({ date, steps: 4_000 }), subject({ date, clear: ["steps"] }));
  assert.notEqual(subject({ date, clear: ["restingPulse"] }), subject({ date, clear: ["steps"] }));
});
