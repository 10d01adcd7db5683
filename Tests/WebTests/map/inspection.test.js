import assert from "node:assert/strict";
import { test } from "node:test";
import { MapInspection } from "../../../Sources/WebApp/map/inspection.js";

test("without a map the readings are empty", () => {
  const { readings } = new MapInspection();
  assert.deepEqual([readings.runners(), readings.me(), readings.heat()], [[], null, {}]);
});

test("a page registers its readings, the others stay empty, and removes them", () => {
  const inspection = new MapInspection();
  const remove = inspection.register({ runners: () => [7] });
  assert.deepEqual([inspection.readings.runners(), inspection.readings.people()], [[7], []]);
  remove();
  assert.deepEqual(inspection.readings.runners(), []);
});

test("a page that ends late does not remove the readings of the next", () => {
  const inspection = new MapInspection();
  const remove = inspection.register({ runners: () => [1] });
  inspection.register({ runners: () => [2] });
  remove();
  assert.deepEqual(inspection.readings.runners(), [2]);
});
