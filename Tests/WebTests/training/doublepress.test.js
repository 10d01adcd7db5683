import assert from "node:assert/strict";
import { test } from "node:test";
import { DoublePress } from "../../../Sources/WebApp/training/doublepress.js";

test("the second press of a double press is known by its time", () => {
  const press = new DoublePress();
  assert.deepEqual([0, 250, 700, 2_000, 2_340].map((at) => press.isSecond(at)), [false, true, false, false, true]);
});
