// Groups: making one, who is in it, what members may do.

import { confirmDialog, h } from "../kit/dom.js";
import { characters } from "../kit/choices.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../kit/uuid.js";
import { openMenu } from "../kit/menu.js";
import { avatar } from "../kit/person.js";
import { attempt, openDialog } from "../kit/dialog.js";
import { block, openReport } from "../buddies/safety.js";

const nameCharactersMax = 60;
const invitedAtOnceMax = 99;
const roleNames = { owner: "Owner", admin: "Admin", member: "Member" };

/** Buddies to choose from: `{element, get value}`. `without` are accounts that are there already. */
function makePicker({ net, scope, without = [] }) {
  const chosen = new Set();
  const list = h("ul", { class: "picker" });
  const status = h("p", { class: "muted" }, "Loading your buddies…");
  net.request("buddies.list").then(({ buddies }) => {
    const people = buddies.map(({ person }) => person).filter(({ account }) => !without.includes(account));
    status.textContent = people.length > 0 ? "" : buddies.length > 0 ? "All of your buddies are here already." : "You have no buddies yet. You can invite them later.";
    status.hidden = people.length > 0;
    list.append(...people.map((person) => h("li", {}, h("label", { class: "choice" }, avatar(scope, person, { size: 36 }), h("span", { class: "grow" }, person.name),
      h("input", { type: "checkbox", value: person.account, onchange: (event) => {
        if (event.currentTarget.checked && chosen.size >= invitedAtOnceMax) event.currentTarget.checked = false;
        else if (event.currentTarget.checked) chosen.add(person.account);
        else chosen.delete(person.account);
      } })))));
  }, (error) => { status.textContent = error.message; });
  return { element: h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Whom do you invite?"), status, list), get value() { return [...chosen]; } };
}

function nameField(value = "") {
  return h("input", { class: "input", id: "group-name", maxlength: "120", value, autocomplete: "off" });
}

function nameProblem(name) {
  if (name === "") return "Please give the group a name.";
  return characters(name) > nameCharactersMax ? `At most ${nameCharactersMax} characters.` : null;
}

/** A form in a dialog. `send()` throws what is to be said. */
function openForm({ id, title, fields, submitLabel, check = () => null, send }) {
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
  return dialog;
}

/** Makes a group and opens it. */
export function openNewGroup({ net, chat, router }, scope) {
  const id = uuid();
  const name = nameField();
  const purpose = h("select", { id: "group-purpose" }, h("option", { value: "" }, "Just to talk"), h("option", { value: "workout" }, "A workout"), h("option", { value: "event" }, "An event meet-up"));
  const picker = makePicker({ net, scope });
  openForm({
    id: "new-group-dialog", title: "New group", submitLabel: "Make the group",
    fields: [h("div", { class: "field" }, h("label", { for: "group-name" }, "Name"), name), h("div", { class: "field" }, h("label", { for: "group-purpose" }, "What is it for?"), purpose), picker.element],
    check: () => nameProblem(name.value.trim()),
    send: async () => {
      const { conversation } = await net.request("group.create", { id, name: name.value.trim(), ...(purpose.value && { purpose: purpose.value }), invite: picker.value });
      await chat.load();
      router.go(`/chats/${conversation}`);
    },
  });
}

/** Who is in the group, and all that one may do about it. `opened` is the open conversation. */
export function openGroup({ app, scope, opened }) {
  const { net, chat, router } = app;
  const body = h("div", { class: "stack" });
  let drawn = null;
  const dialog = openDialog({ id: "group", title: "Group", content: body });

  function draw() {
    const { conversation, members } = opened;
    const now = JSON.stringify([conversation, members]);
    if (!conversation || now === drawn) return;
    drawn = now;
    const mayManage = ["owner", "admin"].includes(conversation.role);
    const order = (member) => (member.state === "invited" ? 3 : { owner: 0, admin: 1, member: 2 }[member.role]);
    dialog.querySelector("h2").textContent = conversation.name;
    body.replaceChildren(
      mayManage ? h("div", { class: "row" },
        h("button", { class: "button small-button", type: "button", id: "invite", onclick: invite }, icon("plus"), "Invite buddies"),
        h("button", { class: "button small-button", type: "button", id: "rename", onclick: rename }, icon("edit"), "Rename")) : "",
      h("ul", { class: "member-list", id: "members" }, ...[...members].sort((a, b) => order(a) - order(b) || a.person.name.localeCompare(b.person.name)).map((member) => row(member, conversation))),
      h("button", { class: "button danger", type: "button", id: "leave-group", onclick: leave }, icon("leave"), "Leave the group"));
  }

  function row(member, conversation) {
    const { person, role, state } = member;
    const isMe = person.account === net.account?.id;
    const actions = isMe ? [] : actionsFor(member, conversation);
    return h("li", { class: "row-item", dataset: { member: person.account } }, avatar(scope, person, { size: 40 }),
      h("span", { class: "grow" }, h("strong", {}, person.name || "Somebody"), isMe ? " (you)" : "", h("span", { class: "muted small member-role" }, state === "invited" ? "Invited" : roleNames[role])),
      actions.length > 0 ? h("button", { class: "icon-button", type: "button", "aria-label": `What to do with ${person.name}`, onclick: (event) => openMenu({ anchor: event.currentTarget, label: person.name, actions }) }, icon("more")) : null);
  }

  function actionsFor({ person, role, state }, conversation) {
    const { account, name } = person;
    const isOwner = conversation.role === "owner";
    const setRole = (to) => change(() => net.request("group.role", { conversation: opened.id, account, role: to }));
    const actions = [];
    if (isOwner && state === "joined" && role === "member") actions.push({ id: "make-admin", label: "Make an admin", iconName: "plus", run: () => setRole("admin") });
    if (isOwner && role === "admin") actions.push({ id: "make-member", label: "Take the admin role away", iconName: "bar", run: () => setRole("member") });
    if (isOwner && state === "joined") actions.push({ id: "make-owner", label: "Make the owner", iconName: "account", run: () => setRole("owner") });
    if (isOwner || (conversation.role === "admin" && role === "member")) {
      actions.push({ id: "remove-member", label: state === "invited" ? "Take the invitation back" : "Remove from the group", iconName: "leave", isDanger: true, run: async () => {
        const sure = await confirmDialog({ id: "remove-member-dialog", title: `Remove ${name}?`, text: `${name} sees nothing more of this group.`, confirm: "Remove", danger: true });
        if (sure) change(() => net.request("group.remove", { conversation: opened.id, account }));
      } });
    }
    actions.push({ id: "report-member", label: "Report", iconName: "flag", run: () => openReport({ net, account, name, conversation: opened.id }) });
    actions.push({ id: "block-member", label: "Block", iconName: "block", isDanger: true, run: async () => { if (await block({ net, account, name })) opened.refresh(); } });
    return actions;
  }

  async function change(work) {
    if (await attempt(work)) opened.refresh();
  }

  function invite() {
    const picker = makePicker({ net, scope, without: opened.members.map(({ person }) => person.account) });
    openForm({
      id: "invite-dialog", title: "Invite buddies", submitLabel: "Invite", fields: [picker.element], check: () => (picker.value.length === 0 ? "Choose at least one." : null),
      send: async () => {
        await net.request("group.invite", { conversation: opened.id, accounts: picker.value });
        opened.refresh();
      },
    });
  }

  function rename() {
    const name = nameField(opened.conversation.name);
    openForm({
      id: "rename-dialog", title: "Rename the group", submitLabel: "Rename", fields: [h("div", { class: "field" }, h("label", { for: "group-name" }, "Name"), name)], check: () => nameProblem(name.value.trim()),
      send: async () => {
        await net.request("group.rename", { conversation: opened.id, name: name.value.trim() });
        opened.refresh();
        chat.refresh(opened.id);
      },
    });
  }

  async function leave() {
    const sure = await confirmDialog({ id: "leave-dialog", title: `Leave ${opened.conversation.name}?`, text: "You see nothing more of it. To come back, somebody has to invite you.", confirm: "Leave", danger: true });
    if (!sure || !(await attempt(() => net.request("group.leave", { conversation: opened.id }), "You left the group."))) return;
    dialog.close();
    chat.inbox.remove(opened.id);
    chat.load();
    router.go("/chats", { replace: true });
  }

  opened.addEventListener("change", draw);
  dialog.addEventListener("close", () => opened.removeEventListener("change", draw));
  draw();
}
