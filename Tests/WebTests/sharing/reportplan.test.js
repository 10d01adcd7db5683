import assert from "node:assert/strict";
import { test } from "node:test";
import { pinReport, waitOf } from "../../../Sources/WebApp/sharing/reportplan.js";

test("the accuracy of a pin is between 5 and 500 m", () => {
  assert.deepEqual(pinReport({ lat: 1, lon: 2, accuracy: 0.2 }), { lat: 1, lon: 2, accuracy: 5, source: "manual" });
  assert.equal(pinReport({ lat: 1, lon: 2, accuracy: 9_999 }).accuracy, 500);
});

test("an error names its wait in seconds, or none", () => {
  assert.equal(waitOf({ data: { retryAfter: 1.5 } }), 1_500);
  assert.equal(waitOf({}), 0);
});
