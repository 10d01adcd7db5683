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
  { name: "password", id: "own-password", label: "Your own password", type: "password", autocomplete: "current-password" });

/** Asks for the admin's password, then makes another welcome link; the `Welcome`, or null. */
export function askWelcome({ net, user }) {
  const { id: account, username } = user;
  return openForm({
    id: "welcome-dialog", title: "Make a new link?", fields: [ownPassword()], submitLabel: "New link", submitClass: "button primary",
    lead: [h("p", { class: "muted" },
      `The welcome link from before stops working. Whoever has the new one can set ${username}’s password.`)],
    check: (values) => (values.password === "" ? { password: "Type your own password." } : {}),
    send: ({ password }) => net.request("admin.welcomeUser", { account, password }),
  });
}

/** Asks why, then disables. True when it was done. */
export function askDisable({ net, user }) {
  const { id: account, username, role } = user;
  const reason = makeField({ name: "reason", label: "Why?", autocomplete: "off", maxlength: reasonCharactersMax,
    hint: "For other admins. The person is not shown it." });
  const fields = role === "admin" ? [reason, ownPassword()] : [reason];
  return openForm({
    id: "disable-dialog", title: `Disable ${username}?`, fields, submitLabel: "Disable",
    lead: [h("p", { class: "muted" },
      `${username} is logged out on every device at once, cannot log in, and what is being recorded ends. Nothing is deleted. You can `
      + `enable the account again at any time.`)],
    check: (values) => ({ ...(values.reason === "" && { reason: "Please say why." }),
      ...(values.password === "" && { password: "Type your own password: this is an admin." }) }),
    send: ({ reason: why, password }) => net.request("admin.disableUser", { account, reason: why, ...(password && { password }) }),
  });
}

/** Asks for the username and the admin's password, then deletes. True when it was done. */
export function askDelete({ net, user }) {
  const { id: account, username } = user;
  const typed = makeField({ name: "username", id: "typed-username", label: `Type the username, ${username}`, autocomplete: "off",
    autocapitalize: "none", spellcheck: "false" });
  return openForm({
    id: "delete-dialog", title: `Delete ${username} for good?`, fields: [typed, ownPassword()], submitLabel: "Delete for good",
    lead: [h("p", { class: "notice bad" },
      h("span", {}, h("strong", {}, "This cannot be undone. "), "To keep somebody out, disable them instead.")),
      ...listed("What goes:", ["the account with its profile and picture", "all runs and rides, with their routes",
        "buddies, and the private chats with them", "events they made for others, and answers to events"]),
      ...listed("What stays, without the name:",
        ["messages in groups", "events they announced for the campus", "reports by them and about them"]),
      h("p", { class: "muted" }, "The log of what admins did keeps the username.")],
    check: (values) => ({ ...(values.username !== username && { username: `This is not the username. Type ${username}.` }),
      ...(values.password === "" && { password: "Type your own password." }) }),
    send: ({ username: name, password }) => net.request("admin.deleteUser", { account, username: name, password }, { timeout: 60_000 }),
  });
}
