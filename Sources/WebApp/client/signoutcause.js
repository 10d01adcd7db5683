// Causes for which the server ends a sign-in. Pure.

import { signOutCauses } from "./registry.js";

/** @typedef {import("./registrytypes.js").SignOutCause} SignOutCause */

/**
 * Cause in a close reason; `signedOut` if the reason names none that is known.
 * @param {string} reason
 * @returns {SignOutCause}
 */
export function signOutCause(reason) {
  const cause = /\bcause=(\w+)/.exec(reason)?.[1];
  return /** @type {SignOutCause} */ (signOutCauses.find((known) => known === cause) ?? "signedOut");
}

/**
 * Cause in the server's refusal of a token.
 * @param {{data?: {field?: string}}} error
 * @returns {SignOutCause}
 */
export function refusedCause({ data }) {
  return data?.field === "account" ? "disabled" : "signedOut";
}
