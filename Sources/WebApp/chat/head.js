// The head of an open conversation: picture, name, state, and the button of its menu.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { conversationMark } from "../kit/person.js";
import { isMuted } from "./inbox.js";
import { headLine } from "./rows.js";

/** Draws the head of `opened`, also before it is loaded: then from the list of conversations. */
export class ConversationHead {
  element;

  #app;
  #scope;
  #opened;
  /** Kind and buddy that the mark shows, as JSON. */
  #drawnMark = null;

  #heading = h("h1", { class: "conversation-name", tabindex: "-1" });
  #line = h("p", { class: "conversation-status-line muted small", id: "conversation-status" });
  #mark = h("span", { class: "conversation-mark" });
  #menuButton;

  /** `actions` is a `ConversationActions`. */
  constructor({ app, scope, opened, actions }) {
    this.#app = app;
    this.#scope = scope;
    this.#opened = opened;
    this.#menuButton = h("button", {
      class: "icon-button", type: "button", id: "conversation-menu", "aria-label": "More for this chat", "aria-haspopup": "dialog",
      onclick: () => actions.openConversationMenu(this.#menuButton),
    }, icon("more"));
    const openDetails = () => actions.openDetails();
    this.element = h("header", { class: "conversation-head" },
      h("a", { class: "icon-button to-list", href: "/chats", "aria-label": "Back to chats" }, icon("back")),
      h("button", { class: "conversation-who", type: "button", id: "conversation-who", "aria-label": "Show details", onclick: openDetails },
        this.#mark),
      h("div", { class: "conversation-heading", onclick: openDetails }, this.#heading, this.#line),
      this.#menuButton);
  }

  draw() {
    const { chat, net } = this.#app;
    const opened = this.#opened;
    const conversation = opened.conversation ?? chat.inbox.conversations.get(opened.id) ?? null;
    const name = conversation?.name ?? "Chat";
    setText(this.#heading, name);
    const title = this.#app.titled(name);
    if (document.title !== title) document.title = title;
    setText(this.#line, headLine({
      conversation, isClosed: opened.isClosed, writing: opened.writing, isLive: net.state === "live", isOffline: net.state === "offline",
      isMuted: conversation !== null && isMuted(conversation),
    }));
    this.#drawMark(conversation);
    this.#menuButton.hidden = !conversation || opened.isClosed;
  }

  #drawMark(conversation) {
    const now = JSON.stringify([conversation?.kind, conversation?.buddy]);
    if (!conversation || now === this.#drawnMark) return;
    this.#drawnMark = now;
    this.#mark.replaceChildren(conversationMark(this.#scope, conversation, { size: 42 }));
  }
}
