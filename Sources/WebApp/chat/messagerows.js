// The list of messages in an open conversation. Only rows that changed are drawn again.

import { h } from "../kit/dom.js";
import { KeyedChildren } from "../kit/keyed.js";
import { onLongPress } from "../kit/menu.js";
import { makeLine, makeMessage, makeWaiting } from "./message.js";
import { conversationRows } from "./rows.js";

/** Steps in which the progress of a picture is drawn. */
const progressSteps = 20;

/** Draws the log of `opened` and the messages that wait behind it. */
export class MessageRows {
  element = h("ol", { class: "messages", id: "messages", "aria-label": "Messages" });

  #sender;
  #opened;
  #me;
  #nameOf;
  #context;
  #rows = new KeyedChildren(this.element);
  /** Log items are replaced when they change: each object has a number, which is part of a row's signature. */
  #versions = new WeakMap();
  #versionCount = 0;
  /** id of a waiting message → blob URL of its picture. */
  #localURLs = new Map();

  /** `actions` is a `ConversationActions`; `jump(offset)` goes to a message; `nameOf(account)` is a name for the reader. */
  constructor({ sender, scope, opened, me, actions, nameOf, jump }) {
    this.#sender = sender;
    this.#opened = opened;
    this.#me = me;
    this.#nameOf = nameOf;
    this.#context = {
      me, scope, nameOf,
      tick: (offset) => opened.tick(offset),
      quote: (offset) => opened.quote(offset),
      personOf: (account) => opened.members.find(({ person }) => person.account === account)?.person,
      onMenu: (item, anchor) => actions.openMessageMenu(item, anchor),
      onPicture: (picture, alt) => actions.showPicture(picture, alt),
      onReact: (item, emoji, on) => actions.react(item, emoji, on),
      onJump: jump,
      onRetry: (entry) => sender.retry(entry.id),
      onRemove: (entry) => sender.remove(entry.id),
    };
    onLongPress(this.element, ".message:not(.gone):not(.waiting)", (found) => {
      const item = opened.log.items.get(Number(found.dataset.offset));
      if (item) actions.openMessageMenu(item, found.querySelector(".message-menu"));
    });
  }

  /** `waiting` are entries of the sender; `newFrom` is as in `conversationRows`. */
  draw(waiting, newFrom) {
    const rows = conversationRows({ items: this.#opened.log.ordered, waiting, me: this.#me, newFrom });
    this.#rows.draw(rows.map((row) => this.#drawable(row)));
    this.#dropLocalURLs(new Set(waiting.map(({ id }) => id)));
  }

  /** The element of a message, or undefined while it is not drawn. */
  messageAt(offset) {
    return this.#rows.get(`message-${offset}`);
  }

  /** The line above new messages, or null. */
  get newLine() {
    return this.element.querySelector(".new-line");
  }

  close() {
    this.#dropLocalURLs(new Set());
  }

  #drawable(row) {
    switch (row.kind) {
      case "message": return this.#message(row);
      case "waiting": return this.#waiting(row);
      default: return this.#line(row);
    }
  }

  #message(row) {
    const { item, isOwn, starts, ends } = row;
    const opened = this.#opened;
    const quoted = item.reply ? opened.quote(item.reply) : null;
    const isGroup = opened.conversation?.kind === "group";
    const sig = [
      this.#version(item), starts, ends, isOwn ? opened.tick(item.offset) : "", quoted ? this.#version(quoted) : 0,
      this.#nameOf(item.by), isGroup,
    ].join("|");
    return { key: row.key, sig, make: () => makeMessage(row, { ...this.#context, isGroup }) };
  }

  #waiting(row) {
    const { entry, starts } = row;
    const { progress } = this.#sender;
    const sig = [starts, entry.problem ?? "", Math.round((progress.get(entry.id) ?? -1) * progressSteps)].join("|");
    return { key: row.key, sig, make: () => makeWaiting(row, { ...this.#context, progress, urlOf: (given) => this.#urlOf(given) }) };
  }

  #line(row) {
    const sig = row.kind === "system" ? `${this.#nameOf(row.item.by)}|${this.#nameOf(row.item.account)}` : row.text ?? "";
    const context = { nameOf: (account) => this.#opened.nameOf(account), me: this.#me };
    return { key: row.key, sig, make: () => makeLine(row, context) };
  }

  #version(item) {
    if (!this.#versions.has(item)) this.#versions.set(item, ++this.#versionCount);
    return this.#versions.get(item);
  }

  #urlOf(entry) {
    if (!this.#localURLs.has(entry.id)) this.#localURLs.set(entry.id, URL.createObjectURL(entry.blob));
    return this.#localURLs.get(entry.id);
  }

  #dropLocalURLs(except) {
    for (const [id, url] of this.#localURLs) {
      if (except.has(id)) continue;
      URL.revokeObjectURL(url);
      this.#localURLs.delete(id);
    }
  }
}
