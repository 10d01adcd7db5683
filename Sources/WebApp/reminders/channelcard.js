// The card of one way by which reminders come: its name, its state, and contents that depend on the state.

import { h } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";

const names = { push: "Browser", email: "Email", text: "Text message" };
const icons = { push: "bell", email: "mail", text: "phone" };
const unavailable = {
  push: "Browser reminders aren't set up on this server.", email: "Email isn't set up on this server.",
  text: "Text messages aren't set up on this server.",
};
/** State → tone and text of its tag. */
const states = {
  unavailable: ["", "Not available"], off: ["", "Off"], unconfirmed: ["warn", "Not confirmed"], on: ["good", "On"],
  dead: ["bad", "Not working"],
};

/** A card. Subclasses have `contents(settings)`: the elements for the channel's settings. */
export class ChannelCard {
  net;
  /** `push`, `email` or `text`. */
  channel;
  body = h("div", { class: "stack" });
  saved = makeSaved();

  #taken;
  #state = h("span", { class: "event-tag" });
  #settings = null;
  /** State for which the contents were made; null to make them in any case. */
  #shownState = null;
  #isClosed = false;

  /** `taken(settings)` gets all settings after each change, as the server has them. */
  constructor({ net, channel, taken }) {
    const titleId = `channel-${channel}-title`;
    this.net = net;
    this.channel = channel;
    this.#taken = taken;
    this.element = h("section", { class: "card stack channel", id: `channel-${channel}`, "aria-labelledby": titleId },
      h("div", { class: "channel-head" }, icon(icons[channel]), h("h3", { id: titleId }, names[channel]), this.#state),
      this.body, this.saved.element);
  }

  /**
   * The elements for the channel's settings. Each subclass has its own.
   * @returns {(Node | string)[]}
   */
  contents(_settings) {
    return [];
  }

  /** Draws the channel's part of the settings: `{channel, state, …}`. */
  draw(settings) {
    const { state } = settings;
    const [tone, text] = states[state] ?? ["", state];
    this.#settings = settings;
    this.#state.className = `event-tag ${tone}`;
    this.#state.textContent = this.channel === "push" && state === "off" ? "No browser" : text;
    this.element.dataset.state = state;
    if (state === "unavailable") {
      this.body.replaceChildren(h("p", { class: "muted" }, unavailable[this.channel]));
      return;
    }
    if (this.#isTyping && this.#shownState === state) return;
    this.#shownState = state;
    this.body.replaceChildren(...this.contents(settings));
  }

  /** Draws the same settings again, also over a form. */
  redraw() {
    if (this.#isClosed || this.#settings === null) return;
    this.#shownState = null;
    this.draw(this.#settings);
  }

  close() {
    this.#isClosed = true;
  }

  /** Does work that gives the settings, shows its progress, and then the settings. Gives whether it succeeded. */
  async change(work) {
    const settings = await this.saved.run(work);
    if (settings && !this.#isClosed) this.#taken(settings);
    return settings !== null;
  }

  /** Shows settings from the server. */
  take(settings) {
    this.saved.say("", "");
    this.#taken(settings);
  }

  testButton() {
    return h("button", { class: "button", type: "button", id: `test-${this.channel}`, onclick: () => this.#test() },
      icon("send"), "Send test");
  }

  get #isTyping() {
    const focused = document.activeElement;
    return this.body.contains(focused) && focused.matches("input");
  }

  async #test() {
    const { channel } = this;
    this.saved.say("Sending…", "saving");
    try {
      const { sending } = await this.net.request("reminders.test", { channel });
      const targets = channel === "push" ? count(sending, "browser") : count(sending, "address", "addresses");
      if (sending === 0) this.saved.say("There's nowhere to send it.", "bad");
      else this.saved.say(`Test sent to ${targets}.`, "saved");
    } catch (error) {
      this.saved.say(messageWithWait(error), "bad");
    }
  }
}

/** An error's message, with the time after which to try again. */
export function messageWithWait(error) {
  return error.data?.retryAfter > 0 ? `${error.message} Try again in ${Math.ceil(error.data.retryAfter)} s.` : error.message;
}
