// What happens in the app when the server ends a sign-in.

import { forgetAccount } from "../account/forgetting.js";
import { forgetSettings } from "../connection/accountsettings.js";
import { keepsChanges, keepsNothing, mayReturn, signOutWords } from "../connection/signoutwords.js";
import { announce, dropToast, toast } from "../kit/dom.js";
import { forgetMap } from "../livemap/memory.js";

/**
 * From now on a sign-out by the server is shown with its reason, and logging in again leads back to the page. `wasLoggedOut`: the document
 * before logged out.
 */
export function startSignOut({ net, tracker, sharing, router, wasLoggedOut }) {
  if (wasLoggedOut) {
    toast("Logged out.", { key: "signed-out" });
    announce("Logged out.");
  }
  /** The page, the account and whether it shared its location when the sign-out began. */
  let placeBefore = "/";
  let wasSharing = false;
  let accountBefore = null;
  /** Changes that waited then. */
  let unsent = 0;
  let wasMember = net.account !== null;
  net.addEventListener("account", () => {
    if (wasMember && !net.account) forgetMap();
    wasMember = net.account !== null;
    if (wasMember) dropToast("signed-out");
  });
  net.addEventListener("signingOut", () => {
    placeBefore = location.pathname + location.search;
    accountBefore = net.account?.id ?? null;
    unsent = net.writes.waiting.length;
    wasSharing = sharing.working.length > 0 || sharing.isStopping();
  });
  net.addEventListener("signedOut", (/** @type {CustomEvent} */ { detail: { cause } }) => {
    if (keepsNothing(cause) && accountBefore !== null) forgetAccount(accountBefore);
    else if (accountBefore !== null && !keepsChanges(cause)) forgetSettings(accountBefore);
    dropToast("writes");
    const { text, stays } = signOutWords(cause, { isRecording: tracker.record !== null, isSharing: wasSharing, unsent });
    toast(text, { key: "signed-out", seconds: stays ? null : 12 });
    announce(text);
    // A page that needs an account has given way to another: logging in leads back.
    const isHere = location.pathname + location.search === placeBefore || location.pathname === "/login";
    if (mayReturn(cause) && !isHere) router.go(`/login?next=${encodeURIComponent(placeBefore)}`, { replace: true });
  });
}
