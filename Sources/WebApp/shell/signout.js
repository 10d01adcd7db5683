// What happens in the app when the server ends a sign-in.

import { forgetAccount } from "../account/forgetting.js";
import { keepsNothing, mayReturn, signOutWords } from "../connection/signoutwords.js";
import { announce, dropToast, toast } from "../kit/dom.js";
import { forgetMap } from "../livemap/memory.js";

/** Begins to say why somebody was signed out, and leads back to where they were after they log in. */
export function startSignOut({ net, tracker, sharing, router }) {
  /** Where the server's word found somebody, whom, and whether they shared. */
  let placeBefore = "/";
  let wasSharing = false;
  let accountBefore = null;
  let wasMember = net.account !== null;
  net.addEventListener("account", () => {
    if (wasMember && !net.account) forgetMap();
    wasMember = net.account !== null;
    if (wasMember) dropToast("signed-out");
  });
  net.addEventListener("signingOut", () => {
    placeBefore = location.pathname + location.search;
    accountBefore = net.account?.id ?? null;
    wasSharing = sharing.working.length > 0 || sharing.isStopping();
  });
  net.addEventListener("signedOut", (/** @type {CustomEvent} */ { detail: { cause } }) => {
    if (keepsNothing(cause) && accountBefore !== null) forgetAccount(accountBefore);
    const { text, stays } = signOutWords(cause, { isRecording: tracker.record !== null, isSharing: wasSharing });
    toast(text, { key: "signed-out", seconds: stays ? null : 12 });
    announce(text);
    // A page that needs an account has given way to another: logging in leads back.
    const isHere = location.pathname + location.search === placeBefore || location.pathname === "/login";
    if (mayReturn(cause) && !isHere) router.go(`/login?next=${encodeURIComponent(placeBefore)}`, { replace: true });
  });
}
