// The dialog of a group: its members, and the actions on them that the reader may take.

import { block, openReport } from "../buddies/safety.js";
import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { openMenu } from "../kit/menu.js";
import { avatar, personName } from "../kit/person.js";
import { openInvite, openRename } from "./groupforms.js";

const roleNames = { owner: "Owner", admin: "Admin", member: "Member" };
/** Order of members in the list; invited ones are last. */
const roleOrder = { owner: 0, admin: 1, member: 2 };
const invitedOrder = 3;

/** Opens the dialog of the group `opened`, which is an open conversation. */
export function openGroup(options) {
  new GroupDialog(options).start();
}

class GroupDialog {
  #app;
  #scope;
  #opened;
  #body = h("div", { class: "stack" });
  #dialog;
  /** Conversation and members as drawn, as JSON. */
  #drawn = null;

  constructor({ app, scope, opened }) {
    this.#app = app;
    this.#scope = scope;
    this.#opened = opened;
    this.#dialog = openDialog({ id: "group", title: "Group", content: this.#body });
  }

  start() {
    const life = new AbortController();
    this.#opened.addEventListener("change", () => this.#draw(), { signal: life.signal });
    this.#dialog.addEventListener("close", () => life.abort());
    this.#draw();
  }

  #draw() {
    const { conversation, members } = this.#opened;
    const now = JSON.stringify([conversation, members]);
    if (!conversation || now === this.#drawn) return;
    this.#drawn = now;
    const order = ({ state, role }) => (state === "invited" ? invitedOrder : roleOrder[role]);
    const sorted = [...members].sort((a, b) => order(a) - order(b) || a.person.name.localeCompare(b.person.name));
    this.#dialog.querySelector("h2").textContent = conversation.name;
    this.#body.replaceChildren(
      ["owner", "admin"].includes(conversation.role) ? this.#manageButtons() : "",
      h("ul", { class: "member-list", id: "members" }, ...sorted.map((member) => this.#row(member, conversation))),
      h("button", { class: "button danger", type: "button", id: "leave-group", onclick: () => this.#leave() },
        icon("leave"), "Leave group"));
  }

  #manageButtons() {
    const { net, chat } = this.#app;
    const opened = this.#opened;
    const button = (id, iconName, label, onclick) =>
      h("button", { class: "button small-button", type: "button", id, onclick }, icon(iconName), label);
    return h("div", { class: "row" },
      button("invite", "plus", "Invite buddies", () => openInvite({ net, scope: this.#scope, opened })),
      button("rename", "edit", "Rename group", () => openRename({ net, chat, opened })));
  }

  #row(member, conversation) {
    const { person, role, state } = member;
    const isMe = person.account === this.#app.net.account?.id;
    const actions = isMe ? [] : this.#actionsFor(member, conversation);
    const openActions = (event) => openMenu({ anchor: event.currentTarget, label: person.name, actions });
    const more = { class: "icon-button", type: "button", "aria-label": `More for ${person.name}`, onclick: openActions };
    return h("li", { class: "row-item", dataset: { member: person.account } }, avatar(this.#scope, person, { size: 40 }),
      h("span", { class: "grow" }, h("strong", {}, personName(person)), isMe ? " (you)" : "",
        h("span", { class: "muted small member-role" }, state === "invited" ? "Invited" : roleNames[role])),
      actions.length > 0 ? h("button", more, icon("more")) : null);
  }

  #actionsFor(member, conversation) {
    const { person: { account, name }, role, state } = member;
    const { net } = this.#app;
    const opened = this.#opened;
    const isOwner = conversation.role === "owner";
    const isJoined = state === "joined";
    const mayRemove = isOwner || (conversation.role === "admin" && role === "member");
    const setRole = (id, label, iconName, to) => ({ id, label, iconName, run: () => this.#setRole(account, to) });
    const blockMember = async () => { if (await block({ net, account, name })) opened.refresh(); };
    return [
      isOwner && isJoined && role === "member" && setRole("make-admin", "Make admin", "plus", "admin"),
      isOwner && role === "admin" && setRole("make-member", "Remove as admin", "bar", "member"),
      isOwner && isJoined && setRole("make-owner", "Make owner", "account", "owner"),
      mayRemove && {
        id: "remove-member", label: state === "invited" ? "Cancel invitation" : "Remove from group", iconName: "leave",
        isDanger: true, run: () => this.#remove(account, name),
      },
      {
        id: "report-member", label: "Report", iconName: "flag",
        run: () => openReport({ net, account, name, conversation: opened.id }),
      },
      { id: "block-member", label: "Block", iconName: "block", isDanger: true, run: blockMember },
    ].filter(Boolean);
  }

  async #setRole(account, role) {
    const { net } = this.#app;
    const opened = this.#opened;
    if (await attempt(() => net.request("group.role", { conversation: opened.id, account, role }))) opened.refresh();
  }

  async #remove(account, name) {
    const { net } = this.#app;
    const opened = this.#opened;
    const question = {
      id: "remove-member-dialog", title: `Remove ${name}?`, text: `${name} will no longer see this group.`, confirm: "Remove",
      danger: true,
    };
    if (await confirmThen(question, () => net.request("group.remove", { conversation: opened.id, account }))) opened.refresh();
  }

  async #leave() {
    const { net, chat, router } = this.#app;
    const { id, conversation } = this.#opened;
    const question = {
      id: "leave-dialog", title: `Leave ${conversation.name}?`, confirm: "Leave", danger: true,
      text: "You'll no longer see this group. To come back, you need an invitation.",
    };
    if (!(await confirmThen(question, () => net.writes.write("group.leave", { conversation: id }), "You left the group."))) return;
    this.#dialog.close();
    chat.inbox.remove(id);
    chat.load();
    router.go("/chats", { replace: true });
  }
}
