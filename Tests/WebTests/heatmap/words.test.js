import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { heatSentence } from "../../../Sources/WebApp/heatmap/scale.js";
import { stateText } from "../../../Sources/WebApp/heatmap/words.js";

const state = (more) => stateText({ cells: [[1, 1, 12]], seconds: 5, isLive: true, problem: null, ...more });

test("the legend gives the age of the counts", () => {
  assert.match(state({}), /^Counted .*\.$/);
  assert.match(state({ seconds: 90 }), /^No change since .*\.$/);
  assert.equal(state({ cells: [] }), "No busy spots right now.");
});

test("the legend marks counts that are not current", () => {
  assert.equal(state({ cells: null }), "Loading…");
  assert.equal(state({ cells: null, isLive: false }), "You're offline.");
  assert.match(state({ isLive: false }), /^You're offline\. Counted /);
  assert.equal(state({ problem: { message: "it is switched off" }, isLive: false }), "It is switched off.");
});

test("a screen reader gets the number of squares and the fullest", () => {
  assert.equal(heatSentence([]), "No busy spots right now.");
  assert.equal(heatSentence([[1, 1, 12]]), "1 busy square, the busiest with about 12 people.");
  assert.equal(heatSentence([[1, 1, 12], [2, 1, 40], [3, 1, 9]]), "2 busy squares, the busiest with about 40 people.");
});
