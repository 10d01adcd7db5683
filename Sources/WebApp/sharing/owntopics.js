// The topics of the account's own shares: what viewers of a share get, and how many watch it. No DOM.

/** The server sends the number of viewers soon after a subscription; without it, the number known before may be wrong. */
const watchingMilliseconds = 3_000;

/** Subscriptions to the account's own shares. */
export class OwnShareTopics {
  #net;
  #on;
  #subscriptions = new Map();
  /** What viewers get of each share, by its number. */
  #states = new Map();

  /**
   * `find(id)` returns the listed share. `state(set)` is called with a new state, which `set()` stores. `changed(share, type)` is
   * called after a push changed the share, `closed(id)` when it has ended, and `reload()` when the list has to be loaded again.
   */
  constructor(net, { find, state, changed, closed, reload }) {
    this.#net = net;
    this.#on = { find, state, changed, closed, reload };
  }

  /** What viewers get of these shares together: `live`, `hidden`, `old` or `none`; null while it is not known. */
  stateOf(ids) {
    const states = ids.map((id) => this.#states.get(id) ?? null);
    return ["live", "hidden", "old", "none"].find((state) => states.includes(state)) ?? null;
  }

  /** Subscribes to these shares, and to no others. */
  watch(ids) {
    const wanted = new Set(ids);
    for (const [id, subscription] of this.#subscriptions) {
      if (wanted.has(id)) continue;
      subscription.close();
      this.#subscriptions.delete(id);
      this.#states.delete(id);
    }
    for (const id of wanted) if (!this.#subscriptions.has(id)) this.#subscribe(id);
  }

  #subscribe(id) {
    let isCounted = false;
    this.#subscriptions.set(id, this.#net.subscribe(`share/${id}`, {
      snapshot: (data) => {
        this.#setState(id, data?.state);
        isCounted = false;
        setTimeout(() => { if (!isCounted && this.#on.find(id)?.watching > 0) this.#on.reload(); }, watchingMilliseconds);
      },
      push: (message) => {
        const share = this.#on.find(id);
        if (!share) return;
        if (message.type === "closed") return void this.#on.closed(id);
        if (message.type === "watching") isCounted = true;
        else this.#setState(id, message.state);
        this.#apply(share, message);
      },
      error: (error) => { if (!error.isTransient) this.#on.reload(); },
    }));
  }

  #apply(share, { type, watching, precision, expiresAt }) {
    const before = JSON.stringify(share);
    Object.assign(share, type === "watching" ? { watching: watching ?? 0 }
      : { ...(precision && { precision }), ...(expiresAt && { expiresAt }) });
    if (JSON.stringify(share) !== before) this.#on.changed(share, type);
  }

  #setState(id, state = null) {
    this.#on.state(() => { if (state !== null) this.#states.set(id, state); });
  }
}
