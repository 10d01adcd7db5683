// As much of IndexedDB as `Database` uses, in memory.

/** Databases by name, each `{store: Map}`; removed and added ones are seen by the next transaction. */
export function fakeIndexedDB() {
  const databases = new Map();
  const answer = (result) => {
    const request = { result, onsuccess: null };
    queueMicrotask(() => request.onsuccess?.({ target: request }));
    return request;
  };
  const storeOf = (rows, keyPath) => ({
    get: (key) => answer(rows.get(key)), getAll: () => answer([...rows.values()]),
    put: (value) => answer(void rows.set(value[keyPath], structuredClone(value))), delete: (key) => answer(void rows.delete(key)),
  });
  const databaseOf = (stores) => ({
    createObjectStore: (name, { keyPath }) => { stores[name] = { keyPath, rows: new Map() }; },
    transaction() {
      const transaction = { objectStore: (name) => storeOf(stores[name].rows, stores[name].keyPath), oncomplete: null };
      setImmediate(() => transaction.oncomplete?.());
      return transaction;
    },
  });
  return {
    databases,
    open(name) {
      const isNew = !databases.has(name);
      if (isNew) databases.set(name, {});
      const request = { result: databaseOf(databases.get(name)), onsuccess: null, onupgradeneeded: null };
      queueMicrotask(() => {
        if (isNew) request.onupgradeneeded?.();
        request.onsuccess?.();
      });
      return request;
    },
  };
}

/** As a browser has it: the keys are properties. */
export class FakeStorage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = String(value); }
  removeItem(key) { delete this[key]; }
}
