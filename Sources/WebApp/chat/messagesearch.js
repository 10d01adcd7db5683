// Search in the messages of all chats, below the chats whose names match.

import { h } from "../kit/dom.js";
import { listTime } from "../kit/times.js";
import { isShortSearch, searchExcerpt } from "./searchtext.js";

/** A search that found nothing yet looks further back by itself so many times. */
const searchPagesMax = 20;
const searchAfterMilliseconds = 300;

/** The results of a search, as a part of the list of chats. */
export class MessageSearch {
  element = h("div", { class: "search-results", id: "search-results", hidden: true });
  /** The words that are searched for; empty for no search. */
  text = "";

  #net;
  #changed;
  #signal;
  #timer = 0;
  /** Increased with each new text: an answer to an older one is dropped. */
  #generation = 0;
  /** Messages that were found; null before the first answer. */
  #found = null;
  /** Where to search on; null when everything was searched. */
  #next = null;
  #problem = null;
  #isLooking = false;

  /** `changed()` is called when there is something to draw. Ends with `signal`. */
  constructor({ net, changed, signal }) {
    this.#net = net;
    this.#changed = changed;
    this.#signal = signal;
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** Begins another search, a moment after the last call. */
  use(text) {
    clearTimeout(this.#timer);
    this.text = text;
    this.#generation += 1;
    this.#found = this.#problem = this.#next = null;
    this.#isLooking = false;
    if (!isShortSearch(text)) this.#timer = setTimeout(() => this.#find(), searchAfterMilliseconds);
  }

  draw() {
    this.element.hidden = this.text === "";
    if (this.element.hidden) return;
    this.element.replaceChildren(h("h3", { class: "result-title" }, "Messages"),
      this.#problem ? h("p", { class: "problem" }, this.#problem) : "",
      this.#note() ?? "",
      h("ul", {}, ...(this.#found ?? []).map((message) => this.#row(message))),
      this.#moreButton() ?? "");
  }

  async #find(before = null) {
    const generation = this.#generation;
    const isOld = () => generation !== this.#generation;
    const found = this.#found ?? [];
    this.#isLooking = true;
    this.#problem = null;
    this.#changed();
    try {
      let from = before;
      for (let page = 0; page < searchPagesMax; page++) {
        const { messages, next } = await this.#net.request("chat.search", { text: this.text, ...(from && { before: from }) });
        if (isOld() || this.#signal.aborted) return;
        this.#found = [...found, ...messages];
        this.#next = next ?? null;
        if (messages.length > 0 || !next) break;
        from = next;
      }
    } catch (error) {
      if (isOld()) return;
      this.#problem = error.message;
    }
    this.#isLooking = false;
    this.#changed();
  }

  #note() {
    if (this.#found === null) {
      return h("p", { class: "muted" }, isShortSearch(this.text) ? "Type more to search messages." : "Searching…");
    }
    if (this.#found.length > 0) return null;
    const done = this.#next ? "No newer messages match." : "No messages match.";
    return h("p", { class: "muted", role: "status" }, this.#isLooking ? "Searching further back…" : done);
  }

  #moreButton() {
    if (!this.#next || !this.#found || this.#isLooking) return null;
    const label = this.#found.length === 0 ? "Search further back" : "Show more";
    return h("button", { class: "button wide", type: "button", onclick: () => this.#find(this.#next) }, label);
  }

  #row({ conversation, offset, by, name, at, text }) {
    let title = by.name === name ? name : `${by.name} in ${name}`;
    if (by.account === this.#net.account?.id) title = `You to ${name}`;
    const excerpt = searchExcerpt(text, this.text).map((part) => (part.isMatch ? h("mark", {}, part.text) : part.text));
    return h("li", {}, h("a", { class: "chat-row result", href: `/chats/${conversation}?at=${offset}`, dataset: { offset } },
      h("span", { class: "chat-what" },
        h("span", { class: "chat-top" }, h("strong", { class: "chat-name" }, title),
          h("time", { class: "chat-time number" }, listTime(at))),
        h("span", { class: "result-text" }, ...excerpt))));
  }
}
