import assert from "node:assert/strict";
import { test } from "node:test";
import { readSetValues } from "../../../Sources/WebApp/training/setvalues.js";

test("a weight has any decimals, after a point or a comma", () => {
  assert.deepEqual(readSetValues({ reps: "8", kilograms: "21.25" }, ["reps", "weight"]), { values: { reps: 8, kilograms: 21.25 }, problems: {} });
  assert.deepEqual(readSetValues({ kilograms: " 7,5 " }, ["weight"]).values, { kilograms: 7.5 });
});

test("an empty field has no value", () => {
  assert.deepEqual(readSetValues({ seconds: "", metres: "400" }, ["time", "distance"]), { values: { metres: 400 }, problems: {} });
});

test("values that the server refuses have a problem", () => {
  const measures = ["reps", "weight", "time", "distance"];
  const { values, problems } = readSetValues({ reps: "2.5", kilograms: "1001", seconds: "-3", metres: "abc" }, measures);
  assert.deepEqual(values, {});
  assert.deepEqual(problems, {
    reps: "Enter a whole number from 0 to 1,000.", kilograms: "Enter a weight from 0 to 1,000.", seconds: "Enter whole seconds from 0 to 86,400.",
    metres: "Enter metres from 0 to 1,000,000.",
  });
  assert.deepEqual(Object.keys(readSetValues({ reps: "1e2", kilograms: "1,2,3" }, measures).problems), ["reps", "kilograms"]);
  assert.deepEqual(readSetValues({ reps: "1000", kilograms: "1000", seconds: "86400", metres: "1000000" }, measures).problems, {});
});
