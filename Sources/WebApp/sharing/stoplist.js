// Shares that are to be stopped, kept on this device until the server has stopped them. No DOM.

/** Each account has its own list: it waits while another account is signed in. */
const keyOf = (account) => `campanile.sharesToStop.${account}`;

/** Numbers of shares that the server has to stop; `all` stands for all shares. All tabs have the same list. */
export class StopList {
  /** Additions during an iteration are part of it. */
  ids = new Set();

  #account = null;

  /** Changes to the list of another account; null for nobody. */
  use(account) {
    this.#account = account;
    this.ids = new Set(account === null ? [] : readList(localStorage.getItem(keyOf(account))));
  }

  get isEmpty() {
    return this.ids.size === 0;
  }

  /** Whether a share is to be stopped. */
  includes(id) {
    return this.ids.has("all") || this.ids.has(id);
  }

  /** Adds a share, or `all`. The list survives the page. */
  add(id) {
    this.ids.add(id);
    this.#keep();
  }

  /** Removes a share that the server has stopped. */
  settle(id) {
    this.ids.delete(id);
    this.#keep(id);
  }

  /** Stores the list. What other tabs have added stays, except `settled`. */
  #keep(settled = null) {
    const key = keyOf(this.#account);
    const kept = new Set([...readList(localStorage.getItem(key)), ...this.ids]);
    kept.delete(settled);
    if (kept.size === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify([...kept]));
  }

  /**
   * Takes over what another tab has stored, as in the `storage` event. Returns the shares that the other tab has settled, or null for
   * another key. A tab that the browser froze gets old events one after the other: only the list stored now counts.
   */
  merge({ key, oldValue, newValue }) {
    if (this.#account === null || key !== keyOf(this.#account)) return null;
    const now = localStorage.getItem(key);
    const kept = new Set(readList(now));
    const settled = readList(oldValue).filter((id) => !kept.has(id) && this.ids.has(id));
    for (const id of settled) this.ids.delete(id);
    // The other tab did not know of a share that this tab stops. If the list was written again since, that may have settled it.
    const isOwnMissing = now === newValue && [...this.ids].some((id) => !kept.has(id));
    for (const id of kept) this.ids.add(id);
    if (isOwnMissing) this.#keep();
    return settled;
  }
}

/** A stored list; an empty one if the text is not a list. */
export function readList(text) {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
