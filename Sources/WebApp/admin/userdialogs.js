// New welcome links, disabling and deleting somebody: what it means, in plain words, before it is done.

import { h } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";
import { openDialog } from "../kit/dialog.js";

const reasonCharactersMax = 500;

/** Opens a dialog with a form; resolves to what the server answered when what it asked for was done, else to null. */
function openForm({ id, title, lead, fields, submitLabel, submitClass = "button danger", check, send }) {
  return new Promise((resolve) => {
    let result = null;
    const form = makeForm({ id: `${id}-form`, fields, submitLabel, check, async send(values) {
      result = await send(values);
      dialog.close();
    } });
    const submit = form.querySelector("button[type=submit]");
    submit.className = submitClass;
    submit.before(h("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel"));
    const dialogRow = h("div", { class: "row dialog-actions" }, ...form.querySelectorAll(":scope > button"));
    form.append(dialogRow);
    const dialog = openDialog({ id, title, content: h("div", { class: "stack" }, ...lead, form) });
    dialog.addEventListener("close", () => resolve(result));
  });
}

const listed = (title, things) => [h("div", { class: "goes" }, h("p", {}, title), h("ul", {}, ...things.map((text) => h("li", {}, text))))];

const ownPassword = () => makeField(
  { name: "password", id: "own-password", label: "Your password", type: "password", autocomplete: "current-password" });

/** Asks for the admin's password, then makes another welcome link; the `Welcome`, or null. */
export function askWelcome({ net, user }) {
  const { id: account, username } = user;
  return openForm({
    id: "welcome-dialog", title: "Create a new link?", fields: [ownPassword()], submitLabel: "Create link", submitClass: "button primary",
    lead: [h("p", { class: "muted" },
      `The previous welcome link stops working. Anyone with the new link can set ${username}'s password.`)],
    check: (values) => (values.password === "" ? { password: "Enter your password." } : {}),
    send: ({ password }) => net.request("admin.welcomeUser", { account, password }),
  });
}

/** Asks why, then disables. True when it was done. */
export function askDisable({ net, user }) {
  const { id: account, username, role } = user;
  const reason = makeField({ name: "reason", label: "Reason", autocomplete: "off", maxlength: reasonCharactersMax,
    hint: "Only admins see it." });
  const fields = role === "admin" ? [reason, ownPassword()] : [reason];
  return openForm({
    id: "disable-dialog", title: `Disable ${username}?`, fields, submitLabel: "Disable",
    lead: [h("p", { class: "muted" },
      `${username} is logged out everywhere and can't log in. A recording ends. Nothing is deleted. You can enable the account `
        + `again at any time.`)],
    check: (values) => ({ ...(values.reason === "" && { reason: "Enter a reason." }),
      ...(values.password === "" && { password: "Enter your password: this is an admin." }) }),
    send: ({ reason: why, password }) => net.request("admin.disableUser", { account, reason: why, ...(password && { password }) }),
  });
}

/** Asks for the admin's password, then removes passkeys and second factors. True when it was done. */
export function askFactorReset({ net, user }) {
  const { id: account, username } = user;
  return openForm({
    id: "reset-factor-dialog", title: `Reset two-step log-in of ${username}?`, fields: [ownPassword()], submitLabel: "Reset",
    lead: [h("p", { class: "muted" }, `${username} is logged out everywhere. Passkeys, authenticator app and recovery codes are removed, `
      + "and the password alone logs in. Make sure that it's really them who asks for it.")],
    check: (values) => (values.password === "" ? { password: "Enter your password." } : {}),
    send: ({ password }) => net.request("admin.resetSecondFactor", { account, password }),
  });
}

/** Asks for the username and the admin's password, then deletes. True when it was done. */
export function askDelete({ net, user }) {
  const { id: account, username } = user;
  const typed = makeField({ name: "username", id: "typed-username", label: `Type ${username} to confirm`, autocomplete: "off",
    autocapitalize: "none", spellcheck: "false" });
  return openForm({
    id: "delete-dialog", title: `Delete ${username}?`, fields: [typed, ownPassword()], submitLabel: "Delete account",
    lead: [h("p", { class: "notice bad" },
      h("span", {}, h("strong", {}, "This can't be undone. "), "To keep someone out, disable them instead.")),
      ...listed("This deletes:", ["the account with its profile and picture", "all sessions with their routes",
        "buddies and the chats with them", "events they created for others, and answers to events"]),
      ...listed("What we keep, without the name:",
        ["messages in groups", "events they announced for the campus", "reports by them and about them"]),
      h("p", { class: "muted" }, "The admin log keeps the username.")],
    check: (values) => ({ ...(values.username !== username && { username: `That's not the username. Type ${username}.` }),
      ...(values.password === "" && { password: "Enter your password." }) }),
    send: ({ username: name, password }) => net.request("admin.deleteUser", { account, username: name, password }, { timeout: 60_000 }),
  });
}
