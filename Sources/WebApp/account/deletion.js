// The end of an account: what happens, what stays, and the two things that are typed to mean it.

import { h } from "../kit/dom.js";
import { count, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { leaveForGood } from "./forgetting.js";
import { makeField, makeForm } from "../kit/form.js";
import { openDialog } from "../kit/dialog.js";

/** Erasing a large account takes its time. */
const deleteMilliseconds = 60_000;
const askAgainSeconds = 2;

/** `{element, isUnderWay, close()}`. */
export function makeDeleteAccount({ app }) {
  const { net, tracker, chat } = app;
  const account = net.account?.id;
  let dialog = null;
  /** Whether it was asked for: who is signed out then is deleted, with or without an answer. */
  let isUnderWay = false;

  function open() {
    const username = makeField(
      { name: "username", label: "Your username", autocomplete: "off", autocapitalize: "none", spellcheck: "false", id: "delete-username",
        hint: `Type ${net.account.username} to say that you mean it.` });
    const password = makeField(
      { name: "password", label: "Your password", type: "password", autocomplete: "current-password", id: "delete-password" });
    const form = makeForm({
      id: "delete-form", fields: [username, password], submitLabel: "Delete my account for good",
      check: (values) => ({
        ...(values.username !== net.account?.username
          && { username: `That is not your username. Type ${net.account?.username ?? "it as it is shown"}.` }),
        ...(values.password === "" && { password: "Please type your password." }),
      }),
      async send(values) {
        isUnderWay = true;
        try {
          await erase({ username: values.username, password: values.password });
        } catch (error) {
          if (!net.account) return leaveForGood(account);
          const isUnknown = error.isUnanswered || error.isUnavailable;
          // Without a clear answer it may be done, or begun and finished by the server: the next connection tells.
          isUnderWay = isUnknown;
          if (isUnknown) throw new Error(
            "There was no clear answer. If your account is being deleted, the server finishes it and you are logged out in a moment; if "
              + "not, try again.");
          error.message = sentence(error.message);
          throw error;
        }
        return leaveForGood(account);
      },
    });
    form.querySelector("#delete-form-submit").classList.replace("primary", "danger");
    const messages = chat.sender.entries.length;
    const unsent = [tracker.unsent > 0 ? count(tracker.unsent, "point") : null, messages > 0 ? count(messages, "message") : null]
      .filter(Boolean).join(" and ");
    dialog = openDialog({ id: "delete-account", title: "Delete your account?", content: h("div", { class: "stack" },
      h("p", {}, "There is no way back, and nobody can restore it for you."),
      tracker.record ? h("p", { class: "notice warn" }, icon("warning"),
        h("span", {}, "You are being recorded here right now. That session is deleted, too.")) : null,
      unsent ? h("p", { class: "notice warn" }, icon("warning"),
        h("span", {}, `${unsent} on this device were not sent yet. They are lost.`)) : null, form) });
  }

  /** A database that was away leaves open whether it was begun. Asked once more, the server says that it is done, or what is wrong. */
  async function erase(params) {
    const ask = () => net.request("account.delete", params, { timeout: deleteMilliseconds });
    try {
      return await ask();
    } catch (error) {
      if (!error.isUnavailable || !net.account) throw error;
      await new Promise((resolve) => { setTimeout(resolve, (error.data?.retryAfter ?? askAgainSeconds) * 1000); });
      return ask();
    }
  }

  const signedOut = () => { if (isUnderWay && !net.account) leaveForGood(account); };
  /** Who is signed in on a new connection is not deleted: whatever ends the session later is something else. */
  const returned = () => { if (net.state === "live" && net.account) isUnderWay = false; };
  net.addEventListener("account", signedOut);
  net.addEventListener("state", returned);
  return {
    element: h("section", { class: "card stack danger-card", id: "end", "aria-labelledby": "end-title" }, h("h2", { id: "end-title" }, "Delete my account"),
      h("p", {}, "At once and for good, everything of yours is deleted:"),
      h("ul", { class: "plain-list" }, h("li", {}, "your profile, pictures, sessions and routes, saved places, searches, private zones, settings;"),
        h("li", {}, "your conversations with one other person, for both of you;"),
        h("li", {}, "your messages in groups: others see that one was there, not what it said;"),
        h("li", {}, "events you made for friends: those to come are cancelled, and whoever meant to come is told;"),
        h("li", {}, "every share of your location: it stops, and you are off all maps.")),
      h("p", {}, "What stays:"),
      h("ul", { class: "plain-list", id: "what-stays" }, h("li", {}, "events and notices you made for the whole campus, without your name;"),
        h("li", {}, "of other events of yours that people go to, the title and time until that day is over: they are cancelled, and what "
          + "you told their people is withdrawn;"), h("li", {}, "names of groups that others are in, also those that you gave;"),
        h("li", {}, "reports that the admins have not dealt with, with what you wrote in them and what was reported of you;"),
        h("li", {}, "in the log of the admins, for two years, that an account was deleted, and what you did as an admin;"),
        h("li", {}, "the number of your account beside old events and in that log: it leads to nobody any more;"),
        h("li", {}, "copies in backups, until these are removed.")),
      h("div", { class: "row" },
        h("button", { class: "button danger", type: "button", id: "delete-open", onclick: open }, icon("bin"), "Delete my account…"))),
    get isUnderWay() { return isUnderWay; },
    close() {
      net.removeEventListener("account", signedOut);
      net.removeEventListener("state", returned);
      if (dialog?.open) dialog.close();
    },
  };
}
