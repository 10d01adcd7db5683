// The browser's notifications, and what this device is set to.

const settingsKey = "campanile.notifications";

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

/** Takes away what is shown of a conversation: it is read. */
export async function dropNotifications(tag) {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const notification of await registration?.getNotifications({ tag }) ?? []) notification.close();
  } catch {
    // Nothing to take away.
  }
}
