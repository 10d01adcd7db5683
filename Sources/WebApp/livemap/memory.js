// The view of the live map when its page was left, so that it continues there. Kept for this tab alone.

const key = "campanile.map";
/** Number of the session whose row was chosen before the map was there. */
const chosenKey = "campanile.mapChosen";
const sheetStops = ["peek", "half", "full"];

/** Keeps `{isWhole, session, isPaused, lat, lon, zoom, sheet}`: whether it was the whole campus, and the followed session or null. */
export function keepMap(kept) {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // A browser that stores nothing begins with the whole campus each time.
  }
}

/** The kept view, or null. */
export function keptMap() {
  try {
    const { isWhole, session, isPaused, lat, lon, zoom, sheet } = JSON.parse(sessionStorage.getItem(key)) ?? {};
    if (![lat, lon, zoom].every(Number.isFinite)) return null;
    return {
      isWhole: isWhole === true, session: Number.isSafeInteger(session) ? session : null, isPaused: isPaused === true, lat, lon, zoom,
      sheet: sheetStops.includes(sheet) ? sheet : "half",
    };
  } catch {
    return null;
  }
}

/** Keeps the session that was chosen before the map was there, until it is; null forgets it. */
export function keepChosenRunner(session) {
  try {
    if (session === null) sessionStorage.removeItem(chosenKey);
    else sessionStorage.setItem(chosenKey, String(session));
  } catch {
    // A browser that stores nothing forgets it with a reload.
  }
}

/** The session that was chosen before the map was there, or null. */
export function chosenRunner() {
  try {
    return Number(sessionStorage.getItem(chosenKey)) || null;
  } catch {
    return null;
  }
}

/** Forgets both, when somebody logs out. */
export function forgetMap() {
  sessionStorage.removeItem(key);
  sessionStorage.removeItem(chosenKey);
}
