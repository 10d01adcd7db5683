import assert from "node:assert/strict";
import { test } from "node:test";
import { OffRoute } from "../../../Sources/WebApp/routes/offroute.js";

/** The states after positions a second apart. */
function statesOf(fixes) {
  const offRoute = new OffRoute();
  return fixes.map(([away, accuracy], index) => offRoute.take({ away, accuracy, time: index * 2_000 }));
}

test("someone who stays away from the line has left it, an outlier has not", () => {
  assert.deepEqual(statesOf([[5, 5], [60, 5], [62, 5], [65, 5], [70, 5]]), ["on", "doubtful", "doubtful", "off", "off"]);
  assert.deepEqual(statesOf([[5, 5], [60, 5], [4, 5], [60, 5], [6, 5]]), ["on", "doubtful", "on", "doubtful", "on"]);
});

test("what a position may be wrong by counts for the person", () => {
  assert.equal(statesOf([[45, 30], [45, 30], [45, 30], [45, 30]]).at(-1), "on");
  assert.equal(statesOf([[45, 5], [45, 5], [45, 5], [45, 5]]).at(-1), "off");
  assert.equal(statesOf([[400, 150], [400, 150], [400, 150], [400, 150]]).at(-1), "on", "a position of 150 m says nothing");
  assert.equal(statesOf([[400, NaN], [Infinity, 5], [NaN, 5]]).at(-1), "on");
});

test("someone who left is on the route again only when they are well back: at the edge nothing changes to and fro", () => {
  const off = [[60, 5], [60, 5], [60, 5]];
  assert.deepEqual(statesOf([...off, [20, 5], [24, 5], [26, 5], [8, 5]]).slice(2), ["off", "off", "off", "off", "on"]);
});

test("three positions within a moment are not enough", () => {
  const offRoute = new OffRoute();
  const states = [0, 100, 200, 300].map((time) => offRoute.take({ away: 80, accuracy: 5, time }));
  assert.deepEqual(states, ["doubtful", "doubtful", "doubtful", "doubtful"]);
});
