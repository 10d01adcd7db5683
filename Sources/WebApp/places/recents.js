// Former searches of the account: offered again below the field, and erased one by one or all.

import { followWaiting } from "../connection/waitingmethods.js";
import { announce, confirmDialog, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { attempt } from "../kit/dialog.js";
import { waitingLine } from "../kit/saved.js";

const shownMax = 6;
const isErasure = ({ method }) => method === "searches.erase";

/** The list of former searches; empty for a guest. */
export class RecentSearches {
  element = h("div", { class: "recents" });

  #net; #onAgain; #fallback;
  #searches = [];
  #isClosed = false;
  #ending = new AbortController();

  /** `onAgain(text)` is called for one that is chosen; `fallback()` is the element with the focus when none is left. */
  constructor({ net, onAgain, fallback }) {
    this.#net = net;
    this.#onAgain = onAgain;
    this.#fallback = fallback;
    followWaiting(net.writes, isErasure, () => this.load(), this.#ending.signal);
  }

  async load() {
    if (!this.#net.account) return;
    try {
      ({ searches: this.#searches } = await this.#net.read("searches.list"));
    } catch {
      // The field works without them.
      return;
    }
    if (!this.#isClosed) this.#draw();
  }

  /** Notes what was searched for and chosen, when the account wants that. */
  note(text, place) {
    if (!this.#net.account) return;
    this.#net.request("searches.note", { text, ...(place && { place }) }).then(({ kept }) => { if (kept) this.load(); }, () => {});
  }

  close() {
    this.#isClosed = true;
    this.#ending.abort();
  }

  #draw() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...(this.#searches.length === 0 ? [] : this.#parts()),
      this.#net.writes.waiting.some(isErasure) ? waitingLine("searches-waiting") : "");
    if (!hadFocus || this.element.contains(document.activeElement)) return;
    (this.element.querySelector("button.icon-button") ?? this.#fallback()).focus({ preventScroll: true });
  }

  #parts() {
    const eraseAll = h("button", {
      class: "button quiet", type: "button", id: "erase-searches", onclick: () => this.#eraseAll(),
    }, "Delete all");
    return [
      h("div", { class: "row between recents-head" }, h("h2", { class: "small-title" }, "Recent searches"), eraseAll),
      h("ul", { class: "recent-list" }, ...this.#searches.slice(0, shownMax).map((search) => this.#row(search)))];
  }

  #row({ id, text }) {
    return h("li", { dataset: { search: id } },
      h("button", { class: "recent", type: "button", onclick: () => this.#onAgain(text) }, icon("history"), h("span", {}, text)),
      h("button", { class: "icon-button", type: "button", "aria-label": `Delete “${text}”`, onclick: () => this.#erase(id) },
        icon("close")));
  }

  async #erase(id) {
    if (!await attempt(() => this.#net.writes.write("searches.erase", { id }))) return;
    this.#searches = this.#searches.filter((search) => search.id !== id);
    announce("Search deleted.");
    this.#draw();
  }

  async #eraseAll() {
    const sure = await confirmDialog({
      id: "erase-searches-dialog", title: "Delete all recent searches?", text: "This can't be undone.",
      confirm: "Delete all", danger: true,
    });
    const at = new Date(this.#net.clock.now()).toISOString();
    if (!sure || !await attempt(() => this.#net.writes.write("searches.erase", { at }), "Recent searches deleted.")) return;
    this.#searches = [];
    this.#draw();
  }
}
