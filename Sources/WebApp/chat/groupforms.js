// Forms of groups: a new one, an invitation of buddies, another name.

import { characters } from "../kit/choices.js";
import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { pictureAndName } from "../kit/person.js";
import { uuid } from "../client/uuid.js";

const nameCharactersMax = 60;
const invitedAtOnceMax = 99;

/** Makes a group and opens it. */
export function openNewGroup({ net, chat, router }, scope) {
  // The same group, however often the request is sent.
  const id = uuid();
  const name = nameInput();
  const purpose = h("select", { id: "group-purpose" },
    h("option", { value: "" }, "Just chatting"), h("option", { value: "workout" }, "A workout"),
    h("option", { value: "event" }, "An event"));
  const purposeField = h("div", { class: "field" }, h("label", { for: "group-purpose" }, "What is it for?"), purpose);
  const picker = makePicker({ net, scope });
  openForm({
    id: "new-group-dialog", title: "New group", submitLabel: "Create group", fields: [nameField(name), purposeField, picker.element],
    check: () => nameProblem(name.value.trim()),
    send: async () => {
      const params = { id, name: name.value.trim(), ...(purpose.value && { purpose: purpose.value }), invite: picker.value };
      const made = await net.writes.write("group.create", params, { invited: picker.names });
      if (!made) return router.go("/chats");
      await chat.load();
      return router.go(`/chats/${made.conversation}`);
    },
  });
}

/** Invites buddies to the group `opened`. */
export function openInvite({ net, scope, opened }) {
  const picker = makePicker({ net, scope, without: opened.members.map(({ person }) => person.account) });
  openForm({
    id: "invite-dialog", title: "Invite buddies", submitLabel: "Invite", fields: [picker.element],
    check: () => (picker.value.length === 0 ? "Choose at least one buddy." : null),
    send: async () => {
      await net.request("group.invite", { conversation: opened.id, accounts: picker.value });
      opened.refresh();
    },
  });
}

/** Gives the group `opened` another name. */
export function openRename({ net, chat, opened }) {
  const name = nameInput(opened.conversation.name);
  openForm({
    id: "rename-dialog", title: "Rename group", submitLabel: "Rename", fields: [nameField(name)],
    check: () => nameProblem(name.value.trim()),
    send: async () => {
      if (!await net.writes.write("group.rename", { conversation: opened.id, name: name.value.trim() })) return;
      opened.refresh();
      chat.refresh(opened.id);
    },
  });
}

/** Buddies to choose from: `{element, get value, get names}`. `without` are accounts that are in the group already. */
function makePicker({ net, scope, without = [] }) {
  const chosen = new Map();
  const list = h("ul", { class: "picker" });
  const status = h("p", { class: "muted" }, "Loading your buddies…");
  const choose = (event, { account, name }) => {
    const box = event.currentTarget;
    if (box.checked && chosen.size >= invitedAtOnceMax) box.checked = false;
    else if (box.checked) chosen.set(account, name);
    else chosen.delete(account);
  };
  const row = (person) => h("li", {}, h("label", { class: "choice" },
    ...pictureAndName(scope, person),
    h("input", { type: "checkbox", value: person.account, onchange: (event) => choose(event, person) })));
  const emptyText = (buddies) => (buddies.length > 0
    ? "All your buddies are already here."
    : "You have no buddies yet. You can invite them later.");
  net.request("buddies.list").then(({ buddies }) => {
    const people = buddies.map(({ person }) => person).filter(({ account }) => !without.includes(account));
    status.textContent = people.length > 0 ? "" : emptyText(buddies);
    status.hidden = people.length > 0;
    list.append(...people.map(row));
  }, (error) => { status.textContent = error.message; });
  const element = h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Who do you want to invite?"), status, list);
  return { element, get value() { return [...chosen.keys()]; }, get names() { return [...chosen.values()]; } };
}

function nameInput(value = "") {
  return h("input", { class: "input", id: "group-name", maxlength: "120", value, autocomplete: "off" });
}

function nameField(input) {
  return h("div", { class: "field" }, h("label", { for: "group-name" }, "Name"), input);
}

function nameProblem(name) {
  if (name === "") return "Enter a group name.";
  return characters(name) > nameCharactersMax ? `At most ${nameCharactersMax} characters.` : null;
}

/** A form in a dialog. `check()` gives a problem or null; `send()` throws an error whose message is shown. */
function openForm({ id, title, fields, submitLabel, check, send }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button primary", type: "submit", id: `${id}-submit` }, submitLabel);
  const form = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = check() ?? "";
    if (problem.textContent) return;
    submit.disabled = true;
    try {
      await send();
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } }, ...fields, problem, h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id, title, content: form });
}
