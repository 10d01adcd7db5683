// The topics of a connection that somebody reads, kept over reconnects. No DOM.

export class Subscriptions {
  /** Subscriptions by topic: `{topic, share, since, handlers}`. */
  #byTopic = new Map();
  #request;
  #isReady;

  /** `request(method, params)` sends; `isReady()` is whether that is possible now. */
  constructor({ request, isReady }) {
    this.#request = request;
    this.#isReady = isReady;
  }

  /** Adds a subscription: `{close(), again()}`; see `Connection.subscribe`. */
  add(topic, handlers, { share = null, since = null } = {}) {
    const subscription = { topic, share, since, handlers };
    const others = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, others.add(subscription));
    const send = () => { if (this.#isReady()) this.#send(subscription); };
    send();
    return { close: () => this.#remove(subscription), again: send };
  }

  /** Sends all of them again, on a new connection or as another account. */
  renew() {
    for (const subscriptions of this.#byTopic.values()) for (const subscription of subscriptions) this.#send(subscription);
  }

  push({ topic, data, epoch, offset }) {
    for (const { handlers } of this.#byTopic.get(topic) ?? []) handlers.push?.(data, { epoch, offset });
  }

  async #send(subscription) {
    const { topic, share, handlers } = subscription;
    const since = subscription.since?.() ?? null;
    const isCurrent = () => this.#byTopic.get(topic)?.has(subscription);
    try {
      const result = await this.#request("subscribe", { topic, ...(share && { share }), ...(since && { since }) });
      if (!isCurrent()) return;
      handlers.snapshot?.(result.snapshot);
      if (handlers.reply?.(result) === true) this.#send(subscription);
    } catch (error) {
      // A connection that went away subscribes again by itself.
      if (!error.isOffline && isCurrent()) handlers.error?.(error);
    }
  }

  #remove(subscription) {
    const { topic } = subscription;
    const subscriptions = this.#byTopic.get(topic);
    if (!subscriptions?.delete(subscription) || subscriptions.size > 0) return;
    this.#byTopic.delete(topic);
    if (this.#isReady()) this.#request("unsubscribe", { topic }).catch(() => {});
  }
}
