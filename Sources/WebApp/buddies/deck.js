// The deck: one suggestion at a time, passed or accepted by a swipe, a button or a key.

import { announce, emptyState, h, refocus, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem } from "../kit/loadable.js";
import { Loader } from "../kit/loader.js";
import { loading } from "../kit/loading.js";
import { CardQueue } from "./cards.js";
import { openMatch, removeMatch } from "./match.js";
import { Pile } from "./pile.js";

const cardsPerRequest = 20;
const refillBelow = 3;

/** `{element, load, close}`; `options` is `buddies.options`. */
export function makeDeck(options) {
  return new Deck(options);
}

class Deck {
  element;

  #app;
  #scope;
  #queue = new CardQueue();
  #pile;
  /** Decisions are sent one after the other. */
  #sending = Promise.resolve();
  /** Ends with the deck. */
  #life = new AbortController();
  #loader = new Loader({
    fetch: () => this.#app.net.request("buddies.deck", { limit: cardsPerRequest }),
    loading: () => this.#drawLoading(),
    loaded: ({ cards }) => {
      this.#queue.add(cards, cardsPerRequest);
      this.#status.replaceChildren();
      this.#draw();
    },
    failed: (error) => this.#drawProblem(error),
  });

  #status = h("div", { class: "deck-status" });
  #actions = h("div", { class: "deck-actions", hidden: true },
    this.#button("pass", "close", "Pass"), this.#button("accept", "tick", "Accept"));
  #hint = h("p", { class: "hint deck-hint", hidden: true }, "Swipe, or use the buttons. Or press ← to pass, → to accept.");

  constructor({ app, options, scope }) {
    this.#app = app;
    this.#scope = scope;
    this.#pile = new Pile({ options, scope, decide: (isAccepted) => this.#decide(isAccepted) });
    this.element = h("section", { class: "deck", "aria-label": "Suggestions" },
      this.#pile.element, this.#status, this.#actions, this.#hint);
    const { signal } = this.#life;
    document.addEventListener("keydown", (event) => this.#keyPressed(event), { signal });
    app.net.addEventListener("state", () => { if (app.net.state === "live" && this.#queue.length === 0) this.load(); }, { signal });
  }

  /** Loads suggestions behind those that are there. */
  async load() {
    if (!this.#loader.isLoading && !this.#isClosed) await this.#loader.load();
  }

  close() {
    this.#life.abort();
    this.#loader.close();
    removeMatch();
  }

  get #isClosed() {
    return this.#life.signal.aborted;
  }

  #button(name, iconName, label) {
    const onclick = () => this.#decide(name === "accept");
    return h("button", { class: `button big decide ${name}`, type: "button", id: name, onclick }, icon(iconName), label);
  }

  #draw() {
    this.#pile.draw(this.#queue);
    const isEmpty = this.#queue.length === 0;
    this.#actions.hidden = this.#hint.hidden = isEmpty;
    if (isEmpty && !this.#loader.isLoading) this.#drawEmpty();
    // The buttons are hidden with the last suggestion.
    if (isEmpty && this.#actions.contains(document.activeElement)) refocus();
  }

  #drawEmpty() {
    const lookAgain = h("button", { class: "button", type: "button", onclick: () => this.load() }, "Check again");
    this.#status.replaceChildren(emptyState({
      id: "deck-empty", iconElement: icon("buddies"), title: "Nobody new right now",
      text: "You've seen everyone who fits. Add to your profile, or check back later.",
      action: h("div", { class: "row" }, lookAgain, h("a", { class: "button", href: "/buddies/profile" }, "Edit profile")),
    }));
  }

  #drawLoading() {
    if (this.#queue.length > 0) return;
    this.#status.replaceChildren(h("p", { class: "muted center" }, "Finding people who train like you…"));
  }

  #drawProblem(error) {
    if (this.#queue.length > 0) return;
    this.#actions.hidden = this.#hint.hidden = true;
    // Suggestions are not kept. They are loaded when the connection is back.
    if (isOnlyOffline(error, this.#app.net)) {
      this.#status.replaceChildren(loading(this.#app.net, { id: "deck-offline" }));
      return;
    }
    const title = "Couldn't load suggestions";
    this.#status.replaceChildren(loadProblem({ id: "deck-problem", title, text: error.message, again: () => this.load() }));
  }

  /** Returns false when the decision was refused: the card stays. */
  #decide(isAccepted) {
    if (!this.#queue.first) return false;
    if (this.#app.net.state !== "live") {
      toast("You're offline. Decide again when you're back online.", { key: "deck-offline" });
      return false;
    }
    const card = this.#queue.decide();
    this.#pile.fly(card, isAccepted);
    this.#draw();
    const done = isAccepted ? "Accepted." : "Passed.";
    const { first } = this.#queue;
    announce(first ? `${done} Next: ${first.name}.` : done);
    this.#sending = this.#sending.then(() => this.#send(card, isAccepted));
    return true;
  }

  async #send(card, isAccepted) {
    try {
      const params = { account: card.account, accept: isAccepted };
      const { matched, conversation } = await this.#app.net.request("buddies.decide", params);
      if (matched && conversation) this.#matched(card, conversation);
    } catch (error) {
      // A person who is not suggested any more is gone, or was decided on at another device.
      if (this.#isClosed || error.isNotFound || error.isConflict) return;
      this.#putBack(card, error);
    }
    if (this.#queue.length < refillBelow && this.#queue.mayHaveMore && !this.#isClosed) await this.load();
  }

  #matched(card, conversation) {
    const sayHello = () => this.#app.router.go(`/chats/${conversation}`);
    if (!this.#isClosed) openMatch({ card, conversation, scope: this.#scope, sayHello });
    else toast(`You and ${card.name} are now buddies.`, { key: `chat-${conversation}`, action: { label: "Say hello", run: sayHello } });
  }

  #putBack(card, error) {
    this.#queue.putBack(card);
    this.#draw();
    const text = error.isTransient ? `${error.message} ${card.name} is back in your suggestions.` : error.message;
    toast(text, { key: "deck-problem" });
  }

  #keyPressed(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isElsewhere = document.activeElement?.closest("input, textarea, select, dialog, [contenteditable]");
    if (isElsewhere || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.#decide(event.key === "ArrowRight");
  }
}
