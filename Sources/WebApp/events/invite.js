// The dialog that invites buddies and groups to an event.

import { openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { avatar, groupMark, personName } from "../kit/person.js";
import { shareEvent } from "./dialogs.js";

const accountsAtOnceMax = 100;
const groupsAtOnceMax = 10;

/**
 * Opens the dialog. `people` were invited or answered already and are not offered; `invited()` is called after an invitation; `scope` is
 * that of the page's pictures.
 */
export function openInvite(given) {
  new InviteDialog(given).open();
}

class InviteDialog {
  #app;
  #scope;
  #event;
  #known;
  #invited;
  #accounts = new Set();
  #groups = new Set();
  #dialog = null;

  #status = h("p", { class: "muted", role: "status" }, "Loading your buddies…");
  #problem = h("p", { class: "problem", role: "alert" });
  #submit = h("button", { class: "button primary", type: "submit", id: "invite-submit" }, "Invite");
  #actions = h("div", { class: "row dialog-actions" }, this.#submit);
  #legend = h("legend", { class: "legend" }, "Buddies");
  #buddyList = h("ul", { class: "picker", id: "invite-buddies" });

  constructor({ app, scope, event, people = [], invited }) {
    this.#app = app;
    this.#scope = scope;
    this.#event = event;
    this.#known = new Set(people.map(({ person }) => person.account));
    this.#invited = invited;
  }

  open() {
    const groups = this.#app.chat.inbox.ordered.filter(({ kind, state }) => kind === "group" && state !== "invited");
    const form = h("form", { class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      this.#send();
    } },
    h("fieldset", { class: "choices" }, this.#legend, this.#status, this.#buddyList), this.#groupField(groups),
    this.#problem, this.#actions);
    this.#loadBuddies(groups.length > 0);
    this.#dialog = openDialog({ id: "invite-people", title: "Invite", content: form });
  }

  #groupField(groups) {
    const items = groups.map(({ id, name }) => this.#choice(this.#groups, {
      id, most: groupsAtOnceMax, mark: groupMark({ size: 36 }), name, hint: "Everyone in it now",
    }));
    return h("fieldset", { class: "choices", hidden: groups.length === 0 }, h("legend", { class: "legend" }, "Groups"),
      h("ul", { class: "picker", id: "invite-groups" }, ...items));
  }

  async #loadBuddies(hasGroups) {
    try {
      const { buddies } = await this.#app.net.request("buddies.list");
      const open = buddies.map(({ person }) => person).filter(({ account }) => !this.#known.has(account));
      this.#status.textContent = nobodyText(open.length, buddies.length);
      this.#status.hidden = open.length > 0;
      if (open.length === 0 && !hasGroups) this.#drawNobody(buddies.length > 0);
      this.#buddyList.append(...open.map((person) => this.#choice(this.#accounts, {
        id: person.account, most: accountsAtOnceMax, mark: avatar(this.#scope, person, { size: 36 }), name: personName(person),
      })));
    } catch (error) {
      this.#status.textContent = error.message;
    }
  }

  /** A checkbox that puts `id` into a set of at most `most`. */
  #choice(set, { id, most, mark, name, hint = null }) {
    const changed = ({ currentTarget: box }) => {
      if (box.checked && set.size >= most) box.checked = false;
      else if (box.checked) set.add(id);
      else set.delete(id);
      this.#problem.textContent = "";
      this.#submit.textContent = this.#size > 0 ? `Invite (${this.#size})` : "Invite";
    };
    return h("li", {}, h("label", { class: "choice" }, mark,
      h("span", { class: "grow" }, name, hint ? h("span", { class: "hint" }, hint) : null),
      h("input", { type: "checkbox", value: id, onchange: changed })));
  }

  /** Number of buddies and groups that are chosen. */
  get #size() {
    return this.#accounts.size + this.#groups.size;
  }

  /** Without anybody to choose: other ways to find participants. */
  #drawNobody(hasBuddies) {
    const hint = hasBuddies
      ? " Share the link to invite others."
      : " Find people who train like you, or share the event link.";
    const close = () => this.#dialog.close();
    this.#legend.hidden = true;
    this.#status.append(hint);
    this.#actions.replaceChildren(h("button", { class: "button", type: "button", id: "share-instead", onclick: () => {
      close();
      shareEvent(this.#event);
    } }, "Share the link"), h("a", { class: "button primary", href: "/buddies", id: "find-buddies", onclick: close }, "Find buddies"));
  }

  async #send() {
    this.#problem.textContent = this.#size === 0 ? "Choose someone to invite." : "";
    if (this.#size === 0) return;
    this.#submit.disabled = true;
    try {
      const { invited: number } = await this.#app.net.request("events.invite", {
        event: this.#event.id, ...(this.#accounts.size > 0 && { accounts: [...this.#accounts] }),
        ...(this.#groups.size > 0 && { groups: [...this.#groups] }),
      });
      this.#dialog.close();
      toast(invitedText(number));
      this.#invited();
    } catch (error) {
      this.#problem.textContent = error.message;
      this.#submit.disabled = false;
    }
  }
}

function nobodyText(openCount, buddyCount) {
  if (openCount > 0) return "";
  return buddyCount > 0 ? "All your buddies are invited or have answered." : "You have no buddies yet.";
}

function invitedText(number) {
  if (number === 0) return "Nobody was invited.";
  return number === 1 ? "1 person invited." : `${count(number, "person", "people")} invited.`;
}
