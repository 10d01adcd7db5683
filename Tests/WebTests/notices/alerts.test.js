import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.navigator ??= { languages: ["en-GB"] };
const { alertPlan, levels } = await import("../../../Sources/WebApp/notices/words.js");

const notice = (number, level = "info", username = "ben") => ({ notice: { number, level, from: { username } }, isCorrection: false });
const usual = { username: "ann", isVisible: true, isOnPage: false, isRecording: false, isAllowed: true };
const plan = (arrived, more = {}) => {
  const { notifications, toasts, isSummary } = alertPlan(arrived, { ...usual, ...more });
  const numbers = (some) => some.map((one) => one.notice.number);
  return [numbers(notifications), numbers(toasts), isSummary];
};
const each = [notice(1), notice(2, "important"), notice(3, "emergency")];

test("on a visible page there are toasts, and no toast for an emergency", () => {
  assert.deepEqual(plan(each), [[], [1, 2], false]);
});

test("the form says of each level whether it pops up", () => {
  const hints = Object.fromEntries(levels.map(({ id, hint }) => [id, hint]));
  assert.match(hints.info, /^Pops up briefly/);
  assert.match(hints.important, /^Pops up and stays/);
  assert.match(hints.emergency, /^A banner/);
});

test("on a hidden page there are notifications, and a toast stays for an important notice", () => {
  assert.deepEqual(plan(each, { isVisible: false }), [[1, 2, 3], [2], false]);
});

test("without permission a hidden page gets toasts", () => {
  assert.deepEqual(plan(each, { isVisible: false, isAllowed: false }), [[], [1, 2], false]);
});

test("while a session is recorded only an emergency notifies", () => {
  assert.deepEqual(plan(each, { isVisible: false, isRecording: true }), [[3], [1, 2], false]);
});

test("the page of notices gets no toasts while it is visible", () => {
  assert.deepEqual(plan(each, { isOnPage: true }), [[], [], false]);
  assert.deepEqual(plan(each, { isOnPage: true, isVisible: false }), [[1, 2, 3], [2], false]);
});

test("senders get no alerts for their notices, but for their emergencies", () => {
  const own = [notice(1, "info", "ann"), notice(2, "emergency", "ann")];
  assert.deepEqual(plan(own, { isVisible: false }), [[2], [], false]);
});

test("a notice without a sender's name is not taken for the reader's own", () => {
  assert.deepEqual(plan([{ notice: { number: 1, level: "info" } }], { username: undefined }), [[], [1], false]);
});

test("more than three toasts at once are one", () => {
  assert.equal(plan([1, 2, 3].map((number) => notice(number)))[2], false);
  assert.equal(plan([1, 2, 3, 4].map((number) => notice(number)))[2], true);
});
