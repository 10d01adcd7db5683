// The walk of this browser, kept while it lasts: a reload or a lost network does not end it. No DOM.

const key = "campanile.walk";
/** As long as the server keeps a walk. */
const hoursMax = 3;
const charactersMax = 1_500_000;

/** Keeps one walk in the browser's storage. It is removed at its end, after some hours, and with the account's other data. */
export class KeptWalk {
  #storage;
  #now;

  constructor({ storage = localStorage, now = () => Date.now() } = {}) {
    this.#storage = storage;
    this.#now = now;
  }

  /** The walk of that account (null: a guest's), or null. */
  load(account) {
    try {
      const kept = JSON.parse(this.#storage.getItem(key));
      const age = this.#now() - kept.startedAt;
      if (kept.account === account && age >= 0 && age < hoursMax * 3_600_000 && Array.isArray(kept.route?.points)) return kept;
    } catch {
      // Nothing there, or not readable.
    }
    this.clear();
    return null;
  }

  /** Keeps a walk; without its floor plans if they are too large. */
  save(walk) {
    for (const kept of [walk, { ...walk, floors: [] }]) {
      const text = JSON.stringify(kept);
      if (text.length > charactersMax) continue;
      try {
        this.#storage.setItem(key, text);
        return;
      } catch {
        // The storage is full or closed: the walk lasts until the page is closed.
      }
    }
  }

  clear() {
    try {
      this.#storage.removeItem(key);
    } catch {
      // It was never kept.
    }
  }
}
