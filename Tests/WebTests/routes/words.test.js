import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { RoutePath } from "../../../Sources/WebApp/routes/path.js";
import * as words from "../../../Sources/WebApp/routes/words.js";
import { exampleRoute } from "./fakes.js";

const path = new RoutePath(exampleRoute().points);

test("minutes are read as people say them", () => {
  assert.deepEqual([10, 90, 3_600, 5_000].map(words.minutesText), ["1 min", "2 min", "1 h", "1 h 23 min"]);
  assert.deepEqual([10, 130].map(words.minutesWords), ["1 minute", "2 minutes"]);
});

test("a direction names what people see; its metres stand beside it", () => {
  const [walk, , lift] = exampleRoute().legs;
  assert.deepEqual([words.legText(walk), words.legMetres(walk)], ["Go along Main Walk", "100 m"]);
  assert.deepEqual([words.legText(lift), words.legMetres(lift)], ["Take the lift to level 2", ""]);
  assert.equal(words.legText({}), "");
});

test("the crowd, uncertain parts and the end are in sentences, or nothing is said", () => {
  const route = exampleRoute();
  assert.equal(words.crowdSentence(route, path), null);
  assert.equal(words.crowdSentence({ crowd: [{ first: 0, last: 1, people: 40 }] }, path), "Busy for 100 m.");
  assert.equal(words.crowdSentence({ crowd: [{ first: 0, last: 2, people: 40 }], crowdSeconds: 70 }, path),
    "Busy for 120 m, about 1 minute slower.");
  assert.equal(words.uncertainSentence(route, path), null);
  assert.match(words.uncertainSentence({ uncertain: [[0, 1]] }, path), /^Perhaps not step-free for 100 m/);
  assert.equal(words.entrySentence(route), null);
  assert.match(words.entrySentence({ entry: "entrance" }), /ends at the entrance/);
});

test("the news of a walk gives the reason and the difference", () => {
  const closed = { kind: "closed", object: "Lift in the library" };
  assert.equal(words.newsText({ reason: closed, difference: 130 }), "The lift in the library is out of order. New route: 2 minutes longer.");
  assert.equal(words.newsText({ reason: { kind: "opened", object: "Lift in the library" }, difference: -130 }),
    "The lift in the library is working again. New route: 2 minutes shorter.");
  assert.equal(words.newsText({ reason: { kind: "closed", object: "Path by the lake" }, difference: 5 }),
    "The path by the lake is closed. New route, about as long.");
  assert.equal(words.newsText({ reason: { kind: "closed", object: "Stairs in Hall 3" } }), "The stairs in Hall 3 are closed. New route.");
  assert.equal(words.newsText({ reason: closed, message: "no step-free route is known: ask for help at the destination, or allow steps" }),
    "The lift in the library is out of order. No step-free route is known: ask for help at the destination, or allow steps.");
  assert.equal(words.newsText({ reason: undefined, difference: null }), "The way has changed. New route.");
});

test("a lift with a name of its own has no article", () => {
  assert.equal(words.closureSentence({ kind: "lift", name: "Lift A in Weaver Library" }), "Lift A in Weaver Library is out of order.");
});

test("an instruction says when; a lift is used now", () => {
  assert.deepEqual([
    words.whenText({ isNext: true, metres: 23, isVertical: false }), words.whenText({ isNext: false, metres: 83, isVertical: false }),
    words.whenText({ isNext: true, metres: 4, isVertical: false }), words.whenText({ isNext: false, metres: 0, isVertical: true }),
  ], ["In 20 m", "For 80 m", "Now", "Now"]);
});

test("level 0 is the ground floor, also in the server's words", () => {
  assert.deepEqual(["0", "2", "-1"].map(words.levelWords), ["the ground floor", "level 2", "level −1"]);
  assert.equal(words.legText({ text: "take the lift to level 0" }), "Take the lift to the ground floor");
  assert.equal(words.legText({ text: "take the stairs to level 0.5" }), "Take the stairs to level 0.5");
});

test("a lone route with a step-free preference is step-free, not fastest", () => {
  assert.deepEqual(words.reasonLabels(["fastest"], { isStepFree: true, isAlone: true }), ["Step-free"]);
  assert.deepEqual(words.reasonLabels(["fastest"], { isStepFree: true }), ["Fastest"]);
});

test("reasons of a newer server are left out", () => {
  assert.deepEqual(words.reasonLabels(["fastest", "sunnier", "stepFree"]), ["Fastest", "Step-free"]);
  assert.deepEqual(words.reasonLabels(undefined), []);
});
