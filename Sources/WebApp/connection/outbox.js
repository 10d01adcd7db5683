// Tracked points that are not acknowledged yet, in IndexedDB: they survive a reload and a lost network (U-4.3).

import { Database } from "./database.js";
import { deleteRecords } from "./records.js";

/** Sessions by `clientId`, and entries in the order they were made. */
export class Outbox {
  #database = new Database("campanile", {
    sessions: { keyPath: "clientId" },
    entries: { keyPath: "order", autoIncrement: true },
  });

  /** Rejects when the browser does not let us store anything. */
  async open() {
    await this.#database.open();
    return this;
  }

  /** All sessions kept here. */
  sessions() {
    return this.#database.run("readonly", ({ sessions }) => sessions.getAll());
  }

  /** Stores the session as it is now and, in the same transaction, the entry if there is one. */
  save(session, entry = null) {
    return this.#database.run("readwrite", ({ sessions, entries }) => {
      if (entry) entries.add(entry);
      return sessions.put(session);
    });
  }

  /** The oldest `limit` entries of an account, in order; `isWanted(entry)` may leave some out. */
  async head(account, limit, isWanted = (_entry) => true) {
    const oldest = await this.#database.run("readonly", ({ entries }) => entries.getAll(null, limit));
    const fits = (entry) => entry.account === account && isWanted(entry);
    if (oldest.length < limit || oldest.every(fits)) return oldest.filter(fits);
    const found = [];
    await this.#database.transact("readonly", ({ entries }) => {
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
    const all = await this.#database.run("readonly", ({ entries }) => entries.getAll());
    return all.filter((entry) => entry.clientId === clientId);
  }

  /** All unsent points of one session, in order. */
  async pointsOf(clientId) {
    return (await this.entriesOf(clientId)).filter(({ kind }) => kind === "point");
  }

  /** All that waits of an account, in order. */
  async entriesBy(account) {
    const all = await this.#database.run("readonly", ({ entries }) => entries.getAll());
    return all.filter((entry) => entry.account === account);
  }

  /** Removes acknowledged entries and stores the session they changed, together. */
  settle(orders, session) {
    return this.#database.run("readwrite", ({ sessions, entries }) => {
      for (const order of orders) entries.delete(order);
      return session ? sessions.put(session) : entries.count();
    });
  }

  /** Forgets a session and all that waits for it. */
  async forget(clientId) {
    await this.#database.transact("readwrite", ({ sessions, entries }) => {
      sessions.delete(clientId);
      deleteRecords(entries, (entry) => entry.clientId === clientId);
    });
  }

  /** Forgets all that an account recorded here, sent or not. */
  async forgetAccount(account) {
    await this.#database.transact("readwrite", (stores) => {
      for (const store of Object.values(stores)) deleteRecords(store, (record) => record.account === account);
    });
  }
}
