import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { lostText, refusedText } = await import("../../../Sources/WebApp/shell/refusedwords.js");

const edit = { method: "chat.edit", params: { text: "See you at nine" }, error: new Error("the message was deleted") };
const group = { method: "group.create", params: { name: "Hill runners" }, shown: { invited: ["Ben", "Eva"] }, error: new Error("Too many.") };
const update = { method: "events.update", params: {}, error: new Error("this event has changed"), needing: [{ method: "events.publish" }] };

test("all refused changes are in one message, each with its reason", () => {
  const text = refusedText([update, group]);
  for (const part of ["2 changes", "This event has changed.", "Too many."]) assert.ok(text.includes(part), part);
});

test("the message says that an event was not published because its change was refused", () => {
  assert.equal(refusedText([update]),
    "A change you made offline wasn't saved. This event has changed. Your event wasn't published.");
  assert.ok(refusedText([{ method: "events.publish", params: {}, error: update.error }]).endsWith("Your event wasn't published."));
});

test("what the person wrote is in the message, and in full in what is copied", () => {
  assert.ok(refusedText([edit]).includes("“See you at nine”"));
  const long = { ...edit, params: { text: "x".repeat(3_000) } };
  assert.ok(refusedText([long]).length < 300);
  assert.equal(lostText([long, group, update]), `${"x".repeat(3_000)}\n\nHill runners, Ben, Eva`);
});

test("the last of many refused changes are named; all are counted, and what was written in them is copied", () => {
  const many = Array.from({ length: 10 }, (_, index) => ({ ...edit, params: { text: `Text ${index}` } }));
  const lines = refusedText(many).split("\n");
  assert.ok(lines[0].startsWith("10 changes"));
  assert.deepEqual([lines.length, lines[1].includes("Text 2"), lines[8].includes("Text 9")], [9, true, true]);
  assert.equal(lostText(many).split("\n\n").length, 10);
});

test("a start that was refused for too many open workouts has the words of its page", () => {
  const start = (message) => ({ method: "training.start", params: {}, error: Object.assign(new Error(message), { isConflict: true }) });
  assert.ok(refusedText([start("20 trainings have not ended: end one first")])
    .endsWith("You have too many open workouts. Finish or discard one, then try again."));
  assert.ok(refusedText([start("this id is taken")]).endsWith("This id is taken."));
});
