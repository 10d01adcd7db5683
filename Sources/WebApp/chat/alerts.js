// Alerts for a new message: a notification of the browser, a toast in the app, or nothing (U-7).

import { announce, dropToast, toast } from "../kit/dom.js";
import { alertKind, alertSettings, isNotificationAllowed, notify } from "../kit/notifications.js";
import { isMuted } from "./inbox.js";

const previewCharactersMax = 120;
/** Others may read it meanwhile on another device or in another tab: then nothing pops up here. */
const alertAfterMilliseconds = 250;
/** One message about a poor connection, not one for each message that waits. */
const poorEveryMilliseconds = 30_000;

/** Starts to alert people to new messages, and to messages that wait for the network. */
export function startChatAlerts({ chat, tracker, net, router }) {
  let poorSaid = { text: null, at: 0 };
  chat.addEventListener("change", () => {
    if (chat.sender.entries.every(({ problem }) => problem)) dropToast("poor");
  });
  chat.addEventListener("poor", () => {
    const text = net.state === "live" ? "Your connection is poor. We'll keep trying to send your message."
      : "You're offline. Your message will be sent when you're back online.";
    if (poorSaid.text === text && performance.now() - poorSaid.at < poorEveryMilliseconds) return;
    poorSaid = { text, at: performance.now() };
    toast(text, { key: "poor" });
  });
  chat.addEventListener("arrived", (/** @type {CustomEvent} */ { detail: { conversation, message } }) => {
    // A message in the open conversation is visible there; screen readers announce it.
    if (message && conversation.id === chat.shown) announce(`${message.name || conversation.name}: ${message.text || "Picture"}`);
    setTimeout(() => alertOf({ chat, tracker, router }, conversation, message), alertAfterMilliseconds);
  });
}

function alertOf({ chat, tracker, router }, conversation, message) {
  const now = chat.inbox.conversations.get(conversation.id);
  if (!now || (message && now.read >= message.offset)) return;
  const kind = alertFor({
    conversation: now, shown: chat.shown, isPageVisible: document.visibilityState === "visible",
    isRecording: tracker.record?.state === "running", isAllowed: isNotificationAllowed(),
  });
  // The match itself is on screen.
  if (!message && document.getElementById("match")?.dataset.conversation === String(now.id)) return;
  // The list itself shows what is new.
  if (kind === null || (kind === "toast" && document.getElementById("view").dataset.view === "chats")) return;
  const { title, body } = alertText({ conversation: now, message, hidesText: alertSettings().hidesText });
  const path = message || now.kind === "direct" ? `/chats/${now.id}` : "/chats";
  if (kind === "notification") notify({ title, body, tag: `chat-${now.id}`, path, open: (to) => router.go(to) });
  else toast(`${title}: ${body}`, { key: `chat-${now.id}`, action: { label: "Open", run: () => router.go(path) } });
}

/**
 * `notification`, `toast` or null. There is none for a conversation that is on screen or muted. While a session is recorded it is a toast,
 * which is held back until the session is paused or ends.
 */
export function alertFor({ conversation, shown, isPageVisible, isRecording, isAllowed, now = Date.now() }) {
  return alertKind({ isMuted: isMuted(conversation, now), isInView: conversation.id === shown, isPageVisible, isRecording, isAllowed });
}

/** `{title, body}` of an alert; with `hidesText` without names and text. Without a message it is for an invitation or a new buddy. */
export function alertText({ conversation, message, hidesText }) {
  const { kind, name } = conversation;
  const ours = (body) => ({ title: "Campanile", body });
  if (!message && kind === "direct") return ours(hidesText ? "You have a new buddy." : `You and ${name} are now buddies.`);
  if (!message) return ours(hidesText ? "You have an invitation." : `You're invited to ${name}.`);
  if (hidesText) return ours("You have a new message.");
  const body = message.text ? shorten(message.text) : message.picture ? "Picture" : "New message";
  if (kind !== "group") return { title: message.name || name, body };
  return { title: name, body: message.name ? `${message.name}: ${body}` : body };
}

function shorten(text) {
  const characters = [...text];
  return characters.length <= previewCharactersMax ? text : `${characters.slice(0, previewCharactersMax - 1).join("")}…`;
}
