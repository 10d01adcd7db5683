// The page of settings of chats: receipts and typing, notifications on this device, blocked people.

import { BlockedPeople } from "../buddies/blockedpeople.js";
import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { h } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { makeKeptNote } from "../kit/loading.js";
import { makeSaved } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { makeDeviceNotifications } from "./devicenotifications.js";

const receipts = [
  ["read", "Read receipts", "Others see when you've read their messages. Notices count you as a reader."],
  ["delivered", "Delivery receipts", "Others see when your device has their messages. Notices count your device."],
  ["typing", "Typing", "Others see when you're typing."],
];

/** Serves `/chats/settings`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/chats/settings")) return undefined;
  const { net, pictures } = app;
  const scope = pictures.scope();
  const life = new AbortController();
  const problem = h("p", { class: "problem", role: "alert" });
  const showProblem = (message) => { problem.textContent = message; };
  const kept = makeKeptNote("chat-settings-kept");
  const receiptSettings = new ReceiptSettings({ net, showProblem, signal: life.signal });
  const blocked = new BlockedPeople({ net, scope, showProblem, signal: life.signal });

  let isWanting = false;
  async function load() {
    showProblem("");
    try {
      await receiptSettings.load();
      await blocked.load();
      isWanting = receiptSettings.keptAt !== null;
      kept.draw(receiptSettings.keptAt);
    } catch (error) {
      isWanting = isOnlyOffline(error, net);
      if (isWanting) return;
      showProblem(error.message);
      blocked.failed();
    }
  }

  const card = (title, ...children) => h("section", { class: "card stack" }, h("h2", {}, title), ...children);
  root.append(h("div", { class: "page narrow stack" },
    h("p", {}, h("a", { href: "/chats", class: "back" }, "← Chats")), h("h1", { tabindex: "-1" }, "Chat settings"), kept.element, problem,
    card("What others see", ...receiptSettings.elements, h("p", { class: "hint" }, "You'll still see these from people who keep them on.")),
    card("Notifications on this device", makeDeviceNotifications(),
      h("a", { class: "now-link", href: "/settings/notifications" }, "Reminders and quiet hours", icon("arrow"))),
    card("Blocked people", ...blocked.elements)));
  load();
  life.signal.addEventListener("abort", whenLive(net, () => { if (isWanting) load(); }));
  followWaiting(net.writes, ({ method }) => method === "chat.saveSettings" || method.startsWith("safety."), () => {
    receiptSettings.changedElsewhere();
    blocked.load().catch(() => {});
  }, life.signal);
  app.settings.addEventListener("signal", () => { receiptSettings.changedElsewhere(); }, { signal: life.signal });
  leaveWhenSignedOut(app, life.signal);
  return () => {
    life.abort();
    scope.close();
  };
}

/** Switches for receipts and typing, disabled until `load()` has read the settings. A change is saved at once. */
class ReceiptSettings {
  elements;
  /** Time of the settings that this device kept, or null if they are the server's. */
  keptAt = null;

  #net;
  #showProblem;
  #settings = { read: true, delivered: true, typing: true };
  #saving = 0;
  #saved = makeSaved();
  #switches;

  constructor({ net, showProblem, signal }) {
    this.#net = net;
    this.#saved.follow(net.writes, ({ method }) => method === "chat.saveSettings", signal);
    this.#showProblem = showProblem;
    this.#switches = receipts.map(([name, label, hint]) => {
      const made = makeSwitch({ id: `setting-${name}`, label, hint, checked: true, changed: (isOn) => this.#save(name, isOn) });
      made.input.disabled = true;
      return { name, ...made };
    });
    this.elements = [...this.#switches.map(({ element }) => element), this.#saved.element];
  }

  /** On another device, or by this one. */
  async changedElsewhere() {
    if (this.#saving === 0) await this.load().catch(() => {});
  }

  async load() {
    this.#settings = await this.#net.read("chat.settings");
    this.keptAt = keptAt(this.#settings);
    for (const { name, input } of this.#switches) {
      input.checked = this.#settings[name];
      input.disabled = false;
    }
  }

  async #save(name, isOn) {
    this.#showProblem("");
    const before = this.#settings;
    this.#settings = { ...before, [name]: isOn };
    this.#saving += 1;
    try {
      const saved = await this.#net.writes.write("chat.saveSettings", { [name]: isOn });
      if (saved) this.#settings = this.#net.writes.shown("chat.settings", {}, saved);
    } catch (error) {
      this.#settings = before;
      this.#showProblem(error.message);
    }
    this.#saving -= 1;
    for (const each of this.#switches) each.input.checked = this.#settings[each.name];
  }
}
