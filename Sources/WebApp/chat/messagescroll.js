// The scrolling of an open conversation: where it begins, whether it follows the newest message, and the button that leads there.

import { h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** Within this distance the end counts as reached. */
const bottomPixels = 60;
/** So far from the top older messages are loaded. */
const olderPixels = 500;
/** Height that stays free above the line of new messages. */
const newLinePixels = 60;
const flashMilliseconds = 1_600;

/** Keeps the place of the reader while messages come and go. */
export class MessageScroll {
  element;
  /** The button that leads to the newest message. */
  down;
  /** Whether the newest message is on screen, and stays there when another one comes. Set here only. */
  isAtBottom = true;
  /** Whether the first place was found: from then on the reader's place is kept. Set here only. */
  isPlaced = false;

  #opened;
  #rows;
  #me;
  #handlers;
  #signal;
  /** Offset of the newest message that was on screen. */
  #lastSeen = 0;
  #downCount = h("span", { class: "unread number" });
  #resized = new ResizeObserver(() => this.#followEnd());

  /**
   * `parts` are the scrolled elements, `rows` the `MessageRows` among them. `reached()` is called when the reader scrolls to the end,
   * `draw()` before a jump, `olderFailed()` when older messages could not be loaded. Ends with `signal`.
   */
  constructor({ opened, rows, me, parts, handlers, signal }) {
    this.#opened = opened;
    this.#rows = rows;
    this.#me = me;
    this.#handlers = handlers;
    this.#signal = signal;
    this.element = h("div", { class: "message-scroll", id: "message-scroll", tabindex: "0", role: "region", "aria-label": "Messages" },
      ...parts);
    this.down = h("button", {
      class: "to-bottom", type: "button", id: "to-bottom", hidden: true, "aria-label": "Go to latest message",
      onclick: () => this.toBottom(),
    }, icon("down"), this.#downCount);
    signal.addEventListener("abort", () => this.#resized.disconnect());
  }

  start() {
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#resized.observe(this.element);
  }

  /**
   * Draws with `draw()` and keeps the place. `isReady` says that the conversation is loaded: then the first place is found, at the message
   * `at` if there is one.
   */
  drawAround(draw, { isReady, at }) {
    const anchor = this.isPlaced && !this.isAtBottom ? this.#firstVisible() : null;
    draw();
    if (!this.isPlaced && isReady) this.#place(at);
    else if (this.isAtBottom) this.toBottom();
    else if (anchor) this.element.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top;
    this.#countUnseen();
  }

  /** Follows the newest message from the next drawing on. */
  follow() {
    this.isAtBottom = true;
  }

  /** Goes to the newest message and follows it. */
  toBottom() {
    this.isAtBottom = true;
    // Without animation: on a long way older messages would be loaded in between and stop it.
    this.element.scrollTop = this.element.scrollHeight;
    this.down.hidden = true;
  }

  /** Stays at the end when the height of the page changes. */
  fitted() {
    this.#followEnd();
  }

  /** Goes to a message, loading older ones until it is there. */
  async jump(offset) {
    this.isAtBottom = false;
    let isThere = false;
    try {
      isThere = await this.#opened.reach(offset);
    } catch (error) {
      toast(error.message);
      return;
    }
    if (this.#signal.aborted) return;
    this.#handlers.draw();
    const target = this.#rows.messageAt(offset);
    if (!isThere || !target) {
      toast("That message was deleted or is too far back.");
      return;
    }
    target.scrollIntoView({ block: "center" });
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), flashMilliseconds);
    this.#scrolled();
  }

  #followEnd() {
    if (this.isAtBottom) this.toBottom();
  }

  #firstVisible() {
    const top = this.element.getBoundingClientRect().top;
    for (const child of this.#rows.element.children) {
      const box = child.getBoundingClientRect();
      if (box.bottom > top) return { element: child, top: box.top };
    }
    return null;
  }

  /** Begins at the message `at`, at the line of new messages, or at the end. */
  #place(at) {
    this.isPlaced = true;
    this.#lastSeen = this.#opened.conversation?.read ?? 0;
    const { newLine } = this.#rows;
    if (at !== null) {
      this.jump(at);
    } else if (newLine) {
      this.element.scrollTop = newLine.offsetTop - newLinePixels;
      this.#scrolled();
    } else {
      this.toBottom();
    }
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    this.isAtBottom = scrollHeight - scrollTop - clientHeight < bottomPixels;
    if (this.isAtBottom) this.#handlers.reached();
    this.#countUnseen();
    const { log, isLoadingOlder } = this.#opened;
    if (scrollTop < olderPixels && this.isPlaced && log.older && !isLoadingOlder) {
      this.#opened.loadOlder().catch(() => this.#handlers.olderFailed());
    }
  }

  #countUnseen() {
    const { log } = this.#opened;
    const isUnseen = ({ type, offset, by, deletedAt }) =>
      type === "message" && offset > this.#lastSeen && by !== this.#me && !deletedAt;
    if (this.isAtBottom) this.#lastSeen = log.newest;
    const unseen = this.isAtBottom ? 0 : log.ordered.filter(isUnseen).length;
    this.down.hidden = this.isAtBottom;
    setText(this.#downCount, unseen > 0 ? String(unseen) : "");
    this.down.setAttribute("aria-label", unseen > 0 ? `Go to latest message, ${unseen} new` : "Go to latest message");
  }
}
