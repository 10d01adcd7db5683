import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { kindWords, visitDay } from "../../../Sources/WebApp/places/words.js";

test("a day is the same in any time zone, and a kind is written in words", () => {
  assert.equal(visitDay("2026-11-02"), "Nov 2, 2026");
  assert.equal(kindWords("lecture_hall"), "lecture hall");
});
