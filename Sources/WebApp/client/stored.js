// Values that localStorage keeps as JSON.

/** The value of a key; null when there is none, or when it cannot be read. */
export function storedJSON(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
