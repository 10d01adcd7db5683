// The card on an event's page with the number of participants, the answer buttons, and the outcome of the answer.

import { announce, h } from "../kit/dom.js";
import { attempt } from "../kit/dialog.js";
import { icon } from "../kit/icons.js";
import { answerButtons } from "./row.js";
import { closedReason, placesText } from "./words.js";

const waitingText = "This waits until you're back online.";

/** A card. `changed(event)` gets the event with each state of an answer: as it will most likely be, and as the server confirmed it. */
export class AnswerCard {
  element = h("section", { class: "card stack event-answer", id: "event-answer", "aria-label": "Your answer" });

  #app;
  #changed;
  #places = h("div", { class: "stack event-places-card" });
  #buttons = null;

  constructor(app, { changed }) {
    this.#app = app;
    this.#changed = changed;
  }

  /** Whether an answer is in flight. */
  get isSending() {
    return this.#buttons?.isSending ?? false;
  }

  draw(event, now) {
    this.#drawPlaces(event);
    this.element.hidden = event.state !== "published";
    if (closedReason(event, now) !== null) {
      // The note at the top of the page gives the reason.
      this.#buttons = null;
      this.element.replaceChildren(h("h2", {}, "Who came"), this.#places);
    } else if (this.#app.net.account) {
      this.#drawAnswer(event);
    } else {
      this.element.replaceChildren(h("h2", {}, "Are you going?"), this.#places,
        h("a", { class: "button primary wide", href: `/login?next=/events/${event.id}`, id: "login-to-answer" }, "Log in to answer"));
    }
  }

  #drawPlaces(event) {
    const { going, maybe, waiting, details: { capacity } } = event;
    const bar = capacity ? h("div", { class: "places-bar", "aria-hidden": "true" }, h("span", {})) : null;
    bar?.firstChild.style.setProperty("width", `${Math.min(100, (going / capacity) * 100)}%`);
    const undecided = maybe > 0 ? ` · ${maybe.toLocaleString("en")} maybe` : "";
    const queued = capacity || waiting === 0 ? "" : ` · ${waiting} waiting`;
    const text = h("p", { id: "event-places" }, h("strong", {}, placesText(event)), undecided, queued);
    this.#places.replaceChildren(text, ...(bar ? [bar] : []));
  }

  /** Buttons that are shown stay, so that a press is not lost. */
  #drawAnswer(event) {
    const waits = this.#app.events.isWaiting(event.id);
    const note = [...this.#note(event), ...(waits ? [h("p", { class: "muted small", id: "answer-waiting" }, waitingText)] : [])];
    const clear = event.mine.answer ? [this.#clearButton(event.id)] : [];
    if (this.#buttons && this.element.contains(this.#buttons.element)) {
      this.#buttons.draw(event);
      this.element.querySelector(".answer-note").replaceChildren(...note);
      this.element.querySelector(".answer-back").replaceChildren(...clear);
      return;
    }
    this.#buttons = answerButtons(event, { app: this.#app, shown: this.#changed });
    this.element.replaceChildren(h("h2", {}, "Are you going?"), this.#buttons.element,
      h("div", { class: "answer-note stack tight", role: "status" }, ...note), this.#places, h("div", { class: "answer-back" }, ...clear));
  }

  #clearButton(id) {
    const clear = async () => {
      if (await attempt(() => this.#app.events.answer(id, null))) announce("Answer cleared.");
    };
    return h("button", { class: "button quiet small-button", type: "button", id: "take-back", onclick: clear }, "Clear my answer");
  }

  #note(event) {
    const { answer, queue, invitedBy } = event.mine;
    if (queue) {
      const rank = h("strong", {}, `You're number ${queue} on the waiting list. `);
      const text = h("span", {}, rank, "We'll move you up automatically and tell you.");
      return [h("p", { class: "notice warn", id: "waiting-note" }, icon("clock"), text)];
    }
    if (answer === "going") {
      return [h("p", { class: "notice good", id: "going-note" }, icon("tick"), h("span", {}, ...this.#goingText(event)))];
    }
    if (answer === "maybe") {
      const place = event.details.capacity ? " You don't have a spot yet." : "";
      return [h("p", { class: "muted" }, `We'll tell you about changes.${place}`)];
    }
    if (answer === "no") return [h("p", { class: "muted" }, "You're not going, so we won't send you updates about this event.")];
    if (!invitedBy) return [];
    return [h("p", { class: "notice", id: "invited-note" }, icon("mail"), h("span", {}, h("strong", {}, invitedBy.name), " invited you."))];
  }

  #goingText(event) {
    const isHost = event.owner?.account === this.#app.net.account?.id;
    if (isHost) return [h("strong", {}, "You're hosting. "), "You're counted as going. Choose No if you can't make it."];
    if (!event.details.capacity) return [h("strong", {}, "You're going. "), "We'll tell you about changes."];
    return [h("strong", {}, "You have a spot. "), "Choose No if you can't make it, so someone else can go."];
  }
}
