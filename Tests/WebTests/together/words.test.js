import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ageOf, ageText, changesText, closedText, connectionText, countdown, groupText, inOrder, placeText, shareDone, sharedText,
} from "../../../Sources/WebApp/together/words.js";

const now = Date.parse("2026-11-28T12:00:00Z");
const at = (seconds) => new Date(now + seconds * 1_000).toISOString();
const position = { phase: "exercise", exercise: "squat", set: 2, sets: 4, setsDone: 5, setsTotal: 14 };
const member = (username, more = {}) => ({ username, isHost: false, state: "joined", isPresent: true, sharesZone: false, position, ...more });

test("a member's line has the set, the exercise and the rest that is left", () => {
  assert.equal(placeText(member("ben"), { exercise: "Back squat", now }), "Set 2 of 4 · Back squat");
  assert.equal(placeText(member("ben"), { exercise: null, now }), "Set 2 of 4");
  const rest = { ...position, phase: "rest", restEndsAt: at(41.2) };
  assert.equal(placeText(member("ben", { position: rest }), { exercise: "Lunge", now }), "Resting · 0:42 · next: Lunge");
  assert.equal(placeText(member("ben", { position: { ...rest, restEndsAt: at(-1) } }), { now }), "Rest is over");
  assert.equal(placeText(member("ben", { position: { ...position, phase: "warmUp", set: undefined } }), { now }), "Warm-up");
  assert.equal(placeText(member("ben", { state: "invited", position: undefined }), { now }), "Invited");
  assert.equal(placeText(member("ben", { position: undefined }), { now }), "Getting ready");
  assert.equal(placeText(member("ben", { position: { ...position, phase: "ofANewerServer" } }), { exercise: "Lunge", now }), "Lunge");
});

test("the age of a member's progress is shown when it may be old, and not while a rest lasts", () => {
  assert.equal(ageText(member("ben", { updatedAt: at(-20) }), now), null);
  assert.equal(ageText(member("ben", { updatedAt: at(-40) }), now), "Updated 40 s ago");
  assert.equal(ageText(member("ben", { updatedAt: at(-20), isPresent: false }), now), "Updated 20 s ago");
  assert.equal(ageText(member("ben", { updatedAt: at(-120), position: { ...position, phase: "rest" } }), now), null);
  assert.equal(ageText(member("ben", { updatedAt: at(-120), state: "finished" }), now), null);
});

test("a lost connection says how old the group is", () => {
  const net = { state: "offline", clock: { now: () => now } };
  // Only these words are read out: they do not change each second.
  assert.deepEqual([connectionText(net), ageOf(net, now - 20_000)], ["You're offline.", "Updated 20 s ago."]);
  assert.deepEqual([connectionText({ ...net, state: "reconnecting" }), ageOf(net, null)], ["Reconnecting…", ""]);
});

test("a countdown ends at its time", () => {
  assert.equal(countdown(at(75), now), "1:15");
  assert.equal(countdown(at(0), now), null);
});

test("the reader is first, then those who train", () => {
  const members = [member("emil", { state: "invited" }), member("dana", { state: "left" }), member("cleo"), member("anna", { state: "finished" }),
    member("ben")];
  assert.deepEqual(inOrder(members, "anna", String).map(({ username }) => username), ["anna", "ben", "cleo", "emil", "dana"]);
  assert.equal(groupText({ members, participants: 3 }), "2 people training, 1 finished, 1 invited");
  assert.equal(groupText({ members: [member("dana", { state: "left" })], participants: 0 }), "Nobody is training now");
  // One who is invited sees the host and the number of people alone.
  assert.equal(groupText({ members: [member("ben"), member("anna", { state: "invited" })], participants: 3 }), "3 people training, 1 invited");
});

test("it is said who joined, left or finished, but not the reader, nor who was there before", () => {
  const map = (...members) => new Map(members.map((one) => [one.username, one]));
  const before = map(member("anna", { state: "invited" }), member("ben", { state: "invited" }), member("cleo"), member("dana"));
  const after = map(member("anna"), member("ben"), member("cleo", { state: "left" }), member("dana"), member("emil"));
  const said = (older, newer) => changesText(older, newer, { own: "anna", nameOf: (name) => name.toUpperCase() });
  assert.equal(said(before, after), "BEN joined. CLEO left. EMIL joined.");
  assert.equal(said(map(member("anna"), member("ben"), member("fay", { state: "invited" })), map(member("anna"))), "BEN left.");
  assert.equal(said(new Map(), after), "");
});

test("parts of sets, the end of a group and a shared workout have words", () => {
  assert.equal(shareDone(position), 5 / 14);
  assert.equal(shareDone({ ...position, setsDone: 20 }), 1);
  assert.equal(shareDone({ ...position, setsTotal: 0 }), null);
  assert.match(closedText("the live group has ended"), /ended/);
  assert.match(closedText("no longer shared"), /no longer/);
  assert.equal(sharedText({ isNew: false }, "Ben"), "Ben already has this workout.");
});
