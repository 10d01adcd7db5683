// The row of tools on an event's page: save, share, calendar, report.

import { openReport } from "../buddies/safety.js";
import { announce, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeKeyedContents } from "../kit/keyed.js";
import { saveCalendar } from "./calendar.js";
import { shareEvent } from "./dialogs.js";

/** A row. `changed(event)` gets the event when it is saved, not saved any more, or neither after a failure. */
export class EventTools {
  element = h("div", { class: "event-tools" });

  #app;
  #changed;
  #setContents = makeKeyedContents(this.element);
  /** The event as drawn last. */
  #event = null;

  constructor(app, { changed }) {
    this.#app = app;
    this.#changed = changed;
  }

  draw(event) {
    const { account } = this.#app.net;
    this.#event = event;
    this.#setContents(JSON.stringify([event.mine.saved, event.state, event.owner?.account, account?.id]), () => [
      account ? this.#saveButton(event.mine.saved) : null,
      event.state === "published" ? tool("share-event-button", icon("link"), "Share", { onclick: () => shareEvent(this.#event) }) : null,
      event.state === "draft" ? null : this.#calendarLink(event.id),
      event.owner && account && event.owner.account !== account.id ? this.#reportButton() : null,
    ]);
  }

  #saveButton(saved) {
    return tool("save-event", icon("bookmark", { filled: saved }), saved ? "Saved" : "Save",
      { "aria-pressed": String(saved), onclick: () => this.#toggleSaved() });
  }

  #calendarLink(id) {
    const save = (clicked) => {
      clicked.preventDefault();
      saveCalendar(this.#event, this.#app);
    };
    const target = { href: `/events/${id}.ics`, download: `event-${id}.ics` };
    return h("a", { class: "button small-button", id: "add-calendar", ...target, onclick: save }, icon("calendar"), "Add to calendar");
  }

  #reportButton() {
    return tool("report-event", icon("flag"), "Report", { onclick: () => {
      const { id, owner } = this.#event;
      openReport({ net: this.#app.net, account: owner.account, name: owner.name, event: id });
    } });
  }

  /** Shows the new state at once; a failure takes it back. */
  async #toggleSaved() {
    const { id, mine: { saved: before } } = this.#event;
    this.#show(!before);
    try {
      await this.#app.events.save(id, !before);
      announce(!before ? "Saved." : "Removed from saved.");
    } catch (error) {
      if (!this.element.isConnected) return;
      this.#show(before);
      toast(error.message);
    }
  }

  #show(saved) {
    this.#changed({ ...this.#event, mine: { ...this.#event.mine, saved } });
  }
}

function tool(id, iconElement, label, props = {}) {
  return h("button", { class: "button small-button", type: "button", id, ...props }, iconElement, label);
}
