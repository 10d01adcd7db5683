import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { latestPosition, noteText, whereText } from "../../../Sources/WebApp/livemap/myposition.js";

const at = Date.parse("2026-05-04T08:00:00.000Z");
const location = { lat: 51, lon: 8, accuracy: 20, source: "manual", at: "2026-05-04T08:00:00.000Z" };
const fix = (time, more) => ({ lat: 52, lon: 9, accuracy: 8, time, ...more });
const latest = (more) => latestPosition({ location: null, isPinned: false, fixes: [], clockOffset: 0, ...more });

test("nothing known is no position", () => {
  assert.equal(latest({ fixes: [null, null] }), null);
});

test("of this device's fixes the newest counts, in the server's time", () => {
  const { lat, time } = latest({ fixes: [fix(at), null, fix(at + 1_000, { lat: 53 })], clockOffset: 500 });
  assert.deepEqual([lat, time], [53, at + 1_500]);
});

test("the server's position counts when it is a pin, alone, or more than five seconds newer", () => {
  const latOf = (more) => latest({ location, ...more }).lat;
  assert.equal(latOf({}), 51);
  assert.equal(latOf({ fixes: [fix(at - 4_000)] }), 52);
  assert.equal(latOf({ fixes: [fix(at - 6_000)] }), 51);
  assert.equal(latOf({ fixes: [fix(at + 60_000)], isPinned: true }), 51);
});

test("the note gives distance far from the campus, and the age near it", () => {
  const here = { accuracy: 20, source: "manual" };
  assert.match(whereText(here, 4_000), /^You're .* from campus$/);
  assert.match(whereText(here, null), /^You \(±20 m, pin\)$/);
  assert.match(noteText({ here, away: null, seconds: 90, isHidden: false, isUnseen: true }), /^You \(±20 m, pin\), .*ago\. Only you see it\.$/);
  assert.match(noteText({ here, away: 4_000, seconds: 90, isHidden: true, isUnseen: true }), /campus\. Nobody sees you here\.$/);
});
