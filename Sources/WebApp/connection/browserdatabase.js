// A database of IndexedDB: opened when it is first used, and again after the browser closed it. No DOM.

export class BrowserDatabase {
  #name;
  #stores;
  #opening = null;

  /**
   * @param {string} name
   * @param {Record<string, IDBObjectStoreParameters>} stores Options of each object store. A change of them needs another name.
   */
  constructor(name, stores) {
    this.#name = name;
    this.#stores = stores;
  }

  /** Runs `body(stores)` in a transaction, and resolves with the result of the request that it returns. */
  async run(mode, body) {
    /** @type {any} */
    let request;
    await this.transact(mode, (stores) => { request = body(stores); });
    return request.result;
  }

  /** Runs `body(stores)` in a transaction, and resolves when that is committed. */
  async transact(mode, body) {
    const database = await this.#open();
    await new Promise((resolve, reject) => {
      const names = Object.keys(this.#stores);
      const transaction = database.transaction(names, mode);
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("The browser couldn't store this."));
      body(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])));
    });
  }

  #open() {
    this.#opening ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => {
        for (const [name, options] of Object.entries(this.#stores)) request.result.createObjectStore(name, options);
      };
      request.onsuccess = () => {
        const database = request.result;
        const closed = () => { this.#opening = null; };
        database.onclose = closed;
        database.onversionchange = () => {
          database.close();
          closed();
        };
        resolve(database);
      };
      request.onerror = () => {
        this.#opening = null;
        reject(request.error);
      };
    });
    return this.#opening;
  }
}
