// The browser's notifications, and this device's settings for them.

const settingsKey = "campanile.notifications";

/** This device's settings: `{isOn, hidesText}`. */
export function alertSettings() {
  try {
    return { isOn: false, hidesText: false, ...JSON.parse(localStorage.getItem(settingsKey)) };
  } catch {
    return { isOn: false, hidesText: false };
  }
}

/** Stores the settings of this device. */
export function saveAlertSettings(settings) {
  localStorage.setItem(settingsKey, JSON.stringify(settings));
}

/** Whether the browser allows notifications and the user has switched them on. */
export function isNotificationAllowed() {
  return "Notification" in globalThis && Notification.permission === "granted" && alertSettings().isOn;
}

/** Shows a notification; a tap opens `path`. It replaces the last one with the same tag. An urgent one stays until it is dismissed. */
export async function notify({ title, body, tag, path, open, isUrgent = false }) {
  const options = { body, tag, renotify: true, requireInteraction: isUrgent, icon: "/app/assets/icon.svg", data: { path } };
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

/** Closes the notifications with this tag. */
export async function dropNotifications(tag) {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const notification of await registration?.getNotifications({ tag }) ?? []) notification.close();
  } catch {
    // Nothing to take away.
  }
}

/**
 * `notification`, `toast`, or null for nothing. The news: `isMuted` by the person, `isInView` on the page that is shown. The device:
 * `isPageVisible`, `isRecording` a session, `isAllowed` to notify. While a session is recorded there are toasts only, which are held back
 * until it is paused or ends (`setQuiet` of dom.js). For chats and events; notices, which have levels, have `alertPlan` (notices/words.js).
 */
export function alertKind({ isMuted = false, isInView, isPageVisible, isRecording, isAllowed }) {
  if (isMuted || (isInView && isPageVisible)) return null;
  return isAllowed && !isRecording ? "notification" : "toast";
}
