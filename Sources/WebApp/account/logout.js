// Logging out, here or everywhere: what it ends, in plain words, before it is done.

import { withWhom } from "../sharing/words.js";
import { announce, confirmDialog } from "../kit/dom.js";
import { count } from "../kit/format.js";

/** Consequence for the account's shares: a sentence for the question whether to log out, empty without shares. */
function shareText({ working }, isEnd) {
  if (working.length === 0) return "";
  const shares = `You share where you are ${working.length === 1 ? `with ${withWhom(working[0])}` : `in ${working.length} ways`}`;
  return isEnd ? `${shares}: that ends now. ` : `${shares}, begun on another device: that goes on, and can then be stopped only there. `;
}

/** The question whether to log out: shares, messages and points of this device that it touches. */
function questionText({ sharing, tracker, chat }, { isEverywhere, isEnd }) {
  const waiting = tracker.unsent;
  const running = tracker.record ? " A session is still being recorded here; it goes on when you log in again." : "";
  const messages = chat.sender.entries.length;
  const unsent = messages > 0 ? `${count(messages, "message")} ${messages === 1 ? "is" : "are"} not sent yet and will be lost. ` : "";
  const after = waiting > 0
    ? `${waiting} points are not sent yet. They stay on this device and are sent when you log in again.${running}`
    : isEverywhere ? `Every device has to log in again.${running}` : `You can still watch the map.${running}`;
  const grants = isEverywhere ? " Calendar feeds, shared links and reminders stop working, too: set them up again when you need them." : "";
  return shareText(sharing, isEnd) + unsent + after + grants;
}

/** Ends or settles shares first, as a signed-out device can stop nothing. Resolves to whether the server knows of it. */
function settleShares({ net, sharing }, { isEverywhere, isEnd }) {
  // A wish to stop all is kept until it reaches the server. Without a share it would end a share that another device begins meanwhile.
  const isWanted = isEnd && (!sharing.isLoaded || sharing.working.length > 0 || (isEverywhere && net.state === "live"));
  return isWanted ? sharing.stop("all") : sharing.settle();
}

/** Asks, then logs out and leaves for the start page. `problem(text)` shows why it was not done; an empty text clears that. */
export async function logOut(app, { isEverywhere, problem }) {
  const { net, router, reporter } = app;
  problem("");
  // The reports of this device end with the sign-in; without any device nobody could stop anything.
  const isEnd = isEverywhere || reporter.isHere;
  const sure = await confirmDialog({ id: "logout-dialog", title: isEverywhere ? "Log out everywhere?" : "Log out here?",
    text: questionText(app, { isEverywhere, isEnd }), confirm: "Log out" });
  if (!sure) return;
  try {
    if (!(await settleShares(app, { isEverywhere, isEnd }))) {
      const reason = net.state === "live" ? "the server did not answer" : "there is no connection";
      problem(`You are still logged in: ${reason}, and what you shared has not ended there. This device tells nothing more. `
        + "Try again in a moment.");
      return;
    }
    await net.request(isEverywhere ? "account.logoutEverywhere" : "account.logout");
    // The next share chooses its device again.
    if (isEnd) reporter.setHere(false);
    net.signedOut();
    announce("Logged out.");
    router.go("/");
  } catch (error) {
    problem(error.message);
  }
}
