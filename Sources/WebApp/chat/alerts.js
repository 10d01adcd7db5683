// Alerts for a new message: a notification of the browser, a toast in the app, or nothing (U-7). Pure.

import { alertKind } from "../kit/notifications.js";
import { isMuted } from "./inbox.js";

const previewCharactersMax = 120;

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
