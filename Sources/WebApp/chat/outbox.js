// Messages that are not sent yet, in IndexedDB: they survive a reload and a lost network. One store for all tabs.

import { Database } from "../connection/database.js";
import { deleteRecords } from "../connection/records.js";

/** Entries `{id, order, account, conversation, at, text?, blob?, width?, height?, reply?, pictureId?, problem?}` by `id`, a UUID. */
export class ChatOutbox {
  #database = new Database("campanile-chat", { messages: { keyPath: "id" } });

  /** Entries of an account, in the order of writing. */
  async entries(account) {
    const all = await this.#database.run("readonly", ({ messages }) => messages.getAll());
    return all.filter((entry) => entry.account === account).sort((a, b) => a.order - b.order);
  }

  /** Adds the entry behind all others, or replaces the one with its id. */
  put(entry) {
    return this.#database.run("readwrite", ({ messages }) => messages.put(entry));
  }

  /** Replaces the entry with this id, if it is still there: another tab may have sent or deleted it. */
  async change(id, changes) {
    await this.#database.transact("readwrite", ({ messages }) => {
      const reading = messages.get(id);
      reading.onsuccess = () => { if (reading.result) messages.put({ ...reading.result, ...changes }); };
    });
  }

  /** Removes an entry. */
  remove(id) {
    return this.#database.run("readwrite", ({ messages }) => messages.delete(id));
  }

  /** Removes all entries of an account. */
  forgetAccount(account) {
    return this.#database.transact("readwrite", ({ messages }) => {
      deleteRecords(messages, (entry) => entry.account === account);
    });
  }
}
