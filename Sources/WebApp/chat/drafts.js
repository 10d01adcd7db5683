// Unsent text by conversation: it survives a reload and is erased with the account.

const prefix = "campanile.draft.";
const draftsMax = 200;

const keyOf = (account, conversation) => `${prefix}${account}.${conversation}`;

/** `{text, reply}`, or null. `reply` is the offset of the message that is answered. */
export function readDraft(account, conversation) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(account, conversation)));
  } catch {
    return null;
  }
}

/** Keeps it, or forgets it when it is empty. A browser that stores nothing keeps no drafts. */
export function writeDraft(account, conversation, { text, reply = null }) {
  const key = keyOf(account, conversation);
  try {
    if (text.trim() === "" && reply === null) localStorage.removeItem(key);
    else if (localStorage.getItem(key) !== null || keys().length < draftsMax) localStorage.setItem(key, JSON.stringify({ text, reply }));
  } catch {
    // Storage is full or blocked: the text is still in the field.
  }
}

/** Forgets all of everybody's. */
export function clearDrafts() {
  for (const key of keys()) localStorage.removeItem(key);
}

function keys() {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
}
