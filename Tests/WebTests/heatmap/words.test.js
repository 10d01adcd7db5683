import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { heatSentence } from "../../../Sources/WebApp/heatmap/scale.js";
import { stateText } from "../../../Sources/WebApp/heatmap/words.js";

const state = (more) => stateText({ cells: [[1, 1, 12]], seconds: 5, isLive: true, problem: null, ...more });

test("the legend gives the age of the counts", () => {
  assert.match(state({}), /^Counted .*\.$/);
  assert.match(state({ seconds: 90 }), /^The same since .*\.$/);
  assert.equal(state({ cells: [] }), "No busy spots right now.");
});

test("the legend marks counts that are not current", () => {
  assert.equal(state({ cells: null }), "Loading…");
  assert.equal(state({ cells: null, isLive: false }), "No connection. It comes when it is back.");
  assert.match(state({ isLive: false }), /^No connection: this is from /);
  assert.equal(state({ problem: { message: "it is switched off" }, isLive: false }), "It is switched off.");
});

test("a screen reader gets the number of squares and the fullest", () => {
  assert.equal(heatSentence([]), "Nowhere are enough people to be shown.");
  assert.equal(heatSentence([[1, 1, 12]]), "1 square has people in it, the fullest about 12.");
  assert.equal(heatSentence([[1, 1, 12], [2, 1, 40], [3, 1, 9]]), "2 squares have people in them, the fullest about 40.");
});
