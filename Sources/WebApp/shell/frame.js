// The frame around each page: the tabs with their counts, and the document's title.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { tabsFor } from "./tabs.js";

/** The tabs that have a count, with its id and the words behind it for screen readers. */
const counted = {
  events: { id: "invitations-total", what: "to answer" },
  chats: { id: "unread-total", what: "unread" },
};

const atMost99 = (number) => (number > 99 ? "99+" : String(number));

/** Tabs and title. They are drawn before the features of the app have started, which set the counts later. */
export class Frame {
  #net;
  #known;
  /** The account's own name, as the tabs show it. */
  #name = null;
  #page = null;
  #counts = { events: 0, chats: 0 };
  #isRecording = false;

  constructor(net, known) {
    this.#net = net;
    this.#known = known;
    net.addEventListener("account", () => this.#drawTabs());
    known.addEventListener("change", () => { if (this.#ownName !== this.#name) this.#drawTabs(); });
  }

  /** The shown page, as pages.js declares it; null before the first one. */
  get page() {
    return this.#page;
  }

  /** A page's title, with what is unread. */
  titled(name) {
    const { chats } = this.#counts;
    return `${chats > 0 ? `(${atMost99(chats)}) ` : ""}${name} · Campanile`;
  }

  /** Marks the tab of a page that is about to be shown. */
  show(page) {
    this.#page = page;
    this.#drawTabs();
  }

  /** Sets the count of the tab `events` or `chats`. */
  setCount(tab, number) {
    if (this.#counts[tab] === number) return;
    this.#counts[tab] = number;
    this.#drawCount(tab);
  }

  /** Sets whether a session is recorded here. */
  setRecording(isRecording) {
    if (this.#isRecording === isRecording) return;
    this.#isRecording = isRecording;
    this.#drawTabs();
  }

  /** Titles the document after the heading of the page. */
  drawTitle() {
    if (this.#page === null) return;
    const name = document.querySelector("#view h1")?.textContent || this.#page.title;
    const title = this.#page.title === null ? this.titled("").replace(" · ", "") : this.titled(name);
    if (document.title !== title) document.title = title;
  }

  get #ownName() {
    return this.#known.own?.name ?? null;
  }

  #drawTabs() {
    this.#name = this.#ownName;
    const tabs = tabsFor(this.#net.account, this.#name);
    const bar = document.getElementById("tabs");
    const links = [...bar.children];
    const focused = /** @type {HTMLElement | undefined} */ (links.find((link) => link === document.activeElement))?.dataset.nav;
    bar.replaceChildren(...tabs.map(({ name, path, label, icon: iconName }) =>
      h("a", { href: path, dataset: { nav: name }, "aria-current": this.#page?.tab === name ? "page" : null }, icon(iconName),
        h("span", { class: "tab-label" }, label),
        name === "track" && this.#isRecording ? h("span", { class: "tab-mark", role: "img", "aria-label": "recording" }) : null,
        counted[name] ? h("span", { class: "tab-count number", id: counted[name].id, hidden: true }) : null)));
    for (const tab of Object.keys(counted)) this.#drawCount(tab);
    const drawn = /** @type {HTMLElement[]} */ ([...bar.children]);
    if (focused) drawn.find(({ dataset }) => dataset.nav === focused)?.focus({ preventScroll: true });
  }

  #drawCount(tab) {
    const { id, what } = counted[tab];
    const number = this.#counts[tab];
    const mark = document.getElementById(id);
    if (!mark) return;
    mark.hidden = number === 0;
    const text = atMost99(number);
    if (mark.dataset.count === text) return;
    mark.dataset.count = text;
    mark.replaceChildren(text, h("span", { class: "visually-hidden" }, ` ${what}`));
  }
}
