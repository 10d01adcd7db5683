// One account as admins see it: figures, what it may do, and what can be done about it.

import { announce, confirmDialog, h, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage, trouble } from "./frame.js";
import { factsOf, notesOf } from "./usercards.js";
import { askDelete, askDisable, askFactorReset, askWelcome } from "./userdialogs.js";
import { makeUserForm } from "./useredit.js";
import { roleTag, stateTag } from "./users.js";
import { auditRow } from "./auditrow.js";
import { loading } from "../kit/loading.js";
import { attempt } from "../kit/dialog.js";
import { welcomeLink } from "./welcomelink.js";

const auditShown = 5;

/** Serves `/admin/users/:id`. */
export function show(root, { id }, app) {
  const frame = consolePage(root, app, { part: "users", title: "Person" });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new UserPage(app, frame, Number(id));
  page.start();
  return () => page.close();
}

const card = (id) => h("section", { class: "card stack", id, "aria-labelledby": `${id}-title` });

class UserPage {
  #app;
  #net;
  #frame;
  #id;
  /** The reply to `admin.user`, or null before the first one. */
  #detail = null;
  #closed = new AbortController();
  #status;
  #tags = h("div", { class: "event-badges", id: "user-tags" });
  #notes = h("div", { class: "stack user-notices" });
  #facts = card("user-facts");
  #edit = card("user-edit");
  #actions = card("user-actions");
  #log = card("user-log");
  #grid = h("div", { class: "user-grid", hidden: true }, h("div", { class: "stack" }, this.#facts, this.#edit),
    h("div", { class: "stack" }, this.#actions, this.#log));

  constructor(app, frame, id) {
    this.#app = app;
    this.#net = app.net;
    this.#frame = frame;
    this.#id = id;
    this.#status = h("div", {}, loading(app.net));
    frame.page.querySelector(".console-head").before(h("p", {}, h("a", { href: "/admin/users", class: "back" }, "← People")));
    frame.page.append(this.#tags, this.#status, this.#notes, this.#grid);
  }

  start() {
    this.#net.addEventListener("state", () => {
      if (this.#net.state === "live") this.#load({ redrawsForm: this.#detail === null });
    }, { signal: this.#closed.signal });
    this.#load();
  }

  close() {
    this.#closed.abort();
    this.#frame.close();
  }

  get #isClosed() {
    return this.#closed.signal.aborted;
  }

  get #isOwn() {
    return this.#id === this.#net.account?.id;
  }

  get #name() {
    return this.#detail.user.username;
  }

  // MARK: loading

  async #load({ redrawsForm = true } = {}) {
    if (!Number.isSafeInteger(this.#id) || this.#id <= 0) {
      this.#drawMissing();
      return;
    }
    try {
      const detail = await this.#net.request("admin.user", { account: this.#id });
      if (this.#isClosed) return;
      this.#detail = detail;
      this.#status.replaceChildren();
      this.#grid.hidden = false;
      this.#draw({ redrawsForm });
      this.#loadLog();
    } catch (error) {
      if (this.#isClosed || this.#detail) return;
      if (error.isNotFound) this.#drawMissing();
      else this.#status.replaceChildren(trouble(error, () => this.#load()));
    }
  }

  async #loadLog() {
    const title = h("h2", { id: "user-log-title" }, "Admin log");
    try {
      const { entries } = await this.#net.request("admin.audit", { account: this.#id, limit: auditShown });
      if (this.#isClosed) return;
      const list = [
        h("ul", { class: "audit-list" }, ...entries.map((entry) => auditRow(entry))),
        h("p", {}, h("a", { class: "button small-button", href: `/admin/audit?account=${this.#id}` }, "Full log")),
      ];
      this.#log.replaceChildren(title, ...(entries.length === 0 ? [h("p", { class: "muted" }, "Nothing yet.")] : list));
    } catch (error) {
      if (!this.#isClosed) this.#log.replaceChildren(title, h("p", { class: "muted" }, error.message));
    }
  }

  // MARK: drawing

  #drawMissing() {
    setText(this.#frame.heading, "Person not found");
    this.#status.replaceChildren(
      h("p", { class: "notice bad", role: "alert", id: "user-missing" }, icon("warning"),
        "This account doesn't exist. It may have been deleted."),
      h("p", { class: "event-retry" }, h("a", { class: "button", href: "/admin/users" }, "See all people")));
  }

  #draw({ redrawsForm }) {
    const { user } = this.#detail;
    const now = this.#net.clock.now();
    setText(this.#frame.heading, user.username);
    document.title = this.#app.titled(user.username);
    this.#tags.replaceChildren(roleTag(user.role), stateTag(user), ...(user.name ? [h("span", { class: "muted" }, user.name)] : []));
    this.#notes.replaceChildren(...notesOf(this.#detail, now));
    this.#facts.replaceChildren(...factsOf(this.#detail, now));
    if (redrawsForm) this.#drawEdit();
    this.#drawActions();
  }

  #drawEdit() {
    const { user } = this.#detail;
    const form = makeUserForm({ net: this.#net, user, isOwn: this.#isOwn, saved: () => this.#load() });
    this.#edit.replaceChildren(h("h2", { id: "user-edit-title" }, "Edit"), form);
  }

  #drawActions() {
    const { devices } = this.#detail;
    const actions = this.#actions;
    const focused = actions.contains(document.activeElement) ? document.activeElement.id : null;
    actions.replaceChildren(h("h2", { id: "user-actions-title" }, "Account"),
      ...(this.#isOwn
        ? [h("p", { class: "muted", id: "own-note" }, "This is your own account. Another admin can disable or delete it.")] : []),
      h("div", { class: "action-list" }, ...this.#buttons()),
      h("p", { class: "hint" }, devices === 0 ? "Not logged in." : `Logged in on ${count(devices, "device")}.`));
    if (!focused) return;
    (document.getElementById(focused) ?? actions.querySelector("#enable-user, #disable-user"))?.focus({ preventScroll: true });
  }

  #buttons() {
    const { user } = this.#detail;
    const button = (id, iconName, label, run, className = "button") =>
      h("button", { class: className, type: "button", id, onclick: run }, icon(iconName), label);
    const buttons = [];
    if (user.invited && user.state === "active") buttons.push(button("new-welcome", "mail", "New welcome link", () => this.#makeWelcome()));
    if (this.#getsReset) buttons.push(button("send-reset", "mail", "Send password reset", () => this.#sendReset()));
    buttons.push(button("sign-out-user", "leave", "Log out everywhere", () => this.#signOut()));
    if (this.#isOwn) return buttons;
    buttons.push(button("reset-factor", "key", "Reset two-step log-in…", () => this.#resetFactor()));
    if (user.state === "disabled") buttons.push(button("enable-user", "tick", "Enable", () => this.#enable(), "button primary"));
    else buttons.push(button("disable-user", "block", "Disable…", () => this.#disable(), "button danger"));
    buttons.push(button("delete-user", "bin", "Delete…", () => this.#delete(), "button danger"));
    return buttons;
  }

  // MARK: actions

  async #makeWelcome() {
    const welcome = await askWelcome({ net: this.#net, user: this.#detail.user });
    if (!welcome || this.#isClosed) return;
    await this.#load({ redrawsForm: false });
    const link = welcomeLink(welcome);
    this.#notes.append(link);
    link.scrollIntoView({ block: "nearest" });
    link.querySelector("#welcome-link").focus({ preventScroll: true });
  }

  /** Whether the account can get a link for a new password by email. */
  get #getsReset() {
    const { invited, state, simulated, confirmBy } = this.#detail.user;
    return this.#app.config?.mail === true && !invited && state === "active" && !simulated && !confirmBy;
  }

  async #sendReset() {
    const sure = await confirmDialog({ id: "send-reset-dialog", title: `Send ${this.#name} a password reset?`, confirm: "Send email",
      text: `${this.#isOwn ? "You get" : `${this.#name} gets`} an email with a link to choose a new password. `
        + "The current password works until then." });
    if (!sure) return;
    await attempt(() => this.#net.request("admin.sendReset", { account: this.#id }), "Email sent.");
  }

  async #signOut() {
    const sure = await confirmDialog({ id: "sign-out-dialog", title: `Log ${this.#name} out everywhere?`, confirm: "Log out everywhere",
      text: `${this.#isOwn ? "You have" : `${this.#name} has`} to log in again on every device. Calendar links, shared links, `
        + "reminders and welcome links stop working. A recording continues and is sent after the next login." });
    if (!sure) return;
    await attempt(async () => {
      const { revoked } = await this.#net.request("admin.signOutUser", { account: this.#id });
      toast(revoked === 0 ? `${this.#name} was not logged in.` : `${this.#name} logged out on ${count(revoked, "device")}.`);
      await this.#load({ redrawsForm: false });
    });
  }

  async #resetFactor() {
    if (!(await askFactorReset({ net: this.#net, user: this.#detail.user })) || this.#isClosed) return;
    toast(`Two-step log-in of ${this.#name} was reset.`);
    await this.#load({ redrawsForm: false });
  }

  async #disable() {
    const isDone = await askDisable({ net: this.#net, user: this.#detail.user });
    if (!isDone || this.#isClosed) return;
    await this.#load({ redrawsForm: false });
    announce(`${this.#name} disabled.`);
    toast(`${this.#name} disabled and logged out.`);
    document.getElementById("enable-user")?.focus();
  }

  async #enable() {
    const enable = () => this.#net.request("admin.enableUser", { account: this.#id });
    if (!(await attempt(enable, `${this.#name} can log in again.`))) return;
    await this.#load({ redrawsForm: false });
    document.getElementById("disable-user")?.focus();
  }

  async #delete() {
    if (!(await askDelete({ net: this.#net, user: this.#detail.user }))) return;
    toast(`${this.#name} deleted.`);
    announce(`${this.#name} deleted.`);
    this.#app.router.go("/admin/users", { replace: true });
  }
}
