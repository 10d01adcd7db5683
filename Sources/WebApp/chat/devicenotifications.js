// The setting for notifications of new messages on this device.

import { h } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { icon } from "../kit/icons.js";
import { alertSettings, saveAlertSettings } from "../kit/notifications.js";

/** An element with the state of notifications and the buttons that change it. */
export function makeDeviceNotifications() {
  const element = h("div", { class: "stack" });
  const draw = () => element.replaceChildren(...parts(draw));
  draw();
  return element;
}

function parts(draw) {
  if (!("Notification" in window)) {
    return [h("p", { class: "muted" }, "This browser can't show notifications. New messages appear in the app.")];
  }
  if (Notification.permission === "denied") {
    const text = "Notifications are blocked for this site. Allow them in the browser's site settings.";
    return [h("p", { class: "notice warn" }, icon("warning"), h("span", {}, text))];
  }
  return Notification.permission === "granted" && alertSettings().isOn ? partsOn(draw) : partsOff(draw);
}

function partsOn(draw) {
  const hides = makeSwitch({
    id: "hide-text", label: "Hide message text", hint: "Notifications won't show names or messages.",
    checked: alertSettings().hidesText, changed: (value) => saveAlertSettings({ isOn: true, hidesText: value }),
  });
  const switchOff = () => {
    saveAlertSettings({ ...alertSettings(), isOn: false });
    draw();
  };
  const text = "You get notifications while Campanile is open in the background.";
  return [
    h("p", { class: "notice good" }, icon("bell"), h("span", {}, text)),
    hides.element,
    h("button", { class: "button", type: "button", id: "notifications-off", onclick: switchOff }, "Turn off notifications"),
  ];
}

function partsOff(draw) {
  const switchOn = async () => {
    if (await Notification.requestPermission() === "granted") saveAlertSettings({ ...alertSettings(), isOn: true });
    draw();
  };
  const text = "Get notified of new messages while Campanile is open in the background. "
    + "Not during a session, and not for muted chats.";
  return [
    h("p", { class: "muted" }, text),
    h("button", { class: "button primary", type: "button", id: "notifications-on", onclick: switchOn },
      icon("bell"), "Turn on notifications"),
  ];
}
