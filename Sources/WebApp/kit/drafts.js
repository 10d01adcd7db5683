// Drafts: texts and forms that were not sent. They survive a reload. Every sign-out removes them, except one whose cause is `changed`: then
// they wait for the same account (`returning` of the client).

const draftsMax = 20;
const keepAfterMilliseconds = 250;

/** Drafts of one kind in this browser. The key of each is `prefix`, the account's number, a full stop and a key of the caller's. */
export class Drafts {
  #prefix;
  #most;

  /**
   * @param {string} prefix Such as `campanile.draft.`: `account/forgetting.js` finds the account's number behind it.
   * @param {{most?: number}} options `most`: the number of drafts that are kept.
   */
  constructor(prefix, { most = draftsMax } = {}) {
    this.#prefix = prefix;
    this.#most = most;
  }

  /** The draft that was written last, or null. */
  read(account, key) {
    try {
      return JSON.parse(localStorage.getItem(this.#keyOf(account, key)));
    } catch {
      return null;
    }
  }

  /**
   * Keeps the draft, or removes it when it is null. When there are as many drafts of this kind as allowed, over all accounts of this
   * browser, a new one is not kept; those that are there can still be changed. A browser without storage keeps no drafts.
   */
  write(account, key, draft) {
    const stored = this.#keyOf(account, key);
    try {
      if (draft === null) localStorage.removeItem(stored);
      else if (localStorage.getItem(stored) !== null || this.#keys.length < this.#most) localStorage.setItem(stored, JSON.stringify(draft));
    } catch {
      // Storage is full or blocked: the text is still on the page.
    }
  }

  /** Removes the drafts of all accounts, except those of `except` when it is given. */
  clear(except = null) {
    const kept = except === null ? null : this.#keyOf(except, "");
    for (const key of this.#keys) if (kept === null || !key.startsWith(kept)) localStorage.removeItem(key);
  }

  get #keys() {
    return Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix));
  }

  #keyOf(account, key) {
    return `${this.#prefix}${account}.${key}`;
  }
}

/** Calls a function that writes a draft: a moment after the last change, and when the page goes. */
export class DraftTimer {
  #keep;
  #wait;
  #timer = 0;
  // A phone may end the page without another event.
  #onHide = () => this.keepNow();

  /** @param {() => void} keep Writes the draft. */
  constructor(keep, { wait = keepAfterMilliseconds } = {}) {
    this.#keep = keep;
    this.#wait = wait;
    addEventListener("pagehide", this.#onHide);
  }

  /** Writes the draft a moment after the last call. */
  changed() {
    this.cancel();
    this.#timer = setTimeout(() => this.#keep(), this.#wait);
  }

  /** Writes the draft now. */
  keepNow() {
    this.cancel();
    this.#keep();
  }

  /** Drops a write that is due. */
  cancel() {
    clearTimeout(this.#timer);
  }

  close() {
    this.cancel();
    removeEventListener("pagehide", this.#onHide);
  }
}
