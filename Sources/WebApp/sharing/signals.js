// Signals of the account's own topic that a list of sharing has changed. No DOM.

const collectMilliseconds = 200;

/** Subscription to the topic of an account. Signals that come shortly after each other count as one. */
export class SharingSignals {
  #net;
  #on;
  #subscription = null;
  #collected = new Set();
  #timer = 0;

  /**
   * `begin()` is called when the lists have to be loaded for the first time and after a lost connection, `privacy()` when the privacy
   * settings may have changed, and `changed(types)` with the set of signals: `share`, `where` or `resync`.
   */
  constructor(net, { begin, privacy, changed }) {
    this.#net = net;
    this.#on = { begin, privacy, changed };
  }

  /** Follows another account; null for nobody. */
  follow(account) {
    this.#subscription?.close();
    this.#subscription = null;
    clearTimeout(this.#timer);
    this.#collected.clear();
    if (account === null) return;
    this.#subscription = this.#net.subscribe(`user/${account}`, {
      snapshot: () => this.#on.begin(),
      push: ({ type }) => this.#take(type),
      // The lists are loaded without the signals, too.
      error: () => this.#on.begin(),
    });
  }

  #take(type) {
    if (type === "privacy" || type === "resync") this.#on.privacy();
    if (!["share", "where", "resync"].includes(type)) return;
    this.#collected.add(type);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const types = this.#collected;
      this.#collected = new Set();
      this.#on.changed(types);
    }, collectMilliseconds);
  }
}
