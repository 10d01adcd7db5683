// Opens the tutorial: by itself on the first visit of an account (U-9), and from the help. It is loaded when it opens.

import { toast } from "../kit/dom.js";

/** Pages on which a person is about to do something that the tutorial must not interrupt. */
export const busyPages = new Set([
  "login", "providerlogin", "register", "welcome", "confirm", "confirmlink", "reset", "resetlink", "farewell", "shared", "linkshare",
  "missing",
]);

/**
 * Whether the tutorial opens by itself. `settings` are those of the account, `page` is the shown page, and `isBusy` is whether a dialog is
 * open or a session is being recorded. Pure.
 */
export function isDue({ account, settings, page, isBusy }) {
  return account !== null && settings.isKnown("tutorial") && settings.value("tutorial") === "new"
    && page !== null && !busyPages.has(page.name) && !isBusy;
}

/** The tutorial of the app, open or not. */
export class TutorialStart {
  #net; #router; #frame; #settings; #tracker;
  /** `closed`, `loading` or `open`. */
  #state = "closed";
  /** Whether the person asked for it. One that opened by itself closes when it was seen on another device. */
  #isAsked = false;
  #tutorial = null;
  /** Id of the account for which it is open. */
  #account = null;

  constructor({ net, router, frame, settings, tracker }) {
    this.#net = net;
    this.#router = router;
    this.#frame = frame;
    this.#settings = settings;
    this.#tracker = tracker;
    settings.addEventListener("change", () => this.#changed());
    net.addEventListener("account", () => this.#changed());
  }

  /** Opens it when it is due; to be called after each change of the page. */
  pageShown() {
    if (this.#state === "closed" && this.#isDue) this.#open().catch(() => { /* The next page tries again. */ });
  }

  /** Opens it because the person asked for it. */
  async open() {
    if (this.#state !== "closed") return;
    this.#isAsked = true;
    try {
      await this.#open();
    } catch {
      toast("Couldn't load the tutorial. Check your connection and try again.");
    }
  }

  get #isDue() {
    const isBusy = document.querySelector("dialog[open]") !== null || Boolean(this.#tracker.record);
    return isDue({ account: this.#net.account, settings: this.#settings, page: this.#frame.page, isBusy });
  }

  /** Whether it may open, or stay open. */
  get #isWanted() {
    return this.#net.account?.id === this.#account && (this.#isAsked || this.#settings.value("tutorial") === "new");
  }

  async #open() {
    this.#state = "loading";
    this.#account = this.#net.account?.id;
    try {
      const { loadTutorial } = await import("./tutorial.js");
      const openTutorial = await loadTutorial();
      // The page may have changed meanwhile.
      if (!(this.#isAsked ? this.#isWanted : this.#isDue)) return;
      this.#tutorial = openTutorial({ router: this.#router, ended: (isSeen) => this.#ended(isSeen) });
      this.#state = "open";
    } finally {
      if (this.#state === "loading") this.#reset();
    }
  }

  #changed() {
    if (this.#state === "open" && !this.#isWanted) this.#tutorial.close();
    else this.pageShown();
  }

  #ended(isSeen) {
    this.#reset();
    if (isSeen && this.#settings.value("tutorial") !== "seen") this.#settings.choose("tutorial", "seen");
  }

  #reset() {
    [this.#state, this.#isAsked, this.#tutorial, this.#account] = ["closed", false, null, null];
  }
}
