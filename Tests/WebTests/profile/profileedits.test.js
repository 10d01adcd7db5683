import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ProfileEdits } from "../../../Sources/WebApp/profile/profileedits.js";
import { FakeScheduler, settled } from "../client/fakes.js";
import { FakeNet, fakeStorage } from "./fakes.js";

let net;
let stored;
let storage;
beforeEach(() => {
  mock.timers.reset();
  net = new FakeNet();
  ({ stored, storage } = fakeStorage());
});

async function opened() {
  const edits = new ProfileEdits(net, storage);
  await edits.load();
  return edits;
}

test("typing is sent when it stops, each field by itself, and the field says so", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const edits = await opened();
  edits.edit("firstName", "A", { isTyped: true });
  edits.edit("firstName", "Anna", { isTyped: true });
  edits.edit("degree", "Law", { isTyped: true });
  assert.equal(edits.state("firstName"), "saving");
  assert.deepEqual(net.updates, []);
  mock.timers.tick(1_000);
  mock.timers.reset();
  await settled();
  assert.deepEqual(net.updates, [{ firstName: "Anna" }, { degree: "Law" }]);
  assert.deepEqual([edits.state("firstName"), edits.state("degree"), edits.state("lastName")], ["saved", "saved", ""]);
  assert.deepEqual([...stored.keys()], []);
});

test("offline an edit is kept, waits, and is sent by the next document", async () => {
  const edits = await opened();
  net.state = "offline";
  await edits.edit("lastName", "Berg");
  assert.equal(edits.state("lastName"), "waiting");
  edits.close();
  net.state = "live";
  const next = new ProfileEdits(net, storage);
  assert.equal(next.value("lastName"), "Berg");
  await net.on.snapshot();
  assert.equal(net.profile.lastName, "Berg");
  assert.equal(next.state("lastName"), "saved");
});

test("another device's change of another field is shown, and an own edit of the same field is sent over it", async () => {
  const edits = await opened();
  net.profile = { ...net.profile, firstName: "Elsewhere", degree: "Law" };
  edits.edit("firstName", "Here", { isTyped: true });
  net.on.push({ type: "account" });
  await settled();
  assert.deepEqual([edits.value("firstName"), edits.value("degree")], ["Here", "Law"]);
  edits.finish("firstName");
  await settled();
  assert.equal(net.profile.firstName, "Here");
});

test("a refusal stands beside its field, and the others are saved", async () => {
  const edits = await opened();
  net.refuse = "Missing inputs";
  await edits.edit("firstName", "");
  // An empty name is none: nothing is asked.
  assert.deepEqual(net.updates, []);
  net.profile = { ...net.profile, firstName: "Anna" };
  await edits.load();
  await edits.edit("firstName", "");
  assert.deepEqual([edits.state("firstName"), edits.problem("firstName")], ["bad", "Missing inputs"]);
  net.refuse = null;
  await edits.edit("interests", ["yoga"]);
  assert.equal(edits.state("interests"), "saved");
  assert.equal(edits.state("firstName"), "bad");
});

test("an edit can be undone, also after it was saved", async () => {
  net.profile = { ...net.profile, degree: "Law" };
  const edits = await opened();
  assert.equal(edits.canUndo("degree"), false);
  await edits.edit("degree", "Physics");
  assert.deepEqual([net.profile.degree, edits.canUndo("degree")], ["Physics", true]);
  await edits.undo("degree");
  assert.deepEqual([net.profile.degree, edits.canUndo("degree")], ["Law", false]);
});

test("a home location is removed by a parameter of its own", async () => {
  net.profile = { ...net.profile, home: { lat: 1, lon: 2, name: "Home" } };
  const edits = await opened();
  await edits.edit("home", null);
  assert.deepEqual(net.updates, [{ removeHome: true }]);
  assert.equal(edits.value("home"), null);
});

test("an edit back to the old value while the first one is in flight is sent after it", async () => {
  net.profile = { ...net.profile, degree: "Law" };
  const edits = await opened();
  let release;
  net.holding = new Promise((resolve) => { release = resolve; });
  const sent = edits.edit("degree", "Physics");
  edits.edit("degree", "Law");
  release();
  await sent;
  assert.deepEqual(net.updates, [{ degree: "Physics" }, { degree: "Law" }]);
  assert.deepEqual([net.profile.degree, edits.state("degree")], ["Law", "saved"]);
});

test("after a failure that passes, on a live connection, an edit is sent again", async () => {
  const scheduler = new FakeScheduler();
  const edits = new ProfileEdits(net, storage, scheduler);
  await edits.load();
  net.busy = true;
  await edits.edit("degree", "Law");
  assert.equal(edits.state("degree"), "saving");
  net.busy = false;
  await scheduler.pass(1_000);
  assert.deepEqual([net.profile.degree, edits.state("degree")], ["Law", "saved"]);
});

test("tabs add their edits to each other's, and a tab does not send what another has sent", async () => {
  const [one, other] = [await opened(), await opened()];
  net.state = "offline";
  await one.edit("degree", "Law");
  await other.edit("lastName", "Berg");
  assert.deepEqual(JSON.parse(stored.get("campanile.profileEdits.7")), { degree: "Law", lastName: "Berg" });
  net.state = "live";
  await one.edit("firstName", "Anna");
  assert.equal(net.updates.length, 3);
  await other.edit("home", { lat: 1, lon: 2, name: "Home" });
  assert.equal(net.updates.length, 4);
});

test("without storage an edit is kept in memory", async () => {
  storage.setItem = () => { throw new Error("full"); };
  const edits = await opened();
  net.state = "offline";
  await edits.edit("degree", "Law");
  await edits.edit("lastName", "Berg");
  assert.deepEqual([edits.value("degree"), edits.value("lastName")], ["Law", "Berg"]);
});
