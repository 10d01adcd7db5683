// What was begun in an event's form: it survives a reload and is gone with the account.

const prefix = "campanile.eventForm.";
const draftsMax = 20;

const keyOf = (account, event) => `${prefix}${account}.${event ?? "new"}`;

/** What `writeEventDraft` was given, or null. `event` is null for a new one. */
export function readEventDraft(account, event) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(account, event)));
  } catch {
    return null;
  }
}

/** Keeps it, or forgets it when it is null. A browser that stores nothing keeps no drafts. */
export function writeEventDraft(account, event, draft) {
  const key = keyOf(account, event);
  try {
    if (draft === null) localStorage.removeItem(key);
    else if (localStorage.getItem(key) !== null || keys().length < draftsMax) localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is full or blocked: what was written is still in the form.
  }
}

/** Forgets all of everybody's. */
export function clearEventDrafts() {
  for (const key of keys()) localStorage.removeItem(key);
}

function keys() {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
}
