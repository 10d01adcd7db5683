import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { peopleNote } from "../../../Sources/WebApp/livemap/peoplewords.js";

const note = (more) => peopleNote({ shares: 0, hidden: 0, direct: 0, isFailed: false, campus: null, ...more });
const campus = { others: 0, problem: null, isWhole: true, more: 0 };

test("the note says why nobody is listed", () => {
  assert.equal(note({}), "Nobody shares with you now.");
  assert.equal(note({ isFailed: true }), "What is shared with you could not be loaded. It is tried again by itself.");
  assert.equal(note({ shares: 2 }), "Waiting for what is shared with you…");
  assert.equal(note({ shares: 1, hidden: 1 }), "1 person hidden by you: see Sharing.");
  assert.equal(note({ shares: 1, direct: 1 }), "");
});

test("with everybody on campus it counts the others", () => {
  assert.equal(note({ direct: 1, campus }), "Nobody else is to be seen here.");
  assert.equal(note({ direct: 1, campus: { ...campus, others: 2, isWhole: false, more: 3 } }),
    "2 others to be seen here. Zoom in to see everybody: of so wide a view only the middle is looked at. 3 more people here: zoom in.");
  assert.equal(note({ direct: 1, campus: { ...campus, problem: new Error("It is switched off.") } }), "It is switched off.");
});
