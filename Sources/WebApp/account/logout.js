// Logging out, here or everywhere: what it ends, in plain words, before it is done.

import { withWhom } from "../sharing/words.js";
import { confirmDialog } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { leaveLoggedOut } from "./forgetting.js";
import { unsentRuns } from "./unsentruns.js";

/** Consequence for the account's shares: a sentence for the question whether to log out, empty without shares. */
function shareText({ working }, isEnd) {
  if (working.length === 0) return "";
  const shares = `You're sharing your location ${working.length === 1 ? `with ${withWhom(working[0])}` : `in ${working.length} ways`}`;
  return isEnd ? `${shares}. That stops now. ` : `${shares} from another device. That continues, and you can only stop it there. `;
}

/** The question whether to log out: shares, messages and points of this device that it touches. */
function questionText({ net, sharing, tracker, chat, profileEdits, config }, { isEverywhere, isEnd }) {
  const waiting = unsentRuns(tracker).text;
  const running = tracker.record ? " The session recording here continues when you log in again." : "";
  const messages = chat.sender.entries.length;
  const unsent = (messages > 0 ? `${count(messages, "unsent message")} will be lost. ` : "")
    + (net.writes.waiting.length > 0 ? `${count(net.writes.waiting.length, "unsent change")} will be lost. ` : "")
    + (profileEdits.waiting > 0 ? "Changes to your profile that aren't sent yet will be lost. " : "");
  const after = waiting !== ""
    ? `${waiting} left to upload. They stay on this device until you log in again.${running}`
    : isEverywhere ? `You'll have to log in again on every device.${running}`
      : `Nothing of your account stays in this browser. You can still watch the map.${running}`;
  const grants = isEverywhere ? " Calendar links, shared links and reminders stop working. You can set them up again." : "";
  const providers = isEverywhere && (config?.signIns ?? []).length > 0
    ? " Services that log you in with another email than your account's are disconnected." : "";
  return shareText(sharing, isEnd) + unsent + after + grants + providers;
}

/** Ends or settles shares first, as a signed-out device can stop nothing. Resolves to whether the server knows of it. */
function settleShares({ net, sharing }, { isEverywhere, isEnd }) {
  // A wish to stop all is kept until it reaches the server. Without a share it would end a share that another device begins meanwhile.
  const isWanted = isEnd && (!sharing.isLoaded || sharing.working.length > 0 || (isEverywhere && net.state === "live"));
  return isWanted ? sharing.stop("all") : sharing.settle();
}

/** Asks, then logs out and leaves for the start page. `problem(text)` shows why it was not done; an empty text clears that. */
export async function logOut(app, { isEverywhere, problem }) {
  const { net, tracker, reporter } = app;
  problem("");
  // The reports of this device end with the sign-in; without any device nobody could stop anything.
  const isEnd = isEverywhere || reporter.isHere;
  const sure = await confirmDialog({ id: "logout-dialog", title: isEverywhere ? "Log out everywhere?" : "Log out?",
    text: questionText(app, { isEverywhere, isEnd }), confirm: "Log out" });
  if (!sure) return;
  try {
    if (!(await settleShares(app, { isEverywhere, isEnd }))) {
      const reason = net.state === "live" ? "the server didn't respond" : "you're offline";
      problem(`Couldn't log out: ${reason}, so your shares haven't stopped yet. This device no longer sends your location. `
        + "Try again in a moment.");
      return;
    }
    await net.request(isEverywhere ? "account.logoutEverywhere" : "account.logout");
    // The next share chooses its device again.
    if (isEnd) reporter.setHere(false);
    const account = net.account?.id ?? null;
    net.signedOut();
    await leaveLoggedOut(account, { keepsRuns: unsentRuns(tracker).keeps });
  } catch (error) {
    problem(error.message);
  }
}
