import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.navigator ??= { languages: ["en-GB"] };
const { peopleByAnswer } = await import("../../../Sources/WebApp/events/words.js");

const people = [{ answer: "going" }, { answer: "going", queue: 1 }, {}, { answer: "no" }, { answer: "going" }];

test("people are grouped by answer, without empty groups", () => {
  assert.deepEqual(peopleByAnswer(people).map(({ title, size }) => [title, size]),
    [["Going", 2], ["Waiting list", 1], ["Invited, no answer yet", 1], ["Not going", 1]]);
});

test("the first people of all groups are shown, and each group has its whole size", () => {
  assert.deepEqual(peopleByAnswer(people, 3).map(({ size, people: shown }) => [size, shown.length]), [[2, 2], [1, 1], [1, 0], [1, 0]]);
});
