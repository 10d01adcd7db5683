// Trainings that this device guides, in IndexedDB: they survive a reload, a killed browser and a lost network.

import { Database } from "./database.js";
import { deleteRecords } from "./records.js";

/** The store: `{key, account, id, …}` each. A write that has resolved is on the disk. */
export class TrainingRecords {
  #database = new Database("campanile-trainings", { records: { keyPath: "key" } });

  /** The record of a training, or null. */
  async get(account, id) {
    return (await this.#database.run("readonly", ({ records }) => records.get(keyOf(account, id)))) ?? null;
  }

  /** All records of an account. */
  async all(account) {
    const records = await this.#database.run("readonly", (stores) => stores.records.getAll());
    return records.filter((record) => record.account === account);
  }

  put(record) {
    return this.#database.run("readwrite", ({ records }) => records.put({ ...record, key: keyOf(record.account, record.id) }));
  }

  remove(account, id) {
    return this.#database.run("readwrite", ({ records }) => records.delete(keyOf(account, id)));
  }

  /** Forgets all that an account did here, sent or not. */
  async forgetAccount(account) {
    await this.#database.transact("readwrite", ({ records }) => deleteRecords(records, (record) => record.account === account));
  }
}

const keyOf = (account, id) => `${account} ${id}`;
