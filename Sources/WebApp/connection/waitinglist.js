// The changes that wait, as this browser keeps them for all tabs. No DOM.

import { RequestError } from "../client/errors.js";
import { waitingMethods } from "./waitingmethods.js";

const prefix = "campanile.writes.";
/** Copies of what the server has. They are removed when the storage is full and a change has to wait. */
const copyPrefixes = ["campanile.runners.", "campanile.events."];

export class WaitingList {
  #storage;
  #account;
  /** Changes, by id, whose request was sent in this document: the storage may have been too full to note it. */
  #tried = new Set();

  /**
   * @param {Storage} storage
   * @param {() => number | undefined} account Gives the account whose changes these are.
   */
  constructor(storage, account) {
    this.#storage = storage;
    this.#account = account;
  }

  /** Whether a key of the storage is that of such a list, or null, for all keys. */
  static isOf(key) {
    return key === null || key.startsWith(prefix);
  }

  /**
   * Changes of the account, `{id, method, subject, params, shown, at, isTried?, isSent?}`, in order. `isTried`: the server may have it, or
   * one that it replaced. `isSent`: it was sent itself.
   */
  get all() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      if (!Array.isArray(kept)) return [];
      return kept.filter(({ method }) => method in waitingMethods)
        .map((one) => (this.#tried.has(one.id) && !one.isSent ? { ...one, isTried: true, isSent: true } : one));
    } catch {
      return [];
    }
  }

  /** Throws a `RequestError` when there is no room. */
  set all(waiting) {
    if (waiting.length === 0) {
      this.#storage.removeItem(this.#key);
      return;
    }
    const text = JSON.stringify(waiting);
    try {
      this.#storage.setItem(this.#key, text);
    } catch {
      for (const copy of copyPrefixes) this.#storage.removeItem(copy + this.#account());
      try {
        this.#storage.setItem(this.#key, text);
      } catch {
        const text = "There's no room left in this browser to keep this until it's sent. Try again when you're back online.";
        throw new RequestError("notStored", text);
      }
    }
  }

  /** Notes, also for other tabs and after a reload, that the server may have a change. */
  noteTried(id) {
    if (this.#tried.has(id)) return;
    this.#tried.add(id);
    try {
      const { all } = this;
      this.all = all;
    } catch {
      // Storage is full: this document knows it.
    }
  }

  /** At a log-in nothing of other accounts stays. */
  forgetOthers() {
    if (this.#account() === undefined) return;
    for (const key of Object.keys(this.#storage)) if (key.startsWith(prefix) && key !== this.#key) this.#storage.removeItem(key);
  }

  get #key() {
    return prefix + this.#account();
  }
}
