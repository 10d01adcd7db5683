import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { peopleNote } from "../../../Sources/WebApp/livemap/peoplewords.js";

const note = (more) => peopleNote({ shares: 0, hidden: 0, direct: 0, isFailed: false, campus: null, ...more });
const campus = { others: 0, problem: null, isWhole: true, more: 0 };

test("the note says why nobody is listed", () => {
  assert.equal(note({}), "Nobody is sharing with you.");
  assert.equal(note({ isFailed: true }), "Couldn't load locations shared with you. We'll keep trying.");
  assert.equal(note({ isOffline: true }), "Locations shared with you aren't kept on this device. They appear when you're back online.");
  assert.equal(note({ shares: 2 }), "Waiting for shared locations…");
  assert.equal(note({ shares: 1, hidden: 1 }), "You've hidden 1 person. See Sharing.");
  assert.equal(note({ shares: 1, direct: 1 }), "");
});

test("with everybody on campus it counts the others", () => {
  assert.equal(note({ direct: 1, campus }), "Nobody else here.");
  assert.equal(note({ direct: 1, campus: { ...campus, others: 2, isWhole: false, more: 3 } }),
    "2 other people here. Zoom in to see everyone. Only the middle of this view is covered. Zoom in to see 3 more people.");
  assert.equal(note({ direct: 1, campus: { ...campus, problem: new Error("It is switched off.") } }), "It is switched off.");
});
