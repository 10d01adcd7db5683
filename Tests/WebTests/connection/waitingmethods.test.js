import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, queue, settle } from "./fakequeue.js";

test("a deletion takes the place of what waits for the same thing, and what is gone already is deleted", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  await writes.write("tracking.rename", { session: 5, title: "Loop" });
  await writes.write("events.save", { event: 5, saved: true });
  await writes.write("tracking.delete", { session: 5 });
  assert.deepEqual(writes.waiting.map(({ method }) => method), ["events.save", "tracking.delete"]);
  net.answer = ({ session }) => { if (session) throw new RequestError(errorCodes.notFound, "There is no such session."); return {}; };
  const outcomes = [];
  for (const type of ["sent", "refused"]) writes.addEventListener(type, ({ detail }) => outcomes.push(`${type} ${detail.method}`));
  net.become("live");
  await settle();
  assert.deepEqual(outcomes, ["sent events.save", "sent tracking.delete"]);
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
