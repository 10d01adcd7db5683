// The banner of unread emergencies, above each page and each dialog.

import { h } from "../kit/dom.js";
import { count, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isUnread } from "./log.js";
import { fromText } from "./words.js";

/** The banner in `element`. It shows the newest emergency that is unread, or was corrected since it was read. */
export class EmergencyBanner {
  #element;
  #notices;
  /** Numbers of emergencies that were corrected here, until they are seen again. */
  #corrected = new Set();
  #shown = "";

  constructor(element, notices) {
    this.#element = element;
    this.#notices = notices;
    new MutationObserver(() => this.place()).observe(document.body, { childList: true });
  }

  /** Shows an emergency that was corrected, also when it was read before. */
  addCorrected(number) {
    this.#corrected.add(number);
  }

  removeCorrected(number) {
    this.#corrected.delete(number);
  }

  clearCorrected() {
    this.#corrected.clear();
  }

  draw() {
    const open = this.#notices.log.shown(this.#notices.now).filter((item) => this.#isOpen(item));
    const shown = JSON.stringify(open);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.hidden = open.length === 0;
    if (open.length > 0) this.#drawFirst(open, hadFocus);
    else this.#clear(hadFocus);
  }

  /** Moves the banner into an open modal dialog, which makes everything around it unreachable, and back. */
  place() {
    const dialog = [...document.querySelectorAll("dialog:modal")].at(-1);
    if (this.#element.parentElement === (dialog ?? document.body)) return;
    if (!dialog) document.querySelector("body > .bar").before(this.#element);
    else if (!this.#element.hidden) {
      dialog.prepend(this.#element);
      dialog.addEventListener("close", () => this.place(), { once: true });
    }
  }

  #isOpen(item) {
    return item.level === "emergency" && !item.withdrawn && (isUnread(item) || this.#corrected.has(item.number));
  }

  #clear(hadFocus) {
    this.#element.replaceChildren();
    this.#element.removeAttribute("role");
    if (hadFocus) /** @type {HTMLElement | null} */ (document.querySelector("#view h1"))?.focus({ preventScroll: true });
  }

  #drawFirst([first, ...others], hadFocus) {
    const seen = h("button", { class: "button", type: "button", id: "emergency-seen", onclick: () => {
      this.#corrected.delete(first.number);
      this.#notices.read([first.number]);
      this.draw();
    } }, icon("tick"), "Got it");
    const body = first.body
      ? h("p", { class: "emergency-body", tabindex: "0", role: "group", "aria-label": "Details" }, first.body)
      : null;
    this.#element.setAttribute("role", "alert");
    this.#element.replaceChildren(icon("warning"),
      h("div", { class: "emergency-what" },
        h("p", { class: "emergency-title" }, h("strong", {}, first.changedAt ? "Emergency, corrected: " : "Emergency: "), first.title),
        body, h("p", { class: "small" }, sourceText(first, others.length))),
      seen);
    // Only a text that has to be scrolled is a stop for the keyboard.
    if (body && body.scrollHeight <= body.clientHeight) body.removeAttribute("tabindex");
    if (hadFocus) seen.focus({ preventScroll: true });
  }
}

function sourceText(notice, otherCount) {
  const others = otherCount > 0 ? `. ${count(otherCount, "more emergency", "more emergencies")} to read.` : "";
  return `${fromText(notice)}, ${timeText(notice.changedAt ?? notice.at)}${others}`;
}
