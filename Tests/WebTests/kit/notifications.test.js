import assert from "node:assert/strict";
import { test } from "node:test";
import { alertKind } from "../../../Sources/WebApp/kit/notifications.js";

const usual = { isInView: false, isPageVisible: true, isRecording: false, isAllowed: true };

test("news becomes a notification where the person allows it, and a toast elsewhere", () => {
  assert.equal(alertKind(usual), "notification");
  assert.equal(alertKind({ ...usual, isAllowed: false }), "toast");
});

test("while a session is recorded there are toasts only", () => {
  assert.equal(alertKind({ ...usual, isRecording: true }), "toast");
});

test("muted news, and news in view on a visible page, becomes nothing", () => {
  assert.equal(alertKind({ ...usual, isMuted: true }), null);
  assert.equal(alertKind({ ...usual, isInView: true }), null);
  assert.equal(alertKind({ ...usual, isInView: true, isPageVisible: false }), "notification");
});
