// The answer "Not now" to the question before a workout, and where the question leads back to. Pure but for the storage that is given.

/** A person without body data who answered "Not now" is not asked again on this device for four weeks. */
const quietMilliseconds = 28 * 86_400_000;
const keyOf = (account) => `campanile.bodyNotNow.${account}`;

/** Whether the person answered "Not now" within the last four weeks. A time in the future is that of a clock that was wrong. */
export function isQuiet(storage, account, now) {
  const age = now - Number(storage.getItem(keyOf(account)) ?? NaN);
  return age >= 0 && age < quietMilliseconds;
}

/** Remembers that the person answered "Not now". */
export function keepQuiet(storage, account, now) {
  try {
    storage.setItem(keyOf(account), String(now));
  } catch {
    // A browser without room asks again.
  }
}

/** The page to go back to, of the query of a guided session: the live group that it is part of, or null. */
export const groupPath = (query) => (query.get("together") ? `/together/${encodeURIComponent(query.get("together"))}` : null);
