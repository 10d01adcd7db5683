// What a client keeps between two runs of the program: the sign-in, the device's own token, and the server's clock.

const keys = { token: "campanile.token", account: "campanile.account", device: "campanile.device", offset: "campanile.clockOffset" };

/**
 * Storage of texts by key, as `localStorage` is.
 * @typedef {object} TextStorage
 * @property {(key: string) => string | null} getItem
 * @property {(key: string, value: string) => void} setItem
 * @property {(key: string) => void} removeItem
 */

/** Storage in memory: everything is gone when the program ends. */
export class MemoryStorage {
  #values = new Map();

  /** @param {string} key */
  getItem(key) {
    return this.#values.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    this.#values.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.#values.delete(key);
  }
}

/**
 * The values that a client keeps in a storage. The account is read once: a client stays signed in when another program that shares the
 * storage signs out, and signs out without ending the sign-in of another account there. A newer token of the same account is taken over
 * from such a program.
 */
export class Credentials {
  #storage;
  #token;
  #account;

  /** @param {TextStorage} storage */
  constructor(storage) {
    this.#storage = storage;
    this.#token = storage.getItem(keys.token);
    this.#account = this.#token ? parsed(storage.getItem(keys.account)) : null;
  }

  /** Token of the sign-in; null for a guest. */
  get token() {
    // The server has replaced it, and gave the new one to another program: the old one ends soon.
    if (this.#token && this.#isOfThisAccount()) this.#token = this.#storage.getItem(keys.token);
    return this.#token;
  }

  /** Whether the storage has a token of this account. */
  #isOfThisAccount() {
    const stored = this.#storage.getItem(keys.token);
    if (!stored || stored === this.#token || !this.#account) return false;
    return parsed(this.#storage.getItem(keys.account))?.id === this.#account.id;
  }

  /** The server replaces a token by another one, which every program that shares the storage then uses. */
  rotated(from, to) {
    // Another program may have signed in to another account, or out.
    if (this.#storage.getItem(keys.token) === from) this.#storage.setItem(keys.token, to);
    this.#token = to;
  }

  set token(value) {
    const isOthers = value === null && this.#isOfOtherAccount();
    this.#token = value;
    if (!isOthers) this.#keep(keys.token, value);
  }

  /**
   * The account as the server last described it; null for a guest.
   * @returns {import("./registrytypes.js").Account | null}
   */
  get account() {
    return this.#account;
  }

  set account(value) {
    const isOthers = value === null && this.#isOfOtherAccount();
    this.#account = value;
    if (!isOthers) this.#keep(keys.account, value && JSON.stringify(value));
  }

  /** Token that proves that this device has signed in before. It stays after signing out. */
  get device() {
    return this.#storage.getItem(keys.device);
  }

  set device(value) {
    this.#keep(keys.device, value);
  }

  /** Server time minus local time, in ms, as last measured. */
  get clockOffset() {
    return Number(this.#storage.getItem(keys.offset) ?? 0);
  }

  set clockOffset(value) {
    this.#keep(keys.offset, String(Math.round(value)));
  }

  /** Whether another program has signed in to another account meanwhile. */
  #isOfOtherAccount() {
    const stored = this.#storage.getItem(keys.token);
    const owner = parsed(this.#storage.getItem(keys.account))?.id ?? null;
    return Boolean(stored) && owner !== null && stored !== this.#token && owner !== (this.#account?.id ?? null);
  }

  #keep(key, value) {
    if (value === null) this.#storage.removeItem(key);
    else this.#storage.setItem(key, value);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Whether two accounts have the same members, in any order; null is a guest. */
export function isSameAccount(one, other) {
  const sorted = (account) => account && JSON.stringify(Object.entries(account).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}
