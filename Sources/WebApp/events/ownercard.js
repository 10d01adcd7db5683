// The card on an event's page with what its owner or an admin can do: publish, invite, edit, message attendees, delete, cancel.

import { attempt } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeKeyedContents } from "../kit/keyed.js";
import { askCancel, askDelete } from "./dialogs.js";
import { openInvite } from "./invite.js";
import { phaseOf } from "./times.js";

/** A card. `people()` gives the people who were invited or answered; `invited()` is called after an invitation and after publishing. */
export class OwnerCard {
  element = h("section", { class: "card stack", id: "event-manage", "aria-label": "Your event", hidden: true });

  #app;
  #scope;
  #people;
  #invited;
  #setContents = makeKeyedContents(this.element);
  /** The event as drawn last. */
  #event = null;

  constructor(app, scope, { people, invited }) {
    this.#app = app;
    this.#scope = scope;
    this.#people = people;
    this.#invited = invited;
  }

  draw(event, now) {
    this.#event = event;
    const isOver = phaseOf(event, now) === "over";
    const isOwner = event.owner?.account === this.#app.net.account?.id;
    const mayInvite = isOwner && event.state === "published" && !isOver;
    this.element.hidden = !event.mine.owns || (event.state !== "draft" && (isOver || event.state === "cancelled"));
    if (this.element.hidden) return;
    this.#setContents(JSON.stringify([event.state, isOver, mayInvite, isOwner]), () => [
      h("h2", {}, event.state === "draft" ? "Your draft" : isOwner ? "Your event" : "Manage as admin"),
      h("div", { class: "manage-buttons" }, ...this.#actions(event, { isOver, mayInvite })),
    ]);
  }

  #actions({ id, state }, { isOver, mayInvite }) {
    return [
      state === "draft" && !isOver ? button("publish-event", "send", "Publish", () => this.#publish(), "button primary") : null,
      mayInvite ? button("invite-to-event", "plus", "Invite", () => this.#invite(), "button primary") : null,
      isOver ? null : h("a", { class: "button", href: `/events/${id}/edit`, id: "edit-event" }, icon("edit"), "Edit"),
      state === "published"
        ? h("a", { class: "button", href: `/notices/new?event=${id}`, id: "tell-everybody" }, icon("bell"), "Message attendees")
        : null,
      state === "draft"
        ? button("delete-event", "bin", "Delete", () => this.#delete(), "button danger")
        : button("cancel-event", "close", "Cancel event", () => this.#cancel(), "button danger"),
    ];
  }

  #invite() {
    openInvite({ app: this.#app, scope: this.#scope, event: this.#event, people: this.#people(), invited: this.#invited });
  }

  async #publish() {
    const { id } = this.#event;
    if (await attempt(() => this.#app.events.publish(id), "Published. Invite people, or share the link.")) this.#invited();
  }

  async #cancel() {
    const { id } = this.#event;
    const reason = await askCancel(this.#event);
    if (reason === null) return;
    await attempt(async () => {
      const event = await this.#app.events.cancel(id, reason);
      const isDraft = event?.state === "draft";
      if (event) toast(isDraft ? "It wasn't published yet. It's a draft again." : "Event cancelled. Everyone involved will be notified.");
    });
  }

  async #delete() {
    const event = this.#event;
    const { events, router } = this.#app;
    if (!(await askDelete(event)) || !(await attempt(() => events.remove(event), "Draft deleted."))) return;
    router.go("/events?which=own", { replace: true });
  }
}

function button(id, iconName, label, run, className = "button") {
  return h("button", { class: className, type: "button", id, onclick: run }, icon(iconName), label);
}
