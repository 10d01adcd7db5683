// The tutorial while it is open: which step it is at, and the way through the pages.

import { refocus } from "../kit/dom.js";
import { loadStyles } from "../kit/styles.js";
import { TutorialCard } from "./card.js";
import { steps } from "./steps.js";

/**
 * Loads what the tutorial needs. Returns a function that opens it over the page that is shown: each step goes to its page, and at the end
 * the page from the beginning is shown again. `ended(isSeen)` is called once: `isSeen` is whether the person finished or skipped it.
 */
export async function loadTutorial() {
  await loadStyles("/app/tutorial/tutorial.css");
  return ({ router, ended }) => new Tutorial(router, ended);
}

/** The open tutorial. */
class Tutorial {
  #router; #ended; #card;
  #index = 0;
  #start = location.pathname + location.search + location.hash;
  #end = new AbortController();

  constructor(router, ended) {
    this.#router = router;
    this.#ended = ended;
    const { signal } = this.#end;
    // The browser's own way back leaves the tutorial, as that of a phone closes a dialog.
    addEventListener("popstate", () => this.#finish({ isSeen: true, returns: false }), { signal });
    this.#card = new TutorialCard({ count: steps.length, actions: {
      next: () => (this.#index === steps.length - 1 ? this.#finish({ isSeen: true }) : this.#go(this.#index + 1)),
      back: () => this.#go(this.#index - 1), skip: () => this.#finish({ isSeen: true }),
    } });
    this.#card.show(0, steps[0]);
    this.#card.open();
  }

  /** Ends it unseen. */
  close() {
    this.#finish({ isSeen: false, returns: false });
  }

  #go(index) {
    this.#index = index;
    const path = steps[index].path ?? this.#start;
    if (path !== location.pathname + location.search + location.hash) this.#router.go(path, { replace: true });
    this.#card.show(index, steps[index]);
  }

  #finish({ isSeen, returns = true }) {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#card.close();
    const isAway = this.#start !== location.pathname + location.search + location.hash;
    if (returns && isAway) this.#router.go(this.#start, { replace: true });
    else refocus();
    this.#ended(isSeen);
  }
}
