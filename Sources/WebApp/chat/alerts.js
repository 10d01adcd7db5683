// Alerts for a new message: a notification of the browser, a toast in the app, or nothing (U-7).

import { alertKind } from "../kit/notifications.js";
import { isMuted } from "./inbox.js";

const previewCharactersMax = 120;

/**
 * `notification`, `toast` or null. Nothing for what is before the person's eyes, what is muted, and while a session is
 * recorded, nothing but what the toasts hold back until it ends.
 */
export function alertFor({ conversation, shown, isPageVisible, isRecording, isAllowed, now = Date.now() }) {
  return alertKind({ isMuted: isMuted(conversation, now), isInView: conversation.id === shown, isPageVisible, isRecording, isAllowed });
}

/** `{title, body}`: who and what, or only that there is something. Without a message it is an invitation or a new buddy. */
export function alertText({ conversation, message, hidesText }) {
  if (!message && conversation.kind === "direct") return { title: "Campanile", body: hidesText ? "You have a new buddy." : `You and ${conversation.name} are buddies.` };
  if (!message) return { title: "Campanile", body: hidesText ? "You have an invitation." : `You are invited to ${conversation.name}.` };
  if (hidesText) return { title: "Campanile", body: "You have a new message." };
  const body = message.text ? shorten(message.text) : message.picture ? "Picture" : "New message";
  const isGroup = conversation.kind === "group";
  return { title: isGroup ? conversation.name : message.name || conversation.name, body: isGroup && message.name ? `${message.name}: ${body}` : body };
}

function shorten(text) {
  const characters = [...text];
  return characters.length <= previewCharactersMax ? text : `${characters.slice(0, previewCharactersMax - 1).join("")}…`;
}
