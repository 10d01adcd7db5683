import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { kindWords, searchState, visitDay } from "../../../Sources/WebApp/places/words.js";

test("a search gives the number of places, or why there are none", () => {
  const state = (more) => searchState({ found: 0, problem: null, isMore: false, ...more });
  assert.equal(state({}), "No places match.");
  assert.equal(state({ found: 1 }), "1 place");
  assert.equal(state({ found: 20, isMore: true }), "20 places and more. Type more of the name");
  assert.equal(state({ problem: new Error("No connection.") }), "No connection.");
  assert.equal(state({ found: 2, problem: new Error("No connection.") }), "No connection. These are from the campus map.");
});

test("a day is the same in any time zone, and a kind is written in words", () => {
  assert.equal(visitDay("2026-11-02"), "Nov 2, 2026");
  assert.equal(kindWords("lecture_hall"), "lecture hall");
});
