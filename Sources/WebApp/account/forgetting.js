// Takes everything of a deleted account out of this browser.

import { ChatOutbox } from "../chat/outbox.js";
import { Outbox } from "../connection/outbox.js";
import { currentSubscription } from "../reminders/push.js";

const prefix = "campanile.";
/** The theme belongs to the device, not to an account: see kit/theme.js. */
const keeps = new Set(["campanile.theme"]);
/** For the page that says farewell: the number of the account that is gone. */
const goneKey = "campanile.gone";

/** Number of the account that a key names, such as 7 in `campanile.draft.7.1`; null for a key of the browser. */
function ownerOf(key) {
  const number = /^campanile\.\w+\.(\d+)(\.|$)/.exec(key)?.[1];
  return number === undefined ? null : Number(number);
}

/**
 * Forgets what is stored here of the account: keys, messages that wait, runs that were not sent, reminders, notifications. What waits of
 * another account, to be sent or to be stopped, stays.
 */
export async function forgetAccount(account) {
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(prefix) && !keeps.has(key) && key !== goneKey && [null, account].includes(ownerOf(key))) storage.removeItem(key);
    }
  }
  await Promise.allSettled([
    new ChatOutbox().forgetAccount(account),
    new Outbox().open().then((outbox) => outbox.forgetAccount(account)),
    currentSubscription().then((subscription) => subscription?.unsubscribe()),
    navigator.serviceWorker?.getRegistration().then(async (registration) => {
      for (const notification of await registration?.getNotifications() ?? []) notification.close();
    }),
  ]);
}

/** Leaves the page for the one that says farewell: a new document, in whose memory nothing is left. */
export async function leaveForGood(account) {
  sessionStorage.setItem(goneKey, String(account));
  await forgetAccount(account);
  location.replace("/account/deleted");
}

/** The account that was deleted in this tab just now, once more forgotten: the page before may have written while it closed. */
export async function finishForgetting() {
  const account = Number(sessionStorage.getItem(goneKey));
  if (!account) return false;
  sessionStorage.removeItem(goneKey);
  await forgetAccount(account);
  return true;
}
