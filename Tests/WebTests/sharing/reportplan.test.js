import assert from "node:assert/strict";
import { test } from "node:test";
import { Network, queue } from "../connection/fakequeue.js";
import { pinReport, settingsInForce, waitOf } from "../../../Sources/WebApp/sharing/reportplan.js";

test("the accuracy of a pin is between 5 and 500 m", () => {
  assert.deepEqual(pinReport({ lat: 1, lon: 2, accuracy: 0.2 }), { lat: 1, lon: 2, accuracy: 5, source: "manual" });
  assert.equal(pinReport({ lat: 1, lon: 2, accuracy: 9_999 }).accuracy, 500);
});

test("an error names its wait in seconds, or none", () => {
  assert.equal(waitOf({ data: { retryAfter: 1.5 } }), 1_500);
  assert.equal(waitOf({}), 0);
});

test("what waits to be turned off is not in force, nor is what waits to be turned on", async () => {
  const net = new Network();
  net.state = "offline";
  const writes = queue(net);
  for (const params of [{ visits: false }, { heatmap: true }, { searches: false }, { searches: true }]) {
    await writes.write("privacy.saveSettings", params);
  }
  const settings = { visits: true, heatmap: false, searches: true, residences: true };
  const inForce = { visits: false, heatmap: false, searches: false, residences: true };
  assert.deepEqual(settingsInForce(writes, settings), inForce);
  assert.deepEqual(settingsInForce(writes, writes.shown("privacy.settings", {}, settings)), inForce);
});
