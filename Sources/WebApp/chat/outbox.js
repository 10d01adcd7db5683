// Messages that are not sent yet, in IndexedDB: they survive a reload and a lost network. One store for all tabs.

import { deleteRecords } from "../connection/records.js";

const databaseName = "campanile-chat";
const databaseVersion = 1;

/** Entries `{id, order, account, conversation, at, text?, blob?, width?, height?, reply?, pictureId?, problem?}` by `id`, a UUID. */
export class ChatOutbox {
  #opening = null;

  /** Entries of an account, in the order of writing. */
  async entries(account) {
    const all = await this.#run("readonly", (store) => store.getAll());
    return all.filter((entry) => entry.account === account).sort((a, b) => a.order - b.order);
  }

  /** Adds the entry behind all others, or replaces the one with its id. */
  put(entry) {
    return this.#run("readwrite", (store) => store.put(entry));
  }

  /** Replaces the entry with this id, if it is still there: another tab may have sent or deleted it. */
  async change(id, changes) {
    await this.#transact("readwrite", (store) => {
      const reading = store.get(id);
      reading.onsuccess = () => { if (reading.result) store.put({ ...reading.result, ...changes }); };
    });
  }

  /** Removes an entry. */
  remove(id) {
    return this.#run("readwrite", (store) => store.delete(id));
  }

  /** Removes all entries of an account. */
  forgetAccount(account) {
    return this.#transact("readwrite", (store) => {
      deleteRecords(store, (entry) => entry.account === account);
    });
  }

  async #run(mode, body) {
    /** @type {any} */
    let request;
    await this.#transact(mode, (store) => { request = body(store); });
    return request.result;
  }

  async #transact(mode, body) {
    const database = await this.#open();
    await new Promise((resolve, reject) => {
      const transaction = database.transaction("messages", mode, { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("The browser couldn't store this."));
      body(transaction.objectStore("messages"));
    });
  }

  #open() {
    this.#opening ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(databaseName, databaseVersion);
      request.onupgradeneeded = () => request.result.createObjectStore("messages", { keyPath: "id" });
      request.onsuccess = () => {
        request.result.onversionchange = () => { request.result.close(); this.#opening = null; };
        resolve(request.result);
      };
      request.onerror = () => { this.#opening = null; reject(request.error); };
    });
    return this.#opening;
  }
}
