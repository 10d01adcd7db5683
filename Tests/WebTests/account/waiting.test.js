import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingChanges } from "../../../Sources/WebApp/account/waiting.js";

const nothing = {
  tracker: { unsent: 0, waiting: { entries: 0, points: 0 }, waitingSessions: [], refusedSessions: [], record: null },
  chat: { sender: { entries: [] } }, profileEdits: { waiting: 0 }, settings: { waiting: 0 }, sharing: { isStopping: () => false },
  notices: { waiting: 0 }, net: { writes: { waiting: [] } },
};

test("a message that was refused is not among those that wait", () => {
  assert.deepEqual(waitingChanges(nothing), []);
  const chat = { sender: { entries: [{ id: "a" }, { id: "b", problem: "This chat has ended." }, { id: "c" }] } };
  assert.deepEqual(waitingChanges({ ...nothing, chat }), [
    { text: "2 messages", path: "/chats", isRefused: false }, { text: "1 message", path: "/chats", isRefused: true }]);
});
