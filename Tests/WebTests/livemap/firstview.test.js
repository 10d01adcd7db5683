import assert from "node:assert/strict";
import { test } from "node:test";
import { toUnit, worldSize } from "../../../Sources/WebApp/client/mercator.js";
import { firstView, viewPadding } from "../../../Sources/WebApp/livemap/firstview.js";

const bounds = { south: 51.495323534108635, west: 7.989598466866915, north: 51.504676465891365, east: 8.010401533133086 };
const phone = { size: { width: 390, height: 731 }, padding: { paddingTopLeft: [12, 12], paddingBottomRight: [72, 345] } };

test("the first view is the one that Leaflet fits on a phone", () => {
  const { box, zoom } = firstView(bounds, phone.size, phone.padding);
  assert.equal(zoom, 14.25);
  // Leaflet rounds to whole pixels, of which one is 0.00007 degrees wide.
  [51.469597, 7.982446, 51.515523, 8.021853].forEach((edge, index) => assert.ok(Math.abs(box[index] - edge) < 1e-4, `${box}`));
});

test("without padding a campus is in the middle, and as large as a step of the zoom lets it be", () => {
  const size = { width: 1_200, height: 800 };
  const { box: [south, west, north, east], zoom } = firstView(bounds, size, { paddingTopLeft: [0, 0], paddingBottomRight: [0, 0] });
  const [first, last] = [toUnit(bounds.north, bounds.west), toUnit(bounds.south, bounds.east)];
  const [shownFirst, shownLast] = [toUnit(north, west), toUnit(south, east)];
  assert.ok(Math.abs(first.x + last.x - shownFirst.x - shownLast.x) < 1e-9);
  const fits = (step) => (last.x - first.x) * worldSize(step) <= size.width && (last.y - first.y) * worldSize(step) <= size.height;
  assert.ok(fits(zoom) && !fits(zoom + 0.25));
  const asked = (shownLast.x - shownFirst.x) * worldSize(zoom);
  assert.ok(Math.abs(asked - size.width * (1 + 2 * viewPadding)) < 0.01);
});

test("panels that leave no room get the widest view", () => {
  assert.equal(firstView(bounds, { width: 100, height: 100 }, phone.padding).zoom, 3);
});
