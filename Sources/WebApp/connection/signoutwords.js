// The messages for the causes with which the server ends a sign-in. Pure.

const words = {
  disabled: { text: "An admin has disabled your account.", next: "If you think that's a mistake, ask a campus admin.", isFinal: true },
  removed: { text: "This account was deleted.", next: "If that wasn't you, ask a campus admin.", isFinal: true, keepsNothing: true },
  changed: { text: "An admin has changed your account.", next: "Log in again to continue where you were.", isFinal: false },
  devices: { text: "You're logged in on too many devices, so this one was logged out.", next: "Log in again to continue.",
    isFinal: false },
  signedOut: { text: "You were logged out: from another device, by an admin, or because the password was changed.",
    next: "Log in again to continue.", isFinal: false },
};

/** Whether logging in again leads on. */
export function mayReturn(cause) {
  return !words[cause].isFinal;
}

/** Whether changes that wait to be sent stay in this browser, for the same account. */
export function keepsChanges(cause) {
  return cause === "changed";
}

/** Whether what this browser has of the account is to go with it. */
export function keepsNothing(cause) {
  return words[cause].keepsNothing === true;
}

/** The sentences, and whether they stay until they were read. `unsent`: the number of changes that waited to be sent. */
export function signOutWords(cause, { isRecording = false, isSharing = false, unsent = 0 } = {}) {
  const { text, next, isFinal } = words[cause];
  const kept = isRecording && !keepsNothing(cause) ? "Your recording so far is kept." : "";
  // Of an account that is no more nothing is seen.
  const shared = isSharing && !isFinal ? "Others may still see your location. Log in again to stop that." : "";
  const isLoss = unsent > 0 && !keepsChanges(cause) && !keepsNothing(cause);
  const lost = !isLoss ? "" : unsent === 1 ? "1 unsent change was lost." : `${unsent} unsent changes were lost.`;
  return { text: [text, kept, lost, shared, next].filter(Boolean).join(" "), stays: isFinal || isRecording || isSharing || isLoss };
}
