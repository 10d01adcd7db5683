import assert from "node:assert/strict";
import { test } from "node:test";

// Formats of dates are made for the reader's languages when the module is loaded.
if (!globalThis.navigator) globalThis.navigator = { languages: ["en-GB"] };
const { headLine, typingLine } = await import("../../../Sources/WebApp/chat/rows.js");

const direct = { kind: "direct", members: 2 };
const group = { kind: "group", members: 3 };
const usual = { conversation: direct, isClosed: false, writing: [], isLive: true, isMuted: false };

test("the head of a conversation says its end first, then the writing, then the network, then its members", () => {
  const line = (more) => headLine({ ...usual, ...more });
  assert.equal(line({}), "Buddy");
  assert.equal(line({ isMuted: true }), "Buddy · muted");
  assert.equal(line({ conversation: group }), "3 members");
  assert.equal(line({ conversation: { ...group, members: 1 }, isMuted: true }), "1 member · muted");
  assert.equal(line({ isLive: false }), "Waiting for connection…");
  assert.equal(line({ isLive: false, isOffline: true }), "Offline");
  assert.equal(line({ isLive: false, writing: ["Ann Lee"] }), "is typing…");
  assert.equal(line({ conversation: group, writing: ["Ann Lee"] }), "Ann Lee is typing…");
  assert.equal(line({ conversation: group, writing: ["Ann Lee", "Ben"] }), "2 people are typing…");
  assert.equal(line({ isClosed: true, writing: ["Ann Lee"] }), "Ended");
  assert.equal(line({ conversation: null, isClosed: true }), "");
});

test("the line below the messages has the first name of the person who writes", () => {
  assert.deepEqual([[], ["Ann Lee"], ["Ann Lee", "Ben"]].map(typingLine), ["", "Ann is typing", "2 people are typing"]);
});
