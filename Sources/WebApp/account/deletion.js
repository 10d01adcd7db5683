// The end of an account: what is deleted, what stays, and the two things that are typed to mean it.

import { h } from "../kit/dom.js";
import { count, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { leaveForGood } from "./forgetting.js";
import { makeField, makeForm } from "../kit/form.js";
import { openDialog } from "../kit/dialog.js";

/** Erasing a large account takes its time. */
const deleteMilliseconds = 60_000;
const askAgainSeconds = 2;
const unclear = "There was no clear answer. If your account is being deleted, the server finishes it and you are logged out in a moment; "
  + "if not, try again.";

/** The card, its dialog, and the deletion: `{element, isUnderWay, close()}`. */
export function makeDeleteAccount({ app }) {
  return new AccountDeletion(app);
}

class AccountDeletion {
  /** Whether the deletion was requested. An account that is signed out then is deleted, with or without a reply. */
  isUnderWay = false;
  #app;
  #net;
  #account;
  #dialog = null;
  #closed = new AbortController();

  constructor(app) {
    this.#app = app;
    this.#net = app.net;
    this.#account = app.net.account?.id;
    this.element = deletionCard(() => this.#open());
    const { signal } = this.#closed;
    this.#net.addEventListener("account", () => { if (this.isUnderWay && !this.#net.account) leaveForGood(this.#account); }, { signal });
    // An account that is signed in on a new connection is not deleted: whatever ends the session later is something else.
    this.#net.addEventListener("state", () => {
      if (this.#net.state === "live" && this.#net.account) this.isUnderWay = false;
    }, { signal });
  }

  close() {
    this.#closed.abort();
    if (this.#dialog?.open) this.#dialog.close();
  }

  #open() {
    const form = deletionForm(this.#net, (values) => this.#delete({ username: values.username, password: values.password }));
    this.#dialog = openDialog({ id: "delete-account", title: "Delete your account?", content: h("div", { class: "stack" },
      h("p", {}, "There is no way back, and nobody can restore it for you."), ...lossesOf(this.#app), form) });
  }

  async #delete(params) {
    this.isUnderWay = true;
    try {
      await this.#request(params);
    } catch (error) {
      if (!this.#net.account) return leaveForGood(this.#account);
      const isUnknown = error.isUnanswered || error.isUnavailable;
      // Without a clear reply it may be done, or begun and finished by the server: the next connection shows it.
      this.isUnderWay = isUnknown;
      if (isUnknown) throw new Error(unclear);
      error.message = sentence(error.message);
      throw error;
    }
    return leaveForGood(this.#account);
  }

  /** A database that was away leaves open whether it was begun. The reply to a second request says that it is done, or what is wrong. */
  async #request(params) {
    const request = () => this.#net.request("account.delete", params, { timeout: deleteMilliseconds });
    try {
      return await request();
    } catch (error) {
      if (!error.isUnavailable || !this.#net.account) throw error;
      await new Promise((resolve) => { setTimeout(resolve, (error.data?.retryAfter ?? askAgainSeconds) * 1000); });
      return request();
    }
  }
}

/** The form with the username and the password of the account. */
function deletionForm(net, send) {
  const username = makeField({ name: "username", label: "Your username", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    id: "delete-username", hint: `Type ${net.account.username} to say that you mean it.` });
  const password = makeField({ name: "password", label: "Your password", type: "password", autocomplete: "current-password",
    id: "delete-password" });
  const form = makeForm({
    id: "delete-form", fields: [username, password], submitLabel: "Delete my account for good",
    check: (values) => ({
      ...(values.username !== net.account?.username
        && { username: `That is not your username. Type ${net.account?.username ?? "it as it is shown"}.` }),
      ...(values.password === "" && { password: "Please type your password." }),
    }),
    send,
  });
  form.querySelector("#delete-form-submit").classList.replace("primary", "danger");
  return form;
}

/** Warnings of what is lost on this device. */
function lossesOf({ tracker, chat }) {
  const messages = chat.sender.entries.length;
  const unsent = [tracker.unsent > 0 ? count(tracker.unsent, "point") : null, messages > 0 ? count(messages, "message") : null]
    .filter(Boolean).join(" and ");
  const warning = (text) => h("p", { class: "notice warn" }, icon("warning"), h("span", {}, text));
  return [
    ...(tracker.record ? [warning("You are being recorded here right now. That session is deleted, too.")] : []),
    ...(unsent ? [warning(`${unsent} on this device were not sent yet. They are lost.`)] : []),
  ];
}

const deleted = [
  "your profile, pictures, sessions and routes, saved places, searches, private zones, settings;",
  "your conversations with one other person, for both of you;",
  "your messages in groups: others see that one was there, not what it said;",
  "events you made for friends: those to come are cancelled, and whoever meant to come is told;",
  "every share of your location: it stops, and you are off all maps.",
];

const kept = [
  "events and notices you made for the whole campus, without your name;",
  "of other events of yours that people go to, the title and time until that day is over: they are cancelled, and what you told their "
    + "people is withdrawn;",
  "names of groups that others are in, also those that you gave;",
  "reports that the admins have not dealt with, with what you wrote in them and what was reported of you;",
  "in the log of the admins, for two years, that an account was deleted, and what you did as an admin;",
  "the number of your account beside old events and in that log: it leads to nobody any more;",
  "copies in backups, until these are removed.",
];

function deletionCard(open) {
  const items = (texts) => texts.map((text) => h("li", {}, text));
  return h("section", { class: "card stack danger-card", id: "end", "aria-labelledby": "end-title" },
    h("h2", { id: "end-title" }, "Delete my account"),
    h("p", {}, "At once and for good, everything of yours is deleted:"),
    h("ul", { class: "plain-list" }, ...items(deleted)),
    h("p", {}, "What stays:"),
    h("ul", { class: "plain-list", id: "what-stays" }, ...items(kept)),
    h("div", { class: "row" },
      h("button", { class: "button danger", type: "button", id: "delete-open", onclick: open }, icon("bin"), "Delete my account…")));
}
