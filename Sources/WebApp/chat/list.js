// The list of conversations, with search, invitations and what is unread (W-5).

import { emptyState, h, toast } from "../kit/dom.js";
import { isMuted } from "./inbox.js";
import { lastLine } from "./rows.js";
import { listTime } from "../kit/times.js";
import { icon } from "../kit/icons.js";
import { openNewGroup } from "./groups.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loading } from "../kit/loading.js";
import { conversationMark } from "../kit/person.js";

/** Of letters that are a word in twos and threes; one of others may be a word. */
const searchCharactersMin = 2;
/** A search that found nothing yet looks further back by itself so many times. */
const searchPagesMax = 20;
const searchAfterMilliseconds = 300;
const drawAfterMilliseconds = 40;
let scrolledTo = 0;

/** `{element, close}`; `openId` is the conversation beside it. */
export function makeChatList({ app, scope, openId = null, headingTag = "h1" }) {
  const { chat, net, router } = app;
  let closed = false;
  let drawTimer = 0;
  let searchTimer = 0;
  let search = { text: "", found: null, problem: null, next: null, generation: 0 };

  const list = h("ul", { class: "chat-rows", id: "chat-list" });
  const rows = new KeyedChildren(list);
  const results = h("div", { class: "search-results", id: "search-results", hidden: true });
  const status = h("div", { class: "chat-list-status" });
  const field = h("input", { class: "input search-input", type: "search", id: "chat-search", placeholder: "Search people and messages", "aria-label": "Search people and messages", maxlength: "100", autocomplete: "off", oninput: () => searchChanged() });
  const scroller = h("div", { class: "chat-list-scroll", onscroll: () => { scrolledTo = scroller.scrollTop; } }, list, results, status);
  const element = h("section", { class: "chat-list", "aria-label": "Conversations" },
    h("header", { class: "chat-list-head" }, h(headingTag, { class: "pane-title", tabindex: headingTag === "h1" ? "-1" : null }, "Chats"),
      h("div", { class: "row" },
        h("button", { class: "icon-button", type: "button", id: "new-group", "aria-label": "New group", title: "New group", onclick: () => openNewGroup(app, scope) }, icon("group")),
        h("a", { class: "icon-button", href: "/chats/settings", "aria-label": "Chat settings", title: "Chat settings" }, icon("settings")))),
    h("div", { class: "search-box" }, icon("search"), field), scroller);

  function draw() {
    if (closed) return;
    const text = search.text.toLowerCase();
    const shown = chat.inbox.ordered.filter(({ name }) => text === "" || name.toLowerCase().includes(text));
    const now = new Date();
    rows.draw(shown.map((conversation) => ({
      key: conversation.id,
      sig: JSON.stringify([conversation, conversation.id === openId, isMuted(conversation), now.toDateString()]),
      make: () => (conversation.state === "invited" ? invitation(conversation) : row(conversation)),
    })));
    drawStatus(shown.length);
    drawResults();
  }

  function drawStatus(shownCount) {
    const { inbox, problem } = chat;
    if (search.text !== "") {
      status.replaceChildren();
    } else if (!inbox.isLoaded && problem) {
      status.replaceChildren(emptyState({ id: "chats-problem", iconElement: icon("offline"), title: "Your chats could not be loaded", text: problem.message, action: h("button", { class: "button", type: "button", onclick: () => chat.load() }, "Try again") }));
    } else if (!inbox.isLoaded) {
      status.replaceChildren(loading(net, { class: "muted chat-list-note" }));
    } else if (shownCount === 0) {
      status.replaceChildren(emptyState({ id: "chats-empty", iconElement: icon("chats"), title: "No chats yet", text: "When you and somebody else accept each other, your chat is here.", action: h("a", { class: "button primary", href: "/buddies" }, icon("buddies"), "Find a buddy") }));
    } else if (status.firstChild) {
      status.replaceChildren();
    }
  }

  function row(conversation) {
    const { id, name, unread, last, at } = conversation;
    const line = lastLine(conversation, net.account?.id);
    const isNothing = !last || last.deleted;
    return h("li", {}, h("a", { class: "chat-row", href: `/chats/${id}`, dataset: { conversation: id, unread }, "aria-current": id === openId ? "true" : null },
      conversationMark(scope, conversation),
      h("span", { class: "chat-what" },
        h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, name), conversation.new ? h("span", { class: "tag" }, "new") : null,
          isMuted(conversation) ? h("span", { class: "muted-mark", role: "img", "aria-label": "muted" }, icon("mute")) : null,
          h("time", { class: "chat-time number", datetime: at }, listTime(last?.at ?? at))),
        h("span", { class: "chat-bottom" }, h("span", { class: isNothing ? "chat-last nothing" : "chat-last" }, line),
          unread > 0 ? h("span", { class: "unread number" }, unread > 999 ? "999+" : String(unread), h("span", { class: "visually-hidden" }, " unread")) : null))));
  }

  function invitation(conversation) {
    const { id, name, purpose } = conversation;
    const answer = async (event, accept) => {
      event.currentTarget.disabled = true;
      try {
        await net.request("group.answer", { conversation: id, accept });
        if (!accept) chat.inbox.remove(id);
        await chat.load();
        if (accept) router.go(`/chats/${id}`);
      } catch (error) {
        toast(error.message);
        chat.refresh(id);
        draw();
      }
    };
    const what = { workout: "Group for a workout", event: "Group for an event" }[purpose] ?? "Group";
    return h("li", { class: "chat-row invitation", dataset: { invitation: id } }, conversationMark(scope, conversation),
      h("span", { class: "chat-what" }, h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, name), h("span", { class: "tag" }, "invitation")),
        h("span", { class: "chat-last" }, `${what}. ${lastLine(conversation, net.account?.id)}.`),
        h("span", { class: "row invitation-actions" },
          h("button", { class: "button primary small-button", type: "button", dataset: { answer: "accept" }, onclick: (event) => answer(event, true) }, "Accept"),
          h("button", { class: "button small-button", type: "button", dataset: { answer: "decline" }, onclick: (event) => answer(event, false) }, "Decline"))));
  }

  function searchChanged() {
    clearTimeout(searchTimer);
    const text = field.value.trim();
    search = { text, found: null, problem: null, next: null, generation: search.generation + 1 };
    if (!isShort(text)) searchTimer = setTimeout(() => find(), searchAfterMilliseconds);
    draw();
  }

  async function find(before = null) {
    const mine = search.generation;
    const found = search.found ?? [];
    search.isLooking = true;
    search.problem = null;
    draw();
    try {
      let from = before;
      for (let page = 0; page < searchPagesMax; page++) {
        const { messages, next } = await net.request("chat.search", { text: search.text, ...(from && { before: from }) });
        if (mine !== search.generation || closed) return;
        search.found = [...found, ...messages];
        search.next = next ?? null;
        if (messages.length > 0 || !next) break;
        from = next;
      }
    } catch (error) {
      if (mine !== search.generation) return;
      search.problem = error.message;
    }
    search.isLooking = false;
    draw();
  }

  function drawResults() {
    results.hidden = search.text === "";
    if (results.hidden) return;
    const { found, problem, next, isLooking } = search;
    results.replaceChildren(h("h3", { class: "result-title" }, "Messages"),
      problem ? h("p", { class: "problem" }, problem) : "",
      found === null ? h("p", { class: "muted" }, isShort(search.text) ? "Type a little more to search messages." : "Searching…")
        : found.length === 0 ? h("p", { class: "muted", role: "status" }, isLooking ? "Searching further back…" : next ? "No newer message has these words." : "No message has these words.") : "",
      h("ul", {}, ...(found ?? []).map((message) => h("li", {}, h("a", { class: "chat-row result", href: `/chats/${message.conversation}?at=${message.offset}`, dataset: { offset: message.offset } },
        h("span", { class: "chat-what" }, h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, message.by.account === net.account?.id ? `You to ${message.name}` : message.by.name === message.name ? message.name : `${message.by.name} in ${message.name}`), h("time", { class: "chat-time number" }, listTime(message.at))),
          h("span", { class: "result-text" }, ...highlighted(message.text, search.text))))))),
      next && found && !isLooking ? h("button", { class: "button wide", type: "button", onclick: () => find(next) }, found.length === 0 ? "Search further back" : "Show more") : "");
  }

  const changed = () => {
    clearTimeout(drawTimer);
    drawTimer = setTimeout(draw, drawAfterMilliseconds);
  };
  chat.addEventListener("change", changed);
  net.addEventListener("state", changed);
  draw();
  requestAnimationFrame(() => { scroller.scrollTop = scrolledTo; });
  return {
    element,
    close() {
      closed = true;
      clearTimeout(drawTimer);
      clearTimeout(searchTimer);
      chat.removeEventListener("change", changed);
      net.removeEventListener("state", changed);
    },
  };
}

const isShort = (text) => [...text].length < searchCharactersMin && /^[\p{ASCII}]*$/u.test(text);

/** The words that were looked for, marked; a long text begins near the first. */
function highlighted(text, words) {
  const plain = text.replace(/\s+/g, " ").normalize("NFC");
  const wanted = words.normalize("NFC").split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(wanted.join("|"), "giu");
  const first = plain.search(pattern);
  const from = first > 60 ? plain.lastIndexOf(" ", first - 30) + 1 : 0;
  const shown = (from > 0 ? "… " : "") + plain.slice(from, from + 180) + (plain.length > from + 180 ? "…" : "");
  const parts = [];
  let at = 0;
  for (const match of shown.matchAll(pattern)) {
    parts.push(shown.slice(at, match.index), h("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, shown.slice(at)];
}
