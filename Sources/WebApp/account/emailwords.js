// Words of the card of the account's email. Pure.

import { dayText } from "../kit/format.js";

/**
 * The state of an account's email: `provisional` (the account is removed unless it is confirmed), `changing` (a new one waits for its
 * code), `waiting` (a code for the present one was sent), `unconfirmed` or `confirmed`. `confirming` is the address that waits, if any.
 */
export function emailState({ email, isEmailConfirmed, confirmBy }, confirming) {
  if (confirmBy) return "provisional";
  if (confirming && confirming !== email) return "changing";
  if (confirming) return "waiting";
  return isEmailConfirmed ? "confirmed" : "unconfirmed";
}

/** What a person who has to confirm the email reads: by when, and what it opens. */
export function confirmByText({ confirmBy }, { isRequired, mails }) {
  const until = isRequired ? "You need a confirmed email to use Campanile."
    : "Until it's confirmed you can't meet buddies, or see or share anything that's for the campus.";
  if (!mails) return until;
  return `Enter the code from our email. ${until} We delete accounts without a confirmed email: yours on ${dayText(confirmBy)}.`;
}

/** The problem of a typed code, or null. */
export function emailCodeProblem(text) {
  return /^\d{8}$/.test(text.replaceAll(" ", "")) ? null : "Enter the eight-digit code.";
}

/** Whether the operator lets an account do nothing before its email is confirmed. */
export function mustConfirm(config, account) {
  return config?.confirmation === "required" && Boolean(account?.confirmBy);
}
