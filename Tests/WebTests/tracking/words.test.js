import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { waitingText } from "../../../Sources/WebApp/tracking/words.js";

const session = { title: "Laps", points: 4, distance: 1_500, elapsed: 600 };

test("points that wait are counted, a stop alone is not", () => {
  assert.equal(waitingText({ points: 2, session: null, isLive: true }), "2 points left to upload.");
  assert.equal(waitingText({ points: 0, session: null, isLive: true }), "Waiting to upload.");
});

test("a session that waits as a whole is named, with its distance if it has one", () => {
  assert.equal(waitingText({ points: 1, session, isLive: false }),
    "“Laps” (1.50 km, 00:10:00) is saved on this device. 1 point left to upload. It uploads automatically when you're back online.");
  assert.match(waitingText({ points: 0, session: { ...session, points: 0 }, isLive: true }), /^“Laps” \(00:10:00\) is saved/);
});
