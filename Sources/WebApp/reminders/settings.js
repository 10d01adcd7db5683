// The settings of notifications: ways, kinds, quiet hours and zones. Each change is saved at once.

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { settingsFrame } from "../settings/frame.js";
import { makeChannelCards } from "./channels.js";
import { makeReminderChoices } from "./choices.js";
import { makeQuietSettings } from "./quiet.js";

/** Serves `/settings/notifications`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/settings/notifications")) return undefined;
  const page = new SettingsPage(root, app);
  return () => page.close();
}

class SettingsPage {
  #app;
  #end = new AbortController();
  #cards = null;
  #choices = null;
  #quiet = null;
  #status;
  #kept = makeKeptNote("reminders-kept");
  /** Whether the connection will bring something better than what is shown. */
  #isWanting = false;
  #problem = h("div", {});
  #place = h("div", { class: "stack" });

  constructor(root, app) {
    this.#app = app;
    this.#status = loading(app.net);
    root.append(settingsFrame(app, "notifications", [h("h1", { tabindex: "-1" }, "Notifications"),
      h("p", { class: "muted" }, "Choose what reaches you when Campanile is closed, and when you want quiet."),
      this.#kept.element, this.#status, this.#problem, this.#place]));
    leaveWhenSignedOut(app, this.#end.signal);
    app.settings.addEventListener("signal", () => this.#changedElsewhere(), { signal: this.#end.signal });
    this.#end.signal.addEventListener("abort", whenLive(app.net, () => { if (this.#isWanting) this.#load(); }));
    followWaiting(app.net.writes, ({ method }) => method === "reminders.saveSettings" || method === "notices.saveSettings",
      () => this.#changedElsewhere(), this.#end.signal);
    this.#load();
  }

  close() {
    this.#end.abort();
    this.#cards?.close();
  }

  get #isDrawn() {
    return this.#quiet !== null;
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  async #load() {
    const { net } = this.#app;
    this.#status.hidden = this.#isDrawn;
    this.#problem.replaceChildren();
    try {
      const replies = await Promise.all([net.read("reminders.settings"), net.read("notices.settings")]);
      if (this.#isClosed) return;
      this.#status.hidden = true;
      const at = keptAt(replies);
      this.#isWanting = at !== null;
      this.#kept.draw(at);
      this.#draw(...replies);
    } catch (error) {
      if (this.#isClosed) return;
      this.#isWanting = isOnlyOffline(error, net);
      if (this.#isWanting) return;
      this.#status.hidden = true;
      this.#problem.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
        h("p", { class: "event-retry" }, h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again")));
    }
  }

  /** On another device, or by this one, also when a change waits or was sent. */
  async #changedElsewhere() {
    const { net } = this.#app;
    if (!this.#quiet) return;
    try {
      const [reminders, notices] = await Promise.all([net.read("reminders.settings"), net.read("notices.settings")]);
      if (this.#isClosed) return;
      if (!this.#choices.isSaving) this.#drawReminders(reminders);
      this.#quiet.draw(notices);
    } catch {
      // The next change or visit brings them.
    }
  }

  #drawReminders(settings) {
    if (this.#isClosed) return;
    this.#cards.draw(settings);
    this.#choices.draw(settings);
  }

  #draw(reminders, notices) {
    const taken = (settings) => this.#drawReminders(settings);
    this.#choices = makeReminderChoices({ app: this.#app, taken, signal: this.#end.signal });
    this.#cards = makeChannelCards({ app: this.#app, taken });
    this.#quiet = makeQuietSettings({ app: this.#app, settings: notices, signal: this.#end.signal });
    this.#drawReminders(reminders);
    this.#place.replaceChildren(this.#cards.element, this.#choices.element, this.#quiet.element);
  }
}
