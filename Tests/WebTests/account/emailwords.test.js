import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import { confirmByText, emailCodeProblem, emailState, mustConfirm } from "../../../Sources/WebApp/account/emailwords.js";

const email = "anna@example.org";

test("the state of an email follows from the account and the address that waits", () => {
  const states = [
    [{ email, isEmailConfirmed: false, confirmBy: "2026-12-11T10:00:00.000Z" }, email, "provisional"],
    [{ email, isEmailConfirmed: true }, "new@example.org", "changing"],
    [{ email, isEmailConfirmed: false }, email, "waiting"],
    [{ email, isEmailConfirmed: false }, null, "unconfirmed"],
    [{ email, isEmailConfirmed: true }, null, "confirmed"],
  ];
  for (const [account, confirming, state] of states) assert.equal(emailState(account, confirming), state);
});

test("only a provisional account must confirm, where the operator requires it", () => {
  const confirmBy = "2026-12-11T10:00:00.000Z";
  assert.equal(mustConfirm({ confirmation: "required" }, { confirmBy }), true);
  assert.equal(mustConfirm({ confirmation: "required" }, {}), false);
  assert.equal(mustConfirm({ confirmation: "optional" }, { confirmBy }), false);
  assert.equal(mustConfirm(null, null), false);
});

test("a person reads by when to confirm, and what is closed until then", () => {
  const confirmBy = "2026-12-11T10:00:00.000Z";
  const text = confirmByText({ confirmBy }, { isRequired: false, mails: true });
  assert.match(text, /^Enter the code .* can't meet buddies.* We delete accounts without a confirmed email: yours on .+\.$/);
  assert.match(confirmByText({ confirmBy }, { isRequired: true, mails: true }), /You need a confirmed email to use Campanile\./);
  assert.doesNotMatch(confirmByText({ confirmBy }, { isRequired: false, mails: false }), /code|delete/);
});

test("a code has eight digits, and may have spaces", () => {
  assert.deepEqual(["12345678", " 1234 5678"].map(emailCodeProblem), [null, null]);
  for (const wrong of ["", "1234567", "123456789", "1234567a"]) assert.equal(emailCodeProblem(wrong), "Enter the eight-digit code.");
});
