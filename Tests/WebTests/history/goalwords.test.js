import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { goalProblem, percentText } from "../../../Sources/WebApp/history/goalwords.js";

test("a goal is a whole number of kilometres from 10 to 999, and not below the distance of the month", () => {
  const range = "Goal must be between 10-999 km";
  assert.deepEqual(["10", "999", " 42 "].map((text) => goalProblem(text, 0)), [null, null, null]);
  assert.deepEqual(["", " ", "9", "10.5", "ten", "-20"].map((text) => goalProblem(text, 0)), Array(6).fill(range));
  assert.equal(goalProblem("1000", 0), "Goal must not exceed 999KM");
  assert.equal(goalProblem("20", 20_000), null);
  assert.match(goalProblem("20", 20_001), /^Goal must not be below the 20\.\d+ km that this month already has$/);
});

test("the part of a goal has three decimals", () => {
  assert.deepEqual([16, 0, null, -3, 120.12345].map(percentText), ["16.000", "0.000", "0.000", "0.000", "120.123"]);
});
