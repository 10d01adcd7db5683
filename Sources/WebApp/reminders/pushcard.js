// Reminders in browsers: this one, and the list of all.

import { h, toast } from "../kit/dom.js";
import { dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { ChannelCard } from "./channelcard.js";
import { currentSubscription, pushPermission, subscribePush, unsubscribePush } from "./push.js";

const permissionNotes = {
  unsupported: "This browser cannot be reached while Campanile is closed. On an iPhone or iPad, add Campanile to the home screen first, "
    + "and open it from there.",
  insecure: "Browsers are reached only from pages with https. Ask who runs this server.",
  denied: "The browser is set to show no notifications of Campanile. Allow them in its settings for this site "
    + "(mostly behind the sign before the address), then come back.",
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
      const text = "This browser is reminded, also while Campanile is closed.";
      return h("p", { class: "notice good", id: "push-here" }, icon("tick"), h("span", {}, text));
    }
    const hint = permission === "granted"
      ? "This browser may show notifications, but is not reminded of this account."
      : "This browser is not reminded yet. It asks you whether Campanile may show notifications.";
    const switchOn = async (event) => {
      event.currentTarget.disabled = true;
      await this.change(() => subscribePush(this.net));
      await this.#findOwn();
    };
    return h("div", { class: "stack tight" }, h("p", { class: "muted" }, hint),
      h("button", { class: "button primary", type: "button", id: "push-on", onclick: switchOn },
        icon("bell"), "Remind me in this browser"));
  }

  #browser({ endpoint, client, state, since }) {
    const hint = state === "dead" ? "Does not take reminders any more: remove it, and switch it on anew there." : `Since ${dayText(since)}`;
    const remove = async () => {
      if (await this.change(() => unsubscribePush(this.net, endpoint))) toast("That browser is not reminded any more.");
      await this.#findOwn();
    };
    return h("li", { class: "row-item", dataset: { endpoint } }, icon("devices"),
      h("div", { class: "grow" }, h("strong", {}, client ?? "A browser"),
        endpoint === this.#own ? h("span", { class: "tag" }, "this one") : null, h("p", { class: "muted small" }, hint)),
      h("button", { class: "button quiet", type: "button", "aria-label": `Remove ${client ?? "this browser"}`, onclick: remove },
        "Remove"));
  }
}
