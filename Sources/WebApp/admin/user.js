// One account as admins see it: figures, what it may do, and what can be done about it.

import { roleNames, roles } from "./parts.js";
import { announce, confirmDialog, h, setText, toast } from "../kit/dom.js";
import { ago, count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { newUserProblems } from "../kit/validate.js";
import { consolePage, trouble } from "./frame.js";
import { askDelete, askDisable, askWelcome } from "./userdialogs.js";
import { roleTag, stateTag } from "./users.js";
import { auditRow } from "./auditrow.js";
import { makeField, makeForm } from "../kit/form.js";
import { loading } from "../kit/loading.js";
import { attempt } from "../kit/dialog.js";
import { welcomeLink } from "./welcomelink.js";

const auditShown = 5;

/** Serves `/admin/users/:id`. */
export function show(root, { id: given }, app) {
  const { net, router } = app;
  const id = Number(given);
  const frame = consolePage(root, app, { part: "users", title: "Person" });
  if (!frame || frame.isRefused) return frame?.close;
  let detail = null;
  let closed = false;

  const status = h("div", {}, loading(net));
  const tags = h("div", { class: "event-badges", id: "user-tags" });
  const notices = h("div", { class: "stack user-notices" });
  const left = h("div", { class: "stack" });
  const side = h("div", { class: "stack" });
  const grid = h("div", { class: "user-grid", hidden: true }, left, side);
  frame.page.querySelector(".console-head").before(h("p", {}, h("a", { href: "/admin/users", class: "back" }, "← People")));
  frame.page.append(tags, status, notices, grid);
  const facts = h("section", { class: "card stack", id: "user-facts", "aria-labelledby": "user-facts-title" });
  const edit = h("section", { class: "card stack", id: "user-edit", "aria-labelledby": "user-edit-title" });
  const actions = h("section", { class: "card stack", id: "user-actions", "aria-labelledby": "user-actions-title" });
  const log = h("section", { class: "card stack", id: "user-log", "aria-labelledby": "user-log-title" });
  left.append(facts, edit);
  side.append(actions, log);

  const isOwn = () => id === net.account?.id;
  const nameOf = () => detail.user.username;

  async function load({ redrawsForm = true } = {}) {
    if (!Number.isSafeInteger(id) || id <= 0) return drawMissing();
    try {
      const found = await net.request("admin.user", { account: id });
      if (closed) return undefined;
      detail = found;
      status.replaceChildren();
      grid.hidden = false;
      draw({ redrawsForm });
      loadLog();
    } catch (error) {
      if (!closed && !detail) fail(error);
    }
    return undefined;
  }

  function fail(error) {
    if (error.isNotFound) drawMissing();
    else status.replaceChildren(trouble(error, () => load()));
  }

  function drawMissing() {
    setText(frame.heading, "No such person");
    status.replaceChildren(h("p", { class: "notice bad", role: "alert", id: "user-missing" }, icon("warning"),
      "There is no such account. It may have been deleted."),
      h("p", { class: "event-retry" }, h("a", { class: "button", href: "/admin/users" }, "To the people")));
  }

  async function loadLog() {
    const title = h("h2", { id: "user-log-title" }, "What admins did here");
    try {
      const { entries } = await net.request("admin.audit", { account: id, limit: auditShown });
      if (closed) return;
      log.replaceChildren(title, entries.length === 0 ? h("p", { class: "muted" }, "Nothing yet.") : h("ul", { class: "audit-list" }, ...entries.map((entry) => auditRow(entry))),
        entries.length === 0 ? ""
          : h("p", {}, h("a", { class: "button small-button", href: `/admin/audit?account=${id}` }, "The whole log")));
    } catch (error) {
      if (!closed) log.replaceChildren(title, h("p", { class: "muted" }, error.message));
    }
  }

  // MARK: drawing

  function draw({ redrawsForm = true } = {}) {
    const { user } = detail;
    setText(frame.heading, user.username);
    document.title = app.titled(user.username);
    tags.replaceChildren(roleTag(user.role), stateTag(user), ...(user.name ? [h("span", { class: "muted" }, user.name)] : []));
    notices.replaceChildren(...[
      user.state === "disabled"
        ? h("div", { class: "notice bad", id: "disabled-note" }, icon("block"),
          h("div", { class: "grow" },
            h("strong", {}, `Disabled${detail.disabledAt ? ` on ${dayText(detail.disabledAt)} at ${timeText(detail.disabledAt)}` : ""}. `),
            detail.disabledReason ?? "", h("p", { class: "small" }, `${user.username} cannot log in, and is on nobody’s deck.`))) : null,
      user.invited ? h("div", { class: "notice warn", id: "invited-user-note" }, icon("mail"),
        h("span", {}, "Has not set a password yet. ", detail.welcomeExpiresAt && Date.parse(detail.welcomeExpiresAt) > net.clock.now()
          ? `The welcome link works until ${dayText(detail.welcomeExpiresAt)} ${timeText(detail.welcomeExpiresAt)}.`
          : "The welcome link has run out: make a new one.")) : null,
      user.simulated ? h("p", { class: "notice" }, icon("run"), "A sample runner or a replayed recording, not a person.") : null,
    ].filter(Boolean));
    drawFacts();
    if (redrawsForm) drawEdit();
    drawActions();
  }

  function drawFacts() {
    const { user, devices, sessions, tracking, buddies, events, reportsAbout, openReportsAbout, reportsBy } = detail;
    const fact = (name, value, path = null) => h("div", {}, h("dt", {}, name),
      h("dd", { class: "number" }, path ? h("a", { href: path }, value) : value));
    facts.replaceChildren(h("h2", { id: "user-facts-title" }, "At a glance"), h("dl", { class: "facts" },
      fact("Email", user.email), fact("Account made", dayText(user.createdAt)),
      fact("Last seen", user.lastUsedAt ? ago((net.clock.now() - Date.parse(user.lastUsedAt)) / 1000) : "Never"),
      fact("Logged in on", devices === 0 ? "no device" : count(devices, "device")),
      fact("Runs and rides until yesterday", `${sessions.toLocaleString("en")}${tracking ? ", one on the map now" : ""}`),
      fact("Buddies", buddies.toLocaleString("en")),
      fact("Events made", events.toLocaleString("en")),
      fact("Reported by others", reportsAbout === 0 ? "never"
        : `${count(reportsAbout, "time")}${openReportsAbout > 0 ? `, ${openReportsAbout} open` : ""}`, openReportsAbout > 0 ? "/reports"
        : null), fact("Reports made", reportsBy.toLocaleString("en"))),
    h("p", { class: "hint" }, "Emails are never shown whole, and nothing of what somebody wrote or where they were is among this."));
  }

  function drawEdit() {
    const { user } = detail;
    const role = h("select", { id: "field-role", name: "role" },
      ...roles.map(({ id: value, label }) => h("option", { value, selected: value === user.role }, label)));
    const roleHint = h("p", { class: "hint", id: "field-role-hint" });
    role.setAttribute("aria-describedby", "field-role-hint");
    const password = makeField(
      { name: "password", label: "Your own password", type: "password", autocomplete: "current-password",
        hint: "This is asked for changes that a stolen login must not be enough for: an email, an admin." });
    const username = makeField(
      { name: "username", label: "Username", autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: user.username });
    const email = makeField({ name: "email", label: "New email", type: "email", autocomplete: "off", inputmode: "email",
      placeholder: user.email, hint: "Empty leaves it as it is." });
    const changesOf = ({ username: name, email: address }) =>
      ({ ...(name !== user.username && { username: name }), ...(address !== "" && { email: address }),
        ...(role.value !== user.role && { role: role.value }) });
    const changes = () => changesOf({ username: username.input.value.trim(), email: email.input.value.trim() });
    const needsPassword = (changed) => Boolean(changed.email) || changed.role === "admin"
      || (user.role === "admin" && Object.keys(changed).length > 0);
    const redraw = () => {
      password.element.hidden = !needsPassword(changes());
      setText(roleHint, roles.find(({ id: value }) => value === role.value)?.hint ?? "");
    };
    const form = makeForm({
      id: "user-form", fields: [username, email, password], submitLabel: "Save the changes",
      check(values) {
        const changed = changesOf(values);
        const { username: nameProblem, email: emailProblem } = newUserProblems(
          { username: values.username, email: values.email || "unchanged@example.org" });
        if (nameProblem || emailProblem) return { ...(nameProblem && { username: nameProblem }),
          ...(emailProblem && { email: emailProblem }) };
        if (Object.keys(changed).length === 0) return { username: "Nothing is changed yet." };
        return needsPassword(changed) && values.password === "" ? { password: "Type your own password." } : {};
      },
      async send(values) {
        const changed = changesOf(values);
        const words = [changed.username && `New username: ${changed.username}.`, changed.email && `New email: ${changed.email}.`,
          changed.role && `New role: ${roleNames[changed.role]}.`].filter(Boolean).join(" ");
        const sure = await confirmDialog(
          { id: "edit-dialog", title: `Change ${user.username}?`,
            text: `${words} ${isOwn() ? "You are" : `${user.username} is`} logged out on every device, so that it holds at once.`,
            confirm: "Change" });
        if (!sure) return;
        await net.request("admin.editUser", { account: id, ...changed, ...(needsPassword(changed) && { password: values.password }) });
        toast(`${changed.username ?? user.username} is changed.`);
        await load();
      },
    });
    const roleField = h("div", { class: "field" }, h("label", { for: "field-role" }, "Role"), role, roleHint);
    email.element.after(roleField);
    form.addEventListener("input", redraw);
    role.addEventListener("change", redraw);
    redraw();
    edit.replaceChildren(h("h2", { id: "user-edit-title" }, "Change"), form);
  }

  function drawActions() {
    const { user, devices } = detail;
    const focused = actions.contains(document.activeElement) ? document.activeElement.id : null;
    const button = (buttonId, iconName, label, run, className = "button") => h("button",
      { class: className, type: "button", id: buttonId, onclick: run }, icon(iconName), label);
    actions.replaceChildren(h("h2", { id: "user-actions-title" }, "Account"), ...(isOwn() ? [h("p", { class: "muted", id: "own-note" }, "This is your own account. Another admin can disable or delete it.")] : []), h("div", { class: "action-list" }, ...[
      user.invited && user.state === "active" ? button("new-welcome", "mail", "New welcome link", makeWelcome) : null,
      button("sign-out-user", "leave", "Log out everywhere", signOut),
      isOwn() ? null : user.state === "disabled" ? button("enable-user", "tick", "Enable again", enable, "button primary")
        : button("disable-user", "block", "Disable…", disable, "button danger"),
      isOwn() ? null : button("delete-user", "bin", "Delete for good…", remove, "button danger"),
    ].filter(Boolean)), h("p", { class: "hint" }, devices === 0 ? "Not logged in anywhere." : `Logged in on ${count(devices, "device")}.`));
    if (focused) (document.getElementById(focused) ?? actions.querySelector("#enable-user, #disable-user"))?.focus({ preventScroll: true });
  }

  // MARK: what can be done

  async function makeWelcome() {
    const welcome = await askWelcome({ net, user: detail.user });
    if (!welcome || closed) return;
    await load({ redrawsForm: false });
    const card = welcomeLink(welcome);
    notices.append(card);
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("#welcome-link").focus({ preventScroll: true });
  }

  async function signOut() {
    const sure = await confirmDialog(
      { id: "sign-out-dialog", title: `Log ${nameOf()} out everywhere?`,
        text: `${isOwn() ? "You have" : `${nameOf()} has`} to log in again on every device. Calendar feeds, shared links, reminders and `
        + `a waiting welcome link stop working, too. What is being recorded goes on and is sent after that.`,
        confirm: "Log out everywhere" });
    if (!sure) return;
    await attempt(async () => {
      const { revoked } = await net.request("admin.signOutUser", { account: id });
      toast(revoked === 0 ? `${nameOf()} was not logged in.` : `${nameOf()} is logged out on ${count(revoked, "device")}.`);
      await load({ redrawsForm: false });
    });
  }

  async function disable() {
    const done = await askDisable({ net, user: detail.user });
    if (!done || closed) return;
    await load({ redrawsForm: false });
    announce(`${nameOf()} is disabled.`);
    toast(`${nameOf()} is disabled and logged out.`);
    document.getElementById("enable-user")?.focus();
  }

  async function enable() {
    if (!(await attempt(() => net.request("admin.enableUser", { account: id }), `${nameOf()} can log in again.`))) return;
    await load({ redrawsForm: false });
    document.getElementById("disable-user")?.focus();
  }

  async function remove() {
    if (!(await askDelete({ net, user: detail.user }))) return;
    toast(`${nameOf()} is deleted.`);
    announce(`${nameOf()} is deleted.`);
    router.go("/admin/users", { replace: true });
  }

  const live = () => { if (net.state === "live") load({ redrawsForm: detail === null }); };
  net.addEventListener("state", live);
  load();
  return () => {
    closed = true;
    net.removeEventListener("state", live);
    frame.close();
  };
}
