// Reminders in browsers: this one, and the list of all.

import { h, toast } from "../kit/dom.js";
import { dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { ChannelCard } from "./channelcard.js";
import { currentSubscription, pushPermission, subscribePush, unsubscribePush } from "./push.js";

const permissionNotes = {
  unsupported: "This browser can't get reminders while Campanile is closed. On an iPhone or iPad, add Campanile to the home screen "
    + "and open it from there.",
  insecure: "Browser reminders need a secure page (https). Ask a campus admin.",
  denied: "Notifications are blocked for this site. Allow them in the browser's site settings "
    + "(the icon beside the address), then come back.",
};

/** The card of browsers. */
export class PushCard extends ChannelCard {
  /** Endpoint of this browser's subscription, or null. */
  #own = null;
  #end = new AbortController();

  constructor(given) {
    super({ ...given, channel: "push" });
    // The permission may have been changed on another page.
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.#findOwn(); },
      { signal: this.#end.signal });
    this.#findOwn();
  }

  contents({ state, browsers = [] }) {
    const items = browsers.map((one) => this.#browser(one));
    const list = items.length === 0 ? null : h("ul", { class: "rows", id: "push-browsers" }, ...items);
    const test = state === "on" ? h("div", { class: "row" }, this.testButton()) : null;
    return [this.#here(browsers), list, test].filter(Boolean);
  }

  close() {
    super.close();
    this.#end.abort();
  }

  async #findOwn() {
    this.#own = (await currentSubscription())?.endpoint ?? null;
    this.redraw();
  }

  #here(browsers) {
    const permission = pushPermission();
    const note = permissionNotes[permission];
    if (note) return h("p", { class: "notice warn", id: "push-permission" }, icon("warning"), h("span", {}, note));
    if (this.#own !== null && browsers.some(({ endpoint }) => endpoint === this.#own)) {
      const text = "This browser gets reminders, even while Campanile is closed.";
      return h("p", { class: "notice good", id: "push-here" }, icon("tick"), h("span", {}, text));
    }
    const hint = permission === "granted"
      ? "This browser doesn't get reminders for this account."
      : "This browser doesn't get reminders yet. It will ask you to allow notifications.";
    const switchOn = async (event) => {
      event.currentTarget.disabled = true;
      await this.change(() => subscribePush(this.net));
      await this.#findOwn();
    };
    return h("div", { class: "stack tight" }, h("p", { class: "muted" }, hint),
      h("button", { class: "button primary", type: "button", id: "push-on", onclick: switchOn },
        icon("bell"), "Turn on in this browser"));
  }

  #browser({ endpoint, client, state, since }) {
    const hint = state === "dead" ? "No longer gets reminders. Remove it, then turn them on again there." : `Since ${dayText(since)}`;
    const remove = async () => {
      if (await this.change(() => unsubscribePush(this.net, endpoint))) toast("Browser removed.");
      await this.#findOwn();
    };
    return h("li", { class: "row-item", dataset: { endpoint } }, icon("devices"),
      h("div", { class: "grow" }, h("strong", {}, client ?? "A browser"),
        endpoint === this.#own ? h("span", { class: "tag" }, "this one") : null, h("p", { class: "muted small" }, hint)),
      h("button", { class: "button quiet", type: "button", "aria-label": `Remove ${client ?? "this browser"}`, onclick: remove },
        "Remove"));
  }
}
