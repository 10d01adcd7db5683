// Events that the server suggests, above the list.

import { h } from "../kit/dom.js";
import { eventRow } from "./row.js";
import { phaseOf } from "./times.js";

const suggestedMax = 3;
const reasons = { buddies: "A buddy is going", interest: "Matches your training", place: "At a place you visit often" };

/** A section, hidden while there are none. */
export class Suggestions {
  element = h("section", { class: "event-suggested", id: "event-suggested", "aria-label": "Suggested for you", hidden: true });

  #app;
  #suggestions = [];

  constructor(app) {
    this.#app = app;
  }

  clear() {
    this.#suggestions = [];
  }

  /** Requests them. A failure leaves those that are shown. Gives whether they were received. */
  async load() {
    try {
      const reply = await this.#app.net.request("events.suggested", { limit: suggestedMax });
      this.#suggestions = reply.suggestions.slice(0, suggestedMax);
      return true;
    } catch {
      return false;
    }
  }

  /** Takes another state of an event. */
  update(event) {
    this.#suggestions = this.#suggestions.map((other) => (other.event.id === event.id ? { ...other, event } : other));
  }

  /** `isWanted` is false beside lists that suggestions do not belong to. */
  draw({ isWanted, workouts, now }) {
    const shown = isWanted ? this.#suggestions.filter(({ event }) => phaseOf(event, now) !== "over" && !event.mine.answer) : [];
    this.element.hidden = shown.length === 0;
    this.element.replaceChildren(h("h2", { class: "event-date" }, "Suggested for you"), h("ul", { class: "event-rows" },
      ...shown.map(({ event, because }) => eventRow(event, { app: this.#app, workouts, now, withDay: true, because: reasons[because] }))));
  }
}
