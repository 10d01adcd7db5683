import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { byState, foundObjects, periodProblems, periodText, stateOf } from "../../../Sources/WebApp/closures/closurewords.js";
import { closureSentence, holding } from "../../../Sources/WebApp/routes/words.js";

const now = Date.parse("2026-05-04T10:00:00Z");
const hours = (count) => new Date(now + count * 3_600_000).toISOString();

test("a closure is active, planned or past; maps mark only what is closed now", () => {
  const closures = [{ id: 1 }, { id: 2, from: hours(1) }, { id: 3, until: hours(-1) }, { id: 4, from: hours(-2), until: hours(1) }, { id: 5, until: hours(0) }];
  assert.deepEqual(closures.map((closure) => stateOf(closure, now)), ["active", "planned", "past", "active", "past"]);
  assert.deepEqual(holding(closures, now).map(({ id }) => id), [1, 4]);
  const { active, planned, past } = byState(closures, now);
  assert.deepEqual([active, planned, past].map((group) => group.map(({ id }) => id)), [[4, 1], [2], [5, 3]]);
});

test("a list that is full says that there may be more", () => {
  const text = (found, isSearched = false) => foundObjects(found, { max: 50, isSearched });
  assert.deepEqual([50, 49, 1].map((found) => text(found)), ["First 50. Search for more.", "49 results", "1 result"]);
  assert.equal(text(0, true), "Nothing has that name.");
  assert.equal(text(0), "The campus map has no lifts, doors or paths yet.");
});

test("a period is checked before it is sent", () => {
  assert.deepEqual(periodProblems({ from: null, until: null }, now), {});
  assert.deepEqual(periodProblems({ from: now + 5, until: now + 9 }, now), {});
  assert.ok(periodProblems({ from: NaN, until: null }, now).from);
  assert.ok(periodProblems({ from: null, until: now - 1 }, now).until);
  assert.match(periodProblems({ from: now + 9, until: now + 5 }, now).until, /after the start/);
});

test("a closure reads as a sentence", () => {
  assert.equal(closureSentence({ kind: "lift", name: "Lift in Main Library, levels 0 to 2" }), "The lift in Main Library is out of order.");
  assert.equal(closureSentence({ kind: "door", name: "North entrance" }), "North entrance is locked.");
  assert.equal(closureSentence({ kind: "path", name: "Path by the lake" }), "The path by the lake is closed.");
  assert.match(periodText({ until: hours(1) }, now), /^Until /);
  assert.equal(periodText({}, now), "Until reopened");
});
