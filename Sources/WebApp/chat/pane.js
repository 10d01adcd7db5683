// The open conversation: messages as they come, older ones on the way up, and where one writes (C-7).

import { announce, dropToast, emptyState, h, setText, toast } from "../kit/dom.js";
import { dropNotifications } from "../kit/notifications.js";
import { isMuted } from "./inbox.js";
import { conversationRows } from "./rows.js";
import { icon } from "../kit/icons.js";
import { makeComposer } from "./composer.js";
import { makeConversationActions } from "./actions.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loading } from "../kit/loading.js";
import { makeLine, makeMessage, makeWaiting } from "./message.js";
import { onLongPress } from "../kit/menu.js";
import { conversationMark } from "../kit/person.js";
import { attempt } from "../kit/dialog.js";

/** As far from the end counts as being there. */
const bottomPixels = 60;
const olderPixels = 500;
const drawAfterMilliseconds = 16;
const flashMilliseconds = 1_600;

/** `{element, start, close}` of a conversation; `at` is a message to begin at. */
export function makeConversationPane({ app, scope, id, at = null }) {
  const { chat, net, router } = app;
  const opened = chat.open(id);
  const me = net.account.id;
  let closed = false;
  let drawTimer = 0;
  /** What was read before this visit: the line above what is new stays where it is. */
  let newFrom = null;
  let isPlaced = false;
  let isAtBottom = true;
  let unseen = 0;
  let lastSeen = 0;
  const versions = new WeakMap();
  let versionCount = 0;
  const localURLs = new Map();
  let drawnHead = null;

  const list = h("ol", { class: "messages", id: "messages", "aria-label": "Messages" });
  const rows = new KeyedChildren(list);
  const status = h("div", { class: "conversation-status" });
  const older = h("p", { class: "muted small center older-note", role: "status" });
  const typing = h("p", { class: "typing", id: "typing", role: "status" });
  const scroller = h("div", { class: "message-scroll", id: "message-scroll", tabindex: "0", role: "region", "aria-label": "Messages" }, status, older, list, typing);
  const downCount = h("span", { class: "unread number" });
  const down = h("button", { class: "to-bottom", type: "button", id: "to-bottom", hidden: true, "aria-label": "To the newest message", onclick: () => toBottom() }, icon("down"), downCount);
  const heading = h("h1", { class: "conversation-name", tabindex: "-1" });
  const subtitle = h("p", { class: "conversation-status-line muted small", id: "conversation-status" });
  const mark = h("span", { class: "conversation-mark" });
  const menuButton = h("button", { class: "icon-button", type: "button", id: "conversation-menu", "aria-label": "What to do with this chat", "aria-haspopup": "dialog", onclick: () => actions.openConversationMenu(menuButton) }, icon("more"));
  const head = h("header", { class: "conversation-head" }, h("a", { class: "icon-button to-list", href: "/chats", "aria-label": "Back to the chats" }, icon("back")),
    h("button", { class: "conversation-who", type: "button", id: "conversation-who", "aria-label": "Show details", onclick: () => actions.openWho() }, mark),
    h("div", { class: "conversation-heading", onclick: () => actions.openWho() }, heading, subtitle), menuButton);
  const composer = makeComposer({
    account: me, conversation: id, quoteOf: (offset) => {
      const item = opened.quote(offset);
      return { name: item ? nameOf(item.by) : "a message", text: item?.text ?? (item?.picture ? "Picture" : "An earlier message") };
    },
    send: (message) => {
      opened.stoppedTyping();
      chat.sender.add({ conversation: id, ...message });
      newFrom = null;
      isAtBottom = true;
      draw();
    },
    save: (item, text) => net.request("chat.edit", { conversation: id, message: item.offset, text }),
    typed: () => opened.typed(),
  });
  const foot = h("footer", { class: "conversation-foot" }, composer.element);
  const element = h("section", { class: "chat-pane", "aria-label": "Conversation" }, head, h("div", { class: "message-area" }, scroller, down), foot);

  const nameOf = (account) => (account === me ? "You" : opened.nameOf(account) ?? "Former member");

  const actions = makeConversationActions({ app, scope, id, opened, nameOf, composer: () => composer });

  // MARK: Drawing

  function changed() {
    clearTimeout(drawTimer);
    drawTimer = setTimeout(draw, drawAfterMilliseconds);
  }

  function draw() {
    if (closed) return;
    drawHead();
    const waiting = chat.waiting(id);
    const isReady = opened.state === "ready";
    if (isReady && opened.conversation.state === "invited") return drawInvitation();
    if (!isReady && waiting.length === 0) return drawState();
    status.replaceChildren();
    foot.hidden = opened.isClosed;
    if (isReady && newFrom === null && !isPlaced) newFrom = newSince();
    const anchor = isPlaced && !isAtBottom ? firstVisible() : null;
    rows.draw(conversationRows({ items: opened.log.ordered, waiting, me, newFrom }).map(drawable));
    setText(older, opened.isLoadingOlder ? "Loading older messages…" : opened.log.older === null && isReady && opened.log.items.size > 0 ? "This is where it began." : "");
    drawTyping();
    dropLocalURLs(waiting);
    if (!isPlaced && isReady) place();
    else if (isAtBottom) toBottom();
    else if (anchor) scroller.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top;
    countUnseen();
    seen();
    return undefined;
  }

  function drawState() {
    foot.hidden = opened.isClosed;
    if (opened.state === "loading") {
      status.replaceChildren(loading(net, { class: "muted center" }));
      return;
    }
    const isGone = opened.isClosed;
    status.replaceChildren(emptyState({
      id: "conversation-problem", iconElement: icon(isGone ? "chats" : "offline"), title: isGone ? "This chat is not here" : "This chat could not be loaded",
      text: isGone ? "It has ended, or it is not yours." : opened.error?.message ?? "Check the network and try again.",
      action: isGone ? h("a", { class: "button", href: "/chats" }, "To the chats") : h("button", { class: "button", type: "button", onclick: () => opened.open() }, "Try again"),
    }));
  }

  function drawInvitation() {
    foot.hidden = true;
    if (status.querySelector("#invitation")) return;
    const { invitedBy, name } = opened.conversation;
    const answer = async (accept) => {
      if (!(await attempt(() => net.request("group.answer", { conversation: id, accept })))) return;
      chat.load();
      if (accept) opened.open();
      else router.go("/chats", { replace: true });
    };
    status.replaceChildren(emptyState({
      id: "invitation", iconElement: icon("group"), title: `Join ${name}?`, text: `${invitedBy?.name ?? "Somebody"} invites you. Members see your name and your picture; you see what is written from now on.`,
      action: h("div", { class: "row" }, h("button", { class: "button primary", type: "button", onclick: () => answer(true) }, "Accept"), h("button", { class: "button", type: "button", onclick: () => answer(false) }, "Decline")),
    }));
  }

  function drawHead() {
    const conversation = opened.conversation ?? chat.inbox.conversations.get(id) ?? null;
    const name = conversation?.name ?? "Chat";
    setText(heading, name);
    if (document.title !== app.titled(name)) document.title = app.titled(name);
    setText(subtitle, headLine(conversation));
    const now = JSON.stringify([conversation?.kind, conversation?.buddy]);
    if (conversation && now !== drawnHead) {
      drawnHead = now;
      mark.replaceChildren(conversationMark(scope, conversation, { size: 42 }));
    }
    menuButton.hidden = !conversation || opened.isClosed;
  }

  function headLine(conversation) {
    if (!conversation) return "";
    if (opened.isClosed) return "Ended";
    const writing = opened.writing;
    if (writing.length > 0) return conversation.kind === "direct" ? "is writing…" : writing.length === 1 ? `${writing[0]} is writing…` : `${writing.length} people are writing…`;
    if (net.state !== "live") return "Waiting for the network";
    const muted = isMuted(conversation) ? " · muted" : "";
    return (conversation.kind === "direct" ? "Buddy" : `${conversation.members} ${conversation.members === 1 ? "member" : "members"}`) + muted;
  }

  function drawTyping() {
    const writing = opened.writing;
    const text = writing.length === 0 ? "" : writing.length === 1 ? `${writing[0].split(" ")[0]} is writing` : `${writing.length} people are writing`;
    if (typing.dataset.text === text) return;
    typing.dataset.text = text;
    typing.replaceChildren(...(text ? [h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), text] : []));
  }

  function drawable(row) {
    if (row.kind === "message") {
      const { item, isOwn, starts, ends } = row;
      const quoted = item.reply ? opened.quote(item.reply) : null;
      const isGroup = opened.conversation?.kind === "group";
      const sig = [version(item), starts, ends, isOwn ? opened.tick(item.offset) : "", quoted ? version(quoted) : 0, nameOf(item.by), isGroup].join("|");
      return { key: row.key, sig, make: () => makeMessage(row, { ...context, isGroup }) };
    }
    if (row.kind === "waiting") {
      const { entry } = row;
      const sig = [row.starts, entry.problem ?? "", Math.round((chat.sender.progress.get(entry.id) ?? -1) * 20)].join("|");
      return { key: row.key, sig, make: () => makeWaiting(row, { ...context, progress: chat.sender.progress, urlOf }) };
    }
    const sig = row.kind === "system" ? `${nameOf(row.item.by)}|${nameOf(row.item.account)}` : row.text ?? "";
    return { key: row.key, sig, make: () => makeLine(row, { nameOf: (account) => opened.nameOf(account), me }) };
  }

  const context = {
    me, scope, nameOf, tick: (offset) => opened.tick(offset), quote: (offset) => opened.quote(offset), onMenu: actions.openMessageMenu, onJump: (offset) => jump(offset), onPicture: actions.showPicture,
    personOf: (account) => opened.members.find(({ person }) => person.account === account)?.person,
    onReact: actions.react,
    onRetry: (entry) => chat.sender.retry(entry.id), onRemove: (entry) => chat.sender.remove(entry.id),
  };

  function version(item) {
    if (!versions.has(item)) versions.set(item, ++versionCount);
    return versions.get(item);
  }

  function urlOf(entry) {
    if (!localURLs.has(entry.id)) localURLs.set(entry.id, URL.createObjectURL(entry.blob));
    return localURLs.get(entry.id);
  }

  function dropLocalURLs(waiting) {
    for (const [entry, url] of localURLs) {
      if (waiting.some((other) => other.id === entry)) continue;
      URL.revokeObjectURL(url);
      localURLs.delete(entry);
    }
  }

  // MARK: Places

  function newSince() {
    const known = opened.conversation;
    return known && known.unread > 0 ? known.read : null;
  }

  function firstVisible() {
    const top = scroller.getBoundingClientRect().top;
    for (const child of list.children) {
      const box = child.getBoundingClientRect();
      if (box.bottom > top) return { element: child, top: box.top };
    }
    return null;
  }

  /** Where to begin: at the message that was asked for, at what is new, or at the end. */
  function place() {
    isPlaced = true;
    lastSeen = opened.conversation?.read ?? 0;
    const line = list.querySelector(".new-line");
    if (at !== null) jump(at);
    else if (line) {
      scroller.scrollTop = line.offsetTop - 60;
      scrolled();
    } else toBottom();
  }

  function toBottom() {
    isAtBottom = true;
    // At once: on a long way older messages would come in between and stop it.
    scroller.scrollTop = scroller.scrollHeight;
    down.hidden = true;
  }

  async function jump(offset) {
    isAtBottom = false;
    let isThere = false;
    try {
      isThere = await opened.reach(offset);
    } catch (error) {
      toast(error.message);
      return;
    }
    if (closed) return;
    draw();
    const target = rows.get(`message-${offset}`);
    if (!isThere || !target) {
      toast("That message is too far back, or it is gone.");
      return;
    }
    target.scrollIntoView({ block: "center" });
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), flashMilliseconds);
    scrolled();
  }

  function scrolled() {
    isAtBottom = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < bottomPixels;
    if (isAtBottom) seen();
    countUnseen();
    if (scroller.scrollTop < olderPixels && isPlaced && opened.log.older && !opened.isLoadingOlder) opened.loadOlder().catch(() => { setText(older, "Older messages could not be loaded. Scroll to try again."); });
  }

  function countUnseen() {
    if (isAtBottom) {
      lastSeen = opened.log.newest;
      unseen = 0;
    } else {
      unseen = opened.log.ordered.filter(({ type, offset, by, deletedAt }) => type === "message" && offset > lastSeen && by !== me && !deletedAt).length;
    }
    down.hidden = isAtBottom;
    setText(downCount, unseen > 0 ? String(unseen) : "");
    down.setAttribute("aria-label", unseen > 0 ? `To the newest message, ${unseen} new` : "To the newest message");
  }

  /** What is at the end of the list, on a page that somebody looks at, is read. */
  function seen() {
    if (closed || !isPlaced || !isAtBottom || document.visibilityState !== "visible" || !document.hasFocus()) return;
    if (opened.state !== "ready" || net.state !== "live") return;
    opened.readAll();
    dropNotifications(`chat-${id}`);
    dropToast(`chat-${id}`);
  }

  // MARK: Life

  /** The on-screen keyboard covers the page: what is left of it is what the app is laid out in. */
  function fitKeyboard() {
    const { height, offsetTop } = window.visualViewport;
    const isCovered = innerHeight - height > 120;
    document.body.style.height = isCovered ? `${height}px` : "";
    document.body.style.transform = isCovered && offsetTop > 0 ? `translateY(${offsetTop}px)` : "";
    document.documentElement.toggleAttribute("data-keyboard", isCovered);
    if (isAtBottom) toBottom();
  }

  const onState = () => {
    if (net.state === "live" && opened.state === "failed" && !opened.isClosed) opened.open();
    changed();
  };
  const onGone = ({ detail }) => {
    if (detail !== id) return;
    opened.isClosed = true;
    changed();
  };
  const onClosed = () => {
    announce("This chat has ended.");
    changed();
  };
  const onLook = () => seen();
  const resized = new ResizeObserver(() => { if (isAtBottom) toBottom(); });

  function start() {
    chat.shown = id;
    composer.start();
    opened.addEventListener("change", changed);
    opened.addEventListener("closed", onClosed);
    chat.addEventListener("change", changed);
    chat.addEventListener("gone", onGone);
    net.addEventListener("state", onState);
    document.addEventListener("visibilitychange", onLook);
    addEventListener("focus", onLook);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    window.visualViewport?.addEventListener("resize", fitKeyboard);
    onLongPress(list, ".message:not(.gone):not(.waiting)", (found) => {
      const item = opened.log.items.get(Number(found.dataset.offset));
      if (item) actions.openMessageMenu(item, found.querySelector(".message-menu"));
    });
    resized.observe(scroller);
    draw();
    // With a keyboard one wants to write; on a phone its keyboard would cover what there is to read.
    if (matchMedia("(hover: hover) and (pointer: fine)").matches) composer.focus();
  }

  return {
    element, start,
    close() {
      closed = true;
      clearTimeout(drawTimer);
      if (chat.shown === id) chat.shown = null;
      composer.close();
      opened.close();
      opened.removeEventListener("change", changed);
      opened.removeEventListener("closed", onClosed);
      chat.removeEventListener("change", changed);
      chat.removeEventListener("gone", onGone);
      net.removeEventListener("state", onState);
      document.removeEventListener("visibilitychange", onLook);
      removeEventListener("focus", onLook);
      window.visualViewport?.removeEventListener("resize", fitKeyboard);
      document.body.style.height = document.body.style.transform = "";
      document.documentElement.removeAttribute("data-keyboard");
      resized.disconnect();
      for (const url of localURLs.values()) URL.revokeObjectURL(url);
      for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    },
  };
}
