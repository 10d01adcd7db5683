import assert from "node:assert/strict";
import { test } from "node:test";
import { isGuiding, isPaused, isRunning, nextState, sessionStates } from "../../../Sources/WebApp/training/states.js";

const events = ["rest", "over", "next", "last", "pause", "resume", "resumeLast", "lose", "takeOver", "takeOverPaused", "takeOverLast", "finish"];

test("each event leads to a state, or is not possible", () => {
  const steps = sessionStates.flatMap((state) => events.map((event) => [state, event, nextState(state, event)]));
  assert.deepEqual(steps.filter(([, , state]) => state !== null && !sessionStates.includes(state)), []);
  assert.equal(nextState("exercise", "nothing"), null);
  assert.equal(nextState("constructor", "rest"), null);
});

test("every state but the last can end, and nothing follows the end but its refusal", () => {
  for (const state of sessionStates.filter((one) => one !== "finished")) assert.equal(nextState(state, "finish"), "finished", state);
  assert.deepEqual(events.filter((event) => nextState("finished", event) !== null), []);
  assert.deepEqual(["hold", "reopen", "reopenLast"].map((event) => nextState("finished", event)), ["paused", "exercise", "complete"]);
});

test("a pause goes on where it began, and an end of the rest stays paused", () => {
  for (const state of ["exercise", "rest"]) assert.equal(nextState(nextState(state, "pause"), "resume"), state);
  assert.equal(nextState(nextState("rest", "pause"), "over"), "paused");
  assert.equal(nextState("complete", "pause"), null);
});

test("each state can be lost to another device, and gained again only by taking over", () => {
  for (const state of sessionStates.filter(isGuiding)) assert.equal(nextState(state, "lose"), "elsewhere", state);
  const out = events.filter((event) => !["lose", "elsewhere", "finish", null].includes(event) && nextState("elsewhere", event) !== null);
  assert.deepEqual(out, ["takeOver", "takeOverPaused", "takeOverLast"]);
  assert.deepEqual(sessionStates.filter(isRunning), ["exercise", "rest", "complete"]);
  assert.deepEqual(sessionStates.filter(isPaused), ["paused", "restPaused"]);
});
