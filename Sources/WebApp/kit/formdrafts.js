// Drafts of forms: they survive a reload and are erased with the account.

const draftsMax = 20;

/** Drafts under a prefix of their own: `{read(account, key), write(account, key, draft), clear()}`. */
export function makeFormDrafts(prefix) {
  const keyOf = (account, key) => `${prefix}${account}.${key}`;
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  return {
    /** What `write` was given, or null. */
    read(account, key) {
      try {
        return JSON.parse(localStorage.getItem(keyOf(account, key)));
      } catch {
        return null;
      }
    },
    /** Keeps it, or forgets it when it is null. A browser that stores nothing keeps no drafts. */
    write(account, given, draft) {
      const key = keyOf(account, given);
      try {
        if (draft === null) localStorage.removeItem(key);
        else if (localStorage.getItem(key) !== null || keys().length < draftsMax) localStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // Storage is full or blocked: what was written is still in the form.
      }
    },
    /** Forgets all, but those of the account `except` when one is given. */
    clear(except = null) {
      for (const key of keys()) if (except === null || !key.startsWith(keyOf(except, ""))) localStorage.removeItem(key);
    },
  };
}
