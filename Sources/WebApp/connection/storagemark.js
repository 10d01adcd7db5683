// Detects that the browser has removed what this device stored: a mark lies in both of its stores, and one of them is missing. No DOM.

import { uuid } from "../client/uuid.js";
import { Database } from "./database.js";

/** Of the marks in localStorage; `forget` removes them. */
export const markPrefix = "campanile.stored.";

/** The marks of accounts, in localStorage and in IndexedDB. */
export class StorageMark {
  #storage;
  #database = new Database("campanile-mark", { marks: { keyPath: "account" } });

  constructor(storage = localStorage) {
    this.#storage = storage;
  }

  /**
   * Sets the mark of `account`, null for a guest. Resolves with what is missing, `{store: "databases" | "local", waited}`, or with null.
   * `waited` is what `note` gave last.
   */
  async check(account) {
    const marks = await this.#database.run("readonly", (stores) => stores.marks.getAll());
    const lost = this.#lostOf(account, marks);
    if (account !== null) {
      const id = lost ? uuid() : this.#read(account)?.id ?? uuid();
      await this.#database.run("readwrite", (stores) => stores.marks.put({ account, id }));
      this.#write(account, { id, waited: this.#read(account)?.waited ?? "" });
    }
    // Reported once.
    const others = lost?.store === "local" ? marks.filter((mark) => mark.account !== account) : [];
    await Promise.all(others.map((mark) => this.forget(mark.account)));
    return lost;
  }

  /** Notes what waits to be sent in the databases, in words: the report of a loss names it. */
  note(account, waited) {
    const mark = this.#read(account);
    if (mark && mark.waited !== waited) this.#write(account, { ...mark, waited });
  }

  async forget(account) {
    try {
      // First: a mark of this store alone looks as if the browser had removed the other one.
      await this.#database.run("readwrite", (stores) => stores.marks.delete(account));
    } finally {
      this.#storage.removeItem(markPrefix + account);
    }
  }

  #lostOf(account, marks) {
    const mark = account === null ? null : this.#read(account);
    if (mark && marks.every((one) => one.account !== account || one.id !== mark.id)) return { store: "databases", waited: mark.waited };
    // The sign-in is gone, too.
    const isLocalLost = marks.length > 0 && marks.every((one) => this.#read(one.account) === null);
    return isLocalLost ? { store: "local", waited: "" } : null;
  }

  #read(account) {
    try {
      return JSON.parse(this.#storage.getItem(markPrefix + account));
    } catch {
      return null;
    }
  }

  #write(account, mark) {
    this.#storage.setItem(markPrefix + account, JSON.stringify(mark));
  }
}
