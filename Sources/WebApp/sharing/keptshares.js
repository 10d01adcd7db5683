// The user's own shares as this device received them last: a page that is loaded without a network shows them and can stop them. No DOM.

const prefix = "campanile.shares.";
/** As many as the server lets work at once. */
const keptMax = 20;

/** Shares of one account. Shares that are read back have `isKept`: they may be over, and the number of viewers is not known. */
export class KeptShares {
  #key = null;

  /** Changes to another account, and removes the kept shares of others; null for nobody. */
  use(account) {
    const key = account === null ? null : prefix + account;
    const isOld = (other) => other !== key && (account === null ? other === this.#key : other.startsWith(prefix));
    for (const other of Object.keys(localStorage)) if (isOld(other)) localStorage.removeItem(other);
    this.#key = key;
  }

  /** Shares that are not over at `now`, ms by the server's clock. */
  read(now) {
    return this.#list().filter(({ expiresAt }) => Date.parse(expiresAt) > now).map((share) => ({ ...share, watching: null, isKept: true }));
  }

  /** The server's word: there are these and no others. */
  replace(shares) {
    if (this.#key === null) return;
    try {
      if (shares.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify(shares.slice(0, keptMax).map(partOf)));
    } catch {
      // Storage is full or blocked: the server has them.
    }
  }

  /** One that began or was changed. */
  put(share) {
    this.replace([share, ...this.#list().filter(({ id }) => id !== share.id)]);
  }

  /** One that is over, or `all`. */
  drop(id) {
    this.replace(id === "all" ? [] : this.#list().filter((share) => share.id !== id));
  }

  #list() {
    try {
      const list = JSON.parse(localStorage.getItem(this.#key));
      return Array.isArray(list) ? list.filter((share) => Number.isSafeInteger(share?.id) && Number.isFinite(Date.parse(share.expiresAt)))
        : [];
    } catch {
      return [];
    }
  }
}

/** The members that name a share and stop it. */
function partOf({ id, audience, precision, person, groupName, session, startedAt, expiresAt }) {
  return { id, audience, precision, ...(person && { person: { name: person.name } }), groupName, session, startedAt, expiresAt };
}
