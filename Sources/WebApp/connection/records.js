// Records of IndexedDB.

/** Deletes the records of a store for which `isUnwanted(record)`, within the store's transaction. */
export function deleteRecords(store, isUnwanted) {
  store.openCursor().onsuccess = ({ target: { result: cursor } }) => {
    if (!cursor) return;
    if (isUnwanted(cursor.value)) cursor.delete();
    cursor.continue();
  };
}
