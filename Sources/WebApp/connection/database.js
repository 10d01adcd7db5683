// Databases of IndexedDB.

/** A database that is opened when it is first used, and again after the browser closed it. */
export class Database {
  #name;
  #stores;
  #durability;
  #opening = null;

  /**
   * `stores`: the options of `createObjectStore` by name. A change of them needs another name. With `strict` durability a write is on the
   * disk when it resolves; `relaxed` leaves that to the system, and saves battery.
   * @param {string} name
   * @param {Record<string, IDBObjectStoreParameters>} stores
   * @param {IDBTransactionDurability} durability
   */
  constructor(name, stores, durability = "strict") {
    this.#name = name;
    this.#stores = stores;
    this.#durability = durability;
  }

  /** Rejects when the browser does not let us store anything; the next use tries again. */
  open() {
    if (this.#opening) return this.#opening;
    const opening = new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => {
        for (const [name, options] of Object.entries(this.#stores)) request.result.createObjectStore(name, options);
      };
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = () => { this.#opening = null; };
        database.onversionchange = () => {
          database.close();
          this.#opening = null;
        };
        resolve(database);
      };
      request.onerror = () => reject(request.error);
    });
    opening.catch(() => { this.#opening = null; });
    this.#opening = opening;
    return opening;
  }

  /** Runs `body(stores)` in a transaction over all stores, by name, and resolves with the result of the request that it returns. */
  async run(mode, body) {
    /** @type {any} */
    let request;
    await this.transact(mode, (stores) => { request = body(stores); });
    return request.result;
  }

  /** Runs `body(stores)` in a transaction over all stores, by name, and resolves when what it wrote is stored. */
  async transact(mode, body) {
    const database = await this.open();
    await new Promise((resolve, reject) => {
      const names = Object.keys(this.#stores);
      const transaction = database.transaction(names, mode, { durability: this.#durability });
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("The browser couldn't store this."));
      body(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])));
    });
  }
}
