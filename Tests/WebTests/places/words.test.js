import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { kindWords, monthFirst, searchState } from "../../../Sources/WebApp/places/words.js";

test("a search gives the number of places, or why there are none", () => {
  const state = (more) => searchState({ found: 0, problem: null, isMore: false, ...more });
  assert.equal(state({}), "No place of the campus has these words in its name.");
  assert.equal(state({ found: 1 }), "1 place");
  assert.equal(state({ found: 20, isMore: true }), "20 places, and more: say more of the name");
  assert.equal(state({ problem: new Error("No connection.") }), "No connection.");
  assert.equal(state({ found: 2, problem: new Error("No connection.") }), "No connection. These are from the drawing of the campus.");
});

test("a day is written month first in any time zone, and a kind in words", () => {
  assert.equal(monthFirst("2026-11-02"), "11/2/2026");
  assert.equal(kindWords("lecture_hall"), "lecture hall");
});
