// The id of this browser among the devices that guide a training. No DOM.

import { uuid } from "../client/uuid.js";

const key = "campanile.trainingDevice";

/** A UUID that stays for this browser; without storage it stays for this document. */
let made = null;
export function deviceID(storage = localStorage) {
  try {
    const kept = storage.getItem(key);
    if (kept) return kept;
    made ??= uuid();
    storage.setItem(key, made);
  } catch {
    made ??= uuid();
  }
  return made;
}
