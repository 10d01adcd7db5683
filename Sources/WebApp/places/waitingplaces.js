// Changes of saved places that wait for the connection, as the list shows them. Pure.

/** The saved places with the changes of `waiting` (see `WriteQueue`), the latest first; those that are not saved yet have `isWaiting`. */
export function withWaiting(places, waiting) {
  let shown = places;
  for (const { method, subject, params, shown: place } of waiting) {
    if (method === "saved.remove") shown = shown.filter(({ id }) => id !== subject);
    if (method !== "saved.save") continue;
    if (params.clientId) shown = [{ ...place, id: subject, name: params.name, isWaiting: true }, ...shown];
    else shown = shown.map((one) => (one.id === subject ? { ...one, name: params.name, isWaiting: true } : one));
  }
  return shown.toSorted((one, other) => Date.parse(other.savedAt) - Date.parse(one.savedAt));
}
