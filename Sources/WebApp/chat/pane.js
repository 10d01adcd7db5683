// The open conversation: messages as they come, older ones on the way up, and the composer (C-7).

import { announce, dropToast, h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { fitAboveKeyboard } from "../kit/keyboard.js";
import { makeKeptNote } from "../kit/loading.js";
import { waitingText } from "../kit/saved.js";
import { dropNotifications } from "../kit/notifications.js";
import { ConversationActions } from "./actions.js";
import { makeComposer } from "./composer.js";
import { ConversationHead } from "./head.js";
import { MessageRows } from "./messagerows.js";
import { MessageScroll } from "./messagescroll.js";
import { invitation, notLoaded } from "./panestatus.js";
import { typingLine } from "./rows.js";

const drawAfterMilliseconds = 16;

/** `{element, start, close}` of a conversation; `at` is a message to begin at. */
export function makeConversationPane(options) {
  return new ConversationPane(options);
}

class ConversationPane {
  element;

  #app;
  #id;
  #at;
  #opened;
  #me;
  /** Last offset that was read before this visit: the line above new messages stays behind it. Null for no line. */
  #newFrom = null;
  #drawTimer = 0;
  /** Ends with the pane. */
  #life = new AbortController();

  #head;
  #rows;
  #scroll;
  #composer;
  #foot;
  #kept = makeKeptNote("conversation-kept");
  #status = h("div", { class: "conversation-status" });
  #older = h("p", { class: "muted small center older-note", role: "status" });
  #waiting = h("p", { class: "muted small center", id: "chat-waiting", role: "status" });
  #typing = h("p", { class: "typing", id: "typing", role: "status" });

  constructor({ app, scope, id, at = null }) {
    this.#app = app;
    this.#id = id;
    this.#at = at;
    this.#opened = app.chat.open(id);
    this.#me = app.net.account.id;
    const opened = this.#opened;
    const me = this.#me;
    const nameOf = (account) => this.#nameOf(account);
    const actions = new ConversationActions({ app, scope, opened, nameOf, composer: () => this.#composer });
    this.#head = new ConversationHead({ app, scope, opened, actions });
    const jump = (offset) => this.#scroll.jump(offset);
    this.#rows = new MessageRows({ sender: app.chat.sender, scope, opened, me, actions, nameOf, jump });
    this.#scroll = new MessageScroll({
      opened, me, rows: this.#rows, signal: this.#life.signal,
      parts: [this.#status, this.#older, this.#rows.element, this.#waiting, this.#typing],
      handlers: { reached: () => this.#seen(), draw: () => this.#draw(), olderFailed: () => this.#olderFailed() },
    });
    this.#composer = this.#makeComposer();
    this.#foot = h("footer", { class: "conversation-foot" }, this.#composer.element);
    this.element = h("section", { class: "chat-pane", "aria-label": "Chat" },
      this.#head.element, this.#kept.element, h("div", { class: "message-area" }, this.#scroll.element, this.#scroll.down), this.#foot);
  }

  /** Begins once the element is on the page: heights depend on it. */
  start() {
    const { chat, net } = this.#app;
    const { signal } = this.#life;
    const opened = this.#opened;
    chat.shown = this.#id;
    this.#composer.start();
    const changed = () => this.#changed();
    opened.addEventListener("change", changed, { signal });
    opened.addEventListener("closed", () => this.#closed(), { signal });
    chat.addEventListener("change", changed, { signal });
    chat.addEventListener("gone", ({ detail }) => this.#gone(detail), { signal });
    net.addEventListener("state", () => this.#stateChanged(), { signal });
    net.writes.addEventListener("change", changed, { signal });
    document.addEventListener("visibilitychange", () => this.#seen(), { signal });
    addEventListener("focus", () => this.#seen(), { signal });
    this.#scroll.start();
    fitAboveKeyboard(() => this.#scroll.fitted(), signal);
    this.#draw();
    // On a phone the keyboard would cover the messages.
    if (matchMedia("(hover: hover) and (pointer: fine)").matches) this.#composer.focus();
  }

  close() {
    const { chat } = this.#app;
    clearTimeout(this.#drawTimer);
    if (chat.shown === this.#id) chat.shown = null;
    this.#life.abort();
    this.#composer.close();
    this.#opened.close();
    this.#rows.close();
    const dialogs = /** @type {NodeListOf<HTMLDialogElement>} */ (document.querySelectorAll("dialog[open]"));
    for (const dialog of dialogs) dialog.close();
  }

  #makeComposer() {
    const { chat } = this.#app;
    const id = this.#id;
    return makeComposer({
      account: this.#me, conversation: id,
      quoteOf: (offset) => this.#quoteOf(offset),
      send: (message) => {
        this.#opened.stoppedTyping();
        chat.sender.add({ conversation: id, ...message });
        this.#newFrom = null;
        this.#scroll.follow();
        this.#draw();
      },
      save: (item, text) => this.#opened.write("chat.edit", { message: item.offset, text }, { type: "edited", text }),
      typed: () => this.#opened.typed(),
    });
  }

  #nameOf(account) {
    return account === this.#me ? "You" : this.#opened.nameOf(account) ?? "Former member";
  }

  #quoteOf(offset) {
    const item = this.#opened.quote(offset);
    return {
      name: item ? this.#nameOf(item.by) : "a message",
      text: item?.text ?? (item?.picture ? "Picture" : "An earlier message"),
    };
  }

  #changed() {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = setTimeout(() => this.#draw(), drawAfterMilliseconds);
  }

  #draw() {
    if (this.#life.signal.aborted) return;
    this.#head.draw();
    const opened = this.#opened;
    const waiting = this.#app.chat.waiting(this.#id);
    const isReady = opened.state === "ready";
    if (isReady && opened.conversation.state === "invited") this.#drawInvitation();
    else if (!isReady && waiting.length === 0) this.#drawNotLoaded();
    else this.#drawMessages(waiting, isReady);
  }

  #drawInvitation() {
    this.#foot.hidden = true;
    if (!this.#status.querySelector("#invitation")) this.#status.replaceChildren(invitation(this.#opened, this.#app));
  }

  #drawNotLoaded() {
    this.#foot.hidden = this.#opened.isClosed;
    this.#status.replaceChildren(notLoaded(this.#opened, this.#app.net));
  }

  #drawMessages(waiting, isReady) {
    this.#kept.draw(this.#opened.keptAt);
    this.#status.replaceChildren();
    this.#foot.hidden = this.#opened.isClosed;
    if (isReady && this.#newFrom === null && !this.#scroll.isPlaced) this.#newFrom = this.#newSince();
    this.#scroll.drawAround(() => {
      this.#rows.draw(waiting, this.#newFrom);
      setText(this.#older, this.#olderText(isReady));
      setText(this.#waiting, this.#waitingText());
      this.#drawTyping();
    }, { isReady, at: this.#at });
    this.#seen();
  }

  /** Edits, deletions, reactions, a mute and a new name that wait. */
  #waitingText() {
    const changes = this.#app.net.writes.waiting.filter(({ params }) => params.conversation === this.#id).length;
    return changes > 0 ? `${count(changes, "change")} to this chat: ${waitingText.toLowerCase()}` : "";
  }

  #olderText(isReady) {
    const { log, isLoadingOlder } = this.#opened;
    if (isLoadingOlder) return "Loading older messages…";
    return log.older === null && isReady && log.items.size > 0 ? "Start of your chat" : "";
  }

  #olderFailed() {
    setText(this.#older, "Couldn't load older messages. Scroll to try again.");
  }

  #drawTyping() {
    const text = typingLine(this.#opened.writing);
    if (this.#typing.dataset.text === text) return;
    this.#typing.dataset.text = text;
    const dots = () => h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    this.#typing.replaceChildren(...(text ? [dots(), text] : []));
  }

  #newSince() {
    const { conversation } = this.#opened;
    return conversation && conversation.unread > 0 ? conversation.read : null;
  }

  /** Marks the conversation as read when its end is on a page that somebody looks at. */
  #seen() {
    const isLookedAt = document.visibilityState === "visible" && document.hasFocus();
    const isAtEnd = this.#scroll.isPlaced && this.#scroll.isAtBottom;
    if (this.#life.signal.aborted || !isAtEnd || !isLookedAt) return;
    if (this.#opened.state !== "ready" || this.#app.net.state !== "live") return;
    this.#opened.readAll();
    dropNotifications(`chat-${this.#id}`);
    dropToast(`chat-${this.#id}`);
  }

  #stateChanged() {
    const opened = this.#opened;
    if (this.#app.net.state === "live" && opened.state === "failed" && !opened.isClosed) opened.open();
    this.#changed();
  }

  #gone(id) {
    if (id !== this.#id) return;
    this.#opened.isClosed = true;
    this.#changed();
  }

  #closed() {
    announce("This chat has ended.");
    this.#changed();
  }
}
