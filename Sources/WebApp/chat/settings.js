// Settings of chats: receipts and typing, notifications on this device, blocked people.

import { h, setText, toast } from "../kit/dom.js";
import { alertSettings, saveAlertSettings } from "../kit/notifications.js";
import { dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeSwitch } from "../kit/fields.js";
import { loading } from "../kit/loading.js";
import { avatar } from "../kit/person.js";

export function show(root, _params, { net, router, pictures }) {
  if (!net.account) {
    router.go("/login?next=/chats/settings", { replace: true });
    return undefined;
  }
  const scope = pictures.scope();
  let closed = false;
  let settings = { read: true, delivered: true, typing: true };
  const problem = h("p", { class: "problem", role: "alert" });
  const blockedList = h("ul", { class: "rows", id: "blocked" });
  const blockedNote = loading(net);
  const permission = h("div", { class: "stack" });

  const receipts = [
    ["read", "Read receipts", "Others see that you have read their messages. Notices count you as a reader."],
    ["delivered", "Delivery receipts", "Others see that your device has their messages. Notices count your device."],
    ["typing", "Typing", "Others see that you are writing."],
  ].map(([name, label, hint]) => ({ name, ...makeSwitch({ id: `setting-${name}`, label, hint, checked: true, changed: (isOn) => save(name, isOn) }) }));
  for (const { input } of receipts) input.disabled = true;

  async function save(name, isOn) {
    problem.textContent = "";
    const before = settings;
    settings = { ...settings, [name]: isOn };
    try {
      settings = await net.request("chat.saveSettings", settings);
    } catch (error) {
      settings = before;
      problem.textContent = error.message;
    }
    for (const each of receipts) each.input.checked = settings[each.name];
  }

  async function load() {
    try {
      settings = await net.request("chat.settings");
      for (const { name, input } of receipts) {
        input.checked = settings[name];
        input.disabled = false;
      }
      await loadBlocked();
    } catch (error) {
      problem.textContent = error.message;
      setText(blockedNote, "");
    }
  }

  async function loadBlocked() {
    const { blocked } = await net.request("safety.blocked");
    if (closed) return;
    const named = blocked.map(({ person, at }) => ({ person: { ...person, name: person.name || "Somebody" }, at }));
    setText(blockedNote, blocked.length === 0 ? "You have blocked nobody." : "");
    blockedNote.hidden = blocked.length > 0;
    blockedList.replaceChildren(...named.map(({ person, at }) => h("li", { class: "row-item", dataset: { blocked: person.account } }, avatar(scope, person, { size: 40 }),
      h("div", { class: "grow" }, h("strong", {}, person.name), h("p", { class: "muted small" }, `Since ${dayText(at)}`)),
      h("button", { class: "button quiet", type: "button", "aria-label": `Unblock ${person.name}`, onclick: async (event) => {
        event.currentTarget.disabled = true;
        try {
          await net.request("safety.unblock", { account: person.account });
          toast(`${person.name} is not blocked any more. To be buddies again, both of you accept each other anew.`);
        } catch (error) {
          problem.textContent = error.message;
        }
        loadBlocked().catch(() => {});
      } }, "Unblock"))));
  }

  function drawPermission() {
    const { isOn, hidesText } = alertSettings();
    if (!("Notification" in window)) {
      permission.replaceChildren(h("p", { class: "muted" }, "This browser cannot show notifications. New messages pop up inside the app."));
    } else if (Notification.permission === "denied") {
      permission.replaceChildren(h("p", { class: "notice warn" }, icon("warning"), h("span", {}, "The browser is set to show no notifications of Campanile. You can allow them in its settings for this site.")));
    } else if (Notification.permission === "granted" && isOn) {
      const hides = makeSwitch({ id: "hide-text", label: "Hide the text", hint: "Notifications say only that there is something new: no name, no words.", checked: hidesText, changed: (value) => saveAlertSettings({ isOn: true, hidesText: value }) });
      permission.replaceChildren(h("p", { class: "notice good" }, icon("bell"), h("span", {}, "New messages are shown as notifications while Campanile is open in the background.")), hides.element,
        h("button", { class: "button", type: "button", id: "notifications-off", onclick: () => {
          saveAlertSettings({ ...alertSettings(), isOn: false });
          drawPermission();
        } }, "Switch notifications off"));
    } else {
      permission.replaceChildren(h("p", { class: "muted" }, "While Campanile is open in the background, new messages can be shown as notifications. Never during a recording, and never of muted chats."),
        h("button", { class: "button primary", type: "button", id: "notifications-on", onclick: async () => {
          if (await Notification.requestPermission() === "granted") saveAlertSettings({ ...alertSettings(), isOn: true });
          drawPermission();
        } }, icon("bell"), "Switch notifications on"));
    }
  }

  root.append(h("div", { class: "page narrow stack" }, h("p", {}, h("a", { href: "/chats", class: "back" }, "← Chats")), h("h1", { tabindex: "-1" }, "Chat settings"), problem,
    h("section", { class: "card stack" }, h("h2", {}, "What others see"), ...receipts.map(({ element }) => element), h("p", { class: "hint" }, "You'll still see these from people who keep them on.")),
    h("section", { class: "card stack" }, h("h2", {}, "Notifications on this device"), permission, h("a", { class: "now-link", href: "/settings/notifications" }, "Reminders and quiet hours", icon("arrow"))),
    h("section", { class: "card stack" }, h("h2", {}, "Blocked people"), blockedNote, blockedList)));
  drawPermission();
  load();
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    closed = true;
    net.removeEventListener("account", leaveIfSignedOut);
    scope.close();
  };
}
