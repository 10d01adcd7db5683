// Tracked points that are not acknowledged yet, in IndexedDB: they survive a reload and a lost network (U-4.3).

import { deleteRecords } from "./records.js";

const databaseName = "campanile";
const databaseVersion = 1;

/** Sessions by `clientId`, and entries in the order they were made. */
export class Outbox {
  #database = null;

  /** Rejects when the browser does not let us store anything. */
  async open() {
    this.#database ??= await new Promise((resolve, reject) => {
      const request = indexedDB.open(databaseName, databaseVersion);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("sessions", { keyPath: "clientId" });
        request.result.createObjectStore("entries", { keyPath: "order", autoIncrement: true });
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    this.#database.onversionchange = () => this.#database.close();
    return this;
  }

  /** All sessions kept here. */
  sessions() {
    return this.#run("readonly", ({ sessions }) => sessions.getAll());
  }

  /** Stores the session as it is now and, in the same transaction, the entry if there is one. */
  save(session, entry = null) {
    return this.#run("readwrite", ({ sessions, entries }) => {
      if (entry) entries.add(entry);
      return sessions.put(session);
    });
  }

  /** The oldest `limit` entries of an account, in order; `isWanted(entry)` may leave some out. */
  async head(account, limit, isWanted = (_entry) => true) {
    const oldest = await this.#run("readonly", ({ entries }) => entries.getAll(null, limit));
    const fits = (entry) => entry.account === account && isWanted(entry);
    if (oldest.length < limit || oldest.every(fits)) return oldest.filter(fits);
    const found = [];
    await this.#transact("readonly", ({ entries }) => {
      entries.openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) return;
        if (fits(cursor.value)) found.push(cursor.value);
        if (found.length < limit) cursor.continue();
      };
    });
    return found;
  }

  /** All that waits of one session, in order. */
  async entriesOf(clientId) {
    const all = await this.#run("readonly", ({ entries }) => entries.getAll());
    return all.filter((entry) => entry.clientId === clientId);
  }

  /** All unsent points of one session, in order. */
  async pointsOf(clientId) {
    return (await this.entriesOf(clientId)).filter(({ kind }) => kind === "point");
  }

  /** All that waits of an account, in order. */
  async entriesBy(account) {
    const all = await this.#run("readonly", ({ entries }) => entries.getAll());
    return all.filter((entry) => entry.account === account);
  }

  /** Removes acknowledged entries and stores the session they changed, together. */
  settle(orders, session) {
    return this.#run("readwrite", ({ sessions, entries }) => {
      for (const order of orders) entries.delete(order);
      return session ? sessions.put(session) : entries.count();
    });
  }

  /** Forgets a session and all that waits for it. */
  async forget(clientId) {
    await this.#transact("readwrite", ({ sessions, entries }) => {
      sessions.delete(clientId);
      deleteRecords(entries, (entry) => entry.clientId === clientId);
    });
  }

  /** Forgets all that an account recorded here, sent or not. */
  async forgetAccount(account) {
    await this.#transact("readwrite", (stores) => {
      for (const store of Object.values(stores)) deleteRecords(store, (record) => record.account === account);
    });
  }

  async #run(mode, body) {
    /** @type {IDBRequest} */
    let request;
    await this.#transact(mode, (stores) => { request = body(stores); });
    return request.result;
  }

  #transact(mode, body) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(["sessions", "entries"], mode, { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("The browser couldn't store this."));
      body({ sessions: transaction.objectStore("sessions"), entries: transaction.objectStore("entries") });
    });
  }
}
