// Alerts for a new message: a notification of the browser, a toast in the app, or nothing (U-7).

import { isMuted } from "./inbox.js";

const settingsKey = "campanile.notifications";
const previewCharactersMax = 120;

/**
 * `notification`, `toast` or null. Nothing for what is before the person's eyes, what is muted, and while a session is
 * recorded, nothing but what the toasts hold back until it ends.
 */
export function alertFor({ conversation, shown, isPageVisible, isRecording, isAllowed, now = Date.now() }) {
  if (isMuted(conversation, now) || (conversation.id === shown && isPageVisible)) return null;
  if (isRecording) return "toast";
  return isAllowed ? "notification" : "toast";
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

/** What this device is set to: `{isOn, hidesText}`. */
export function alertSettings() {
  try {
    return { isOn: false, hidesText: false, ...JSON.parse(localStorage.getItem(settingsKey)) };
  } catch {
    return { isOn: false, hidesText: false };
  }
}

export function saveAlertSettings(settings) {
  localStorage.setItem(settingsKey, JSON.stringify(settings));
}

/** Whether the browser lets us and the person wants it. */
export function isNotificationAllowed() {
  return "Notification" in globalThis && Notification.permission === "granted" && alertSettings().isOn;
}

/** Shows it; `path` opens when it is tapped. One with the same tag takes the place of the last; an urgent one stays until it is dismissed. */
export async function notify({ title, body, tag, path, open, isUrgent = false }) {
  const options = { body, tag, renotify: true, requireInteraction: isUrgent, icon: "/app/icon.svg", data: { path } };
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    // Phones only know notifications of service workers.
    if (registration?.active) return await registration.showNotification(title, options);
    const notification = new Notification(title, options);
    notification.onclick = () => {
      window.focus();
      notification.close();
      open(path);
    };
  } catch {
    // A browser that changed its mind: the count in the tab still says it.
  }
  return undefined;
}

/** Takes away what is shown of a conversation: it is read. */
export async function dropNotifications(tag) {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const notification of await registration?.getNotifications({ tag }) ?? []) notification.close();
  } catch {
    // Nothing to take away.
  }
}
