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

/** Whether what this browser has of the account is to go with it. */
export function keepsNothing(cause) {
  return words[cause].keepsNothing === true;
}

/** The sentences, and whether they stay until they were read. */
export function signOutWords(cause, { isRecording = false, isSharing = false } = {}) {
  const { text, next, isFinal } = words[cause];
  const kept = isRecording && !keepsNothing(cause) ? "Your recording so far is kept." : "";
  // Of an account that is no more nothing is seen.
  const shared = isSharing && !isFinal ? "Others may still see your location. Log in again to stop that." : "";
  return { text: [text, kept, shared, next].filter(Boolean).join(" "), stays: isFinal || isRecording || isSharing };
}
