import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { ageText, isAllHidden, newest, sessionState, stateIcon } from "../../../Sources/WebApp/livemap/followwords.js";

const running = { state: "running", activity: "run", points: 4, elapsed: 60 };
const hidden = { state: "finished", activity: "cycle", points: 0, elapsed: 0 };
const timeOnly = { state: "finished", activity: "run", points: 0, elapsed: 60 };
const card = (more) => ({ runner: null, facts: running, isHidden: false, ended: null, age: 3, owner: "ann", ...more });

test("a session has its runner's state, and without one that of the session", () => {
  assert.equal(sessionState({ runner: { state: "paused" }, facts: running, isHidden: false }), "paused");
  assert.equal(sessionState({ runner: null, facts: running, isHidden: false }), "offline");
  assert.equal(sessionState({ runner: null, facts: timeOnly, isHidden: false }), "finished");
  assert.equal(sessionState({ runner: null, facts: null, isHidden: false }), "offline");
  assert.equal(sessionState({ runner: { state: "moving" }, facts: running, isHidden: true }), "hidden");
});

test("only a finished session without points and without a time is hidden as a whole", () => {
  assert.deepEqual([hidden, timeOnly, running, null].map((facts) => Boolean(isAllHidden(facts))), [true, false, false, false]);
});

test("of two reports the later counts, but a finish counts always", () => {
  const [older, later] = [{ at: 1_000, state: "moving" }, { at: 2_000, state: "moving" }];
  const finished = { at: 500, state: "finished" };
  assert.equal(newest(older, later), later);
  assert.equal(newest(finished, later), finished);
  assert.equal(newest(null, later), later);
  assert.equal(newest(null, null), null);
});

test("the sentence below the figures has the reason before the age", () => {
  assert.equal(ageText(card({ facts: hidden, ended: "Finished" })), "ann hides this ride: it's all in a private zone or residence.");
  assert.equal(ageText(card({ ended: "It was revoked.", isHidden: true })), "It was revoked.");
  assert.match(ageText(card({ isHidden: true })), /^In a private place\./);
  assert.match(ageText(card({ runner: { at: 1 } })), /^Last seen /);
  assert.equal(ageText(card({ facts: timeOnly, ended: "Finished" })), "Recorded without location: time only.");
  assert.equal(ageText(card({})), "No location yet");
  assert.equal(ageText(card({ ended: "Finished" })), "");
});

test("a state that may have changed has the icon of no connection", () => {
  assert.deepEqual([["moving", "unknown"], ["hidden", "hidden"], ["paused", "paused"], ["running", "running"]]
    .map(([state, shown]) => stateIcon(state, shown)), ["offline", "unseen", "paused", "stationary"]);
});
