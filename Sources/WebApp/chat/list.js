// The list of conversations, with search, invitations and unread counts (W-5).

import { emptyState, h, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loadProblem } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { waitingText } from "../kit/saved.js";
import { openNewGroup } from "./groupforms.js";
import { isMuted } from "./inbox.js";
import { chatRow, invitationRow, waitingGroupRow } from "./listrows.js";
import { MessageSearch } from "./messagesearch.js";

const drawAfterMilliseconds = 40;
/** Changes that take a chat from the list or bring it back: no row of the list shows that they wait. */
const isOfNoRow = ({ method, params }) => (
  method === "group.leave" || (method === "group.answer" && !params.accept) || /^(buddies|safety)\./.test(method));
/** The next list begins where the last one was scrolled to. */
let scrolledTo = 0;

/** `{element, close}`; `openId` is the conversation beside it. */
export function makeChatList(options) {
  return new ChatList(options);
}

class ChatList {
  element;

  #app;
  #scope;
  #openId;
  #drawTimer = 0;
  /** Ends with the list. */
  #life = new AbortController();
  #search;

  #list = h("ul", { class: "chat-rows", id: "chat-list" });
  #rows = new KeyedChildren(this.#list);
  #kept = makeKeptNote("chats-kept");
  #waiting = h("p", { class: "muted small center", id: "chats-waiting", role: "status" });
  #status = h("div", { class: "chat-list-status" });
  #field = h("input", {
    class: "input search-input", type: "search", id: "chat-search", placeholder: "Search people and messages",
    "aria-label": "Search people and messages", maxlength: "100", autocomplete: "off", oninput: () => this.#searchChanged(),
  });

  constructor({ app, scope, openId = null, headingTag = "h1" }) {
    this.#app = app;
    this.#scope = scope;
    this.#openId = openId;
    const { signal } = this.#life;
    this.#search = new MessageSearch({ net: app.net, changed: () => this.#draw(), signal });
    const scroller = h("div", { class: "chat-list-scroll", onscroll: () => { scrolledTo = scroller.scrollTop; } },
      this.#kept.element, this.#list, this.#waiting, this.#search.element, this.#status);
    this.element = h("section", { class: "chat-list", "aria-label": "Chats" },
      this.#head(headingTag), h("div", { class: "search-box" }, icon("search"), this.#field), scroller);
    const changed = () => this.#changed();
    app.chat.addEventListener("change", changed, { signal });
    app.net.addEventListener("state", changed, { signal });
    app.net.writes.addEventListener("change", changed, { signal });
    this.#draw();
    requestAnimationFrame(() => { scroller.scrollTop = scrolledTo; });
  }

  close() {
    clearTimeout(this.#drawTimer);
    this.#life.abort();
  }

  #head(headingTag) {
    const newGroup = h("button", {
      class: "icon-button", type: "button", id: "new-group", "aria-label": "New group", title: "New group",
      onclick: () => openNewGroup(this.#app, this.#scope),
    }, icon("group"));
    const settings = { class: "icon-button", href: "/chats/settings", "aria-label": "Chat settings", title: "Chat settings" };
    return h("header", { class: "chat-list-head" },
      h(headingTag, { class: "pane-title", tabindex: headingTag === "h1" ? "-1" : null }, "Chats"),
      h("div", { class: "row" }, newGroup, h("a", settings, icon("settings"))));
  }

  #changed() {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = setTimeout(() => this.#draw(), drawAfterMilliseconds);
  }

  #searchChanged() {
    this.#search.use(this.#field.value.trim());
    this.#draw();
  }

  #draw() {
    if (this.#life.signal.aborted) return;
    const text = this.#search.text.toLowerCase();
    const shown = this.#app.chat.inbox.ordered.filter(({ name }) => text === "" || name.toLowerCase().includes(text));
    const today = new Date().toDateString();
    const groups = this.#app.net.writes.waiting.filter(({ method }) => method === "group.create");
    this.#rows.draw([...groups.map(({ subject, params }) => (
      { key: subject, sig: params.name, make: () => waitingGroupRow(params.name) })), ...shown.map((conversation) => ({
      key: conversation.id,
      sig: JSON.stringify([conversation, conversation.id === this.#openId, isMuted(conversation), today, this.#isJoining(conversation)]),
      make: () => this.#row(conversation),
    }))]);
    const waiting = this.#waitingText();
    setText(this.#waiting, waiting);
    this.#waiting.hidden = waiting === "";
    this.#drawStatus(shown.length + groups.length);
    this.#search.draw();
  }

  #waitingText() {
    const changes = this.#app.net.writes.waiting.filter(isOfNoRow).length;
    return changes > 0 ? `${count(changes, "change")} to your chats and buddies: ${waitingText.toLowerCase()}` : "";
  }

  #row(conversation) {
    const { id, state } = conversation;
    const context = { scope: this.#scope, me: this.#app.net.account?.id };
    if (state !== "invited") return chatRow(conversation, { ...context, isOpen: id === this.#openId });
    return invitationRow(conversation, {
      ...context, isWaiting: this.#isJoining(conversation), answer: (accept) => this.#answer(id, accept),
    });
  }

  /** Whether an acceptance of the invitation waits. */
  #isJoining({ id }) {
    return this.#app.net.writes.find("group.answer", id) !== null;
  }

  async #answer(id, accept) {
    const { chat, net, router } = this.#app;
    try {
      const isSent = await net.writes.write("group.answer", { conversation: id, accept });
      if (!accept) chat.inbox.remove(id);
      if (!isSent) return;
      await chat.load();
      if (accept) router.go(`/chats/${id}`);
    } catch (error) {
      toast(error.message);
      chat.refresh(id);
      this.#draw();
    }
  }

  #drawStatus(shownCount) {
    const { chat, net } = this.#app;
    const { inbox, problem } = chat;
    this.#kept.draw(chat.keptAt);
    if (this.#search.text !== "") {
      this.#status.replaceChildren();
    } else if (!inbox.isLoaded && problem) {
      this.#status.replaceChildren(loadProblem({
        id: "chats-problem", title: "Couldn't load your chats", text: problem.message, again: () => chat.load(),
      }));
    } else if (!inbox.isLoaded) {
      this.#status.replaceChildren(loading(net, { class: "muted chat-list-note" }));
    } else if (shownCount === 0) {
      this.#status.replaceChildren(emptyState({
        id: "chats-empty", iconElement: icon("chats"), title: "No chats yet",
        text: "When you match with a buddy, your chat appears here.",
        action: h("a", { class: "button primary", href: "/buddies" }, icon("buddies"), "Find a buddy"),
      }));
    } else if (this.#status.firstChild) {
      this.#status.replaceChildren();
    }
  }
}
