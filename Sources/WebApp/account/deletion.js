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
const unclear = "The server hasn't confirmed this yet. If your account is being deleted, you'll be logged out shortly. If not, try again.";

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
      h("p", {}, "This can't be undone. Nobody can restore your account."), ...lossesOf(this.#app), form) });
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
    id: "delete-username", hint: `Type ${net.account.username} to confirm.` });
  const password = makeField({ name: "password", label: "Your password", type: "password", autocomplete: "current-password",
    id: "delete-password" });
  const form = makeForm({
    id: "delete-form", fields: [username, password], submitLabel: "Delete account",
    check: (values) => ({
      ...(values.username !== net.account?.username
        && { username: `That is not your username. Type ${net.account?.username ?? "it exactly as shown"}.` }),
      ...(values.password === "" && { password: "Enter your password." }),
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
    ...(tracker.record ? [warning("A session is recording on this device. It will be deleted, too.")] : []),
    ...(unsent ? [warning(`Not sent yet and will be lost: ${unsent}.`)] : []),
  ];
}

const deleted = [
  "Your profile, pictures, sessions, saved places, searches, private zones and settings",
  "Your chats with buddies, for both of you",
  "Your messages in groups: others see that a message was deleted",
  "Your private and open events: upcoming ones are cancelled, and attendees are notified",
  "Every share of your location: you disappear from all maps",
];

const kept = [
  "Events and notices you published for the whole campus, without your name",
  "The title and time of your cancelled events, until that day is over. Your messages to their attendees are withdrawn",
  "Names of groups that others are in, including names you chose",
  "Open reports by you and about you, with the reported content",
  "In the admin log, for two years: that an account was deleted, and anything you did as an admin",
  "Your account number beside old events and in that log. It no longer leads to you",
  "Copies in backups, until those are deleted",
];

function deletionCard(open) {
  const items = (texts) => texts.map((text) => h("li", {}, text));
  return h("section", { class: "card stack danger-card", id: "end", "aria-labelledby": "end-title" },
    h("h2", { id: "end-title" }, "Delete account"),
    h("p", {}, "This deletes, right away and permanently:"),
    h("ul", { class: "plain-list" }, ...items(deleted)),
    h("p", {}, "What we keep:"),
    h("ul", { class: "plain-list", id: "what-stays" }, ...items(kept)),
    h("div", { class: "row" },
      h("button", { class: "button danger", type: "button", id: "delete-open", onclick: open }, icon("bin"), "Delete account…")));
}
