// Takes everything of an account that is deleted or logged out here out of this browser (T-6).

import { ChatOutbox } from "../chat/outbox.js";
import { KeptReplies } from "../connection/keptreplies.js";
import { StorageMark, markPrefix } from "../connection/storagemark.js";
import { Outbox } from "../connection/outbox.js";
import { TrainingRecords } from "../connection/trainingrecords.js";
import { currentSubscription } from "../reminders/push.js";

const prefix = "campanile.";
/** For the next document: the number of the account that is gone from here. */
const goneKey = "campanile.gone";
const loggedOutKey = "campanile.loggedOut";
/**
 * Nothing of an account is in these: a random token with which wrong passwords that others try do not delay this browser, the difference of
 * the clocks, the campus, the reloads of the tab.
 */
const keptAtLogOut = new Set(["campanile.device", "campanile.clockOffset", "campanile.campus", "campanile.reloads"]);

/** Number of the account that a key names, such as 7 in `campanile.draft.7.1`; null for a key of the browser. */
function ownerOf(key) {
  const number = /^campanile\.\w+\.(\d+)(\.|$)/.exec(key)?.[1];
  return number === undefined ? null : Number(number);
}

/**
 * Forgets what is stored here of the account: keys, messages that wait, runs that were not sent, reminders, notifications. What waits of
 * another account, to be sent or to be stopped, stays. `isLogOut`: the account still exists, and may log in here again; `keepsRuns`: runs
 * that were not sent stay for then.
 */
export async function forgetAccount(account, { isLogOut = false, keepsRuns = false } = {}) {
  const next = signedInHere();
  const isOfNext = (key) => next !== null && next !== account && ownerOf(key) === null;
  const stays = (key) => [goneKey, loggedOutKey].includes(key) || (isLogOut && keptAtLogOut.has(key)) || key.startsWith(markPrefix)
    || isOfNext(key);
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(prefix) && !stays(key) && [null, account].includes(ownerOf(key))) storage.removeItem(key);
    }
  }
  await Promise.allSettled([
    new ChatOutbox().forgetAccount(account),
    new KeptReplies().forgetAccount(account),
    new StorageMark().forget(account),
    keepsRuns ? null : new Outbox().open().then((outbox) => outbox.forgetAccount(account)),
    keepsRuns ? null : new TrainingRecords().forgetAccount(account),
    currentSubscription().then((subscription) => subscription?.unsubscribe()),
    navigator.serviceWorker?.getRegistration().then(async (registration) => {
      for (const notification of await registration?.getNotifications() ?? []) notification.close();
    }),
  ]);
}

/** Number of the account that is signed in in this browser, perhaps in another tab; null for none. */
function signedInHere() {
  try {
    return JSON.parse(localStorage.getItem("campanile.account"))?.id ?? null;
  } catch {
    return null;
  }
}

/** Leaves the page for the one that says farewell: a new document, in whose memory nothing is left. */
export async function leaveForGood(account) {
  sessionStorage.setItem(goneKey, String(account));
  await forgetAccount(account);
  location.replace("/account/deleted");
}

/**
 * Leaves for the start page after logging out: a new document, in whose memory nothing is left. `keepsRuns`: runs that were not sent stay
 * until the account logs in again.
 */
export async function leaveLoggedOut(account, { keepsRuns }) {
  sessionStorage.setItem(loggedOutKey, JSON.stringify({ account, keepsRuns }));
  await forgetAccount(account, { isLogOut: true, keepsRuns });
  // The way back must not bring this document again.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  location.replace("/");
}

/** After the document of a logged out account: forgets once more what it wrote while it closed. Returns whether there was one. */
export function finishLogOut() {
  const text = sessionStorage.getItem(loggedOutKey);
  if (!text) return false;
  sessionStorage.removeItem(loggedOutKey);
  const { account, keepsRuns } = JSON.parse(text);
  forgetAccount(account, { isLogOut: true, keepsRuns });
  return true;
}

/** The account that was deleted in this tab just now, once more forgotten: the page before may have written while it closed. */
export async function finishForgetting() {
  const account = Number(sessionStorage.getItem(goneKey));
  if (!account) return false;
  sessionStorage.removeItem(goneKey);
  await forgetAccount(account);
  return true;
}
