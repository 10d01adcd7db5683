// The subscribed topics of a client, kept over reconnects. A reliable topic is recovered from the reader's position. No DOM.

import { retryDelay } from "./backoff.js";
import { Timer, systemScheduler } from "./scheduler.js";

/** Topics of which a subscriber gets only a part, so that an offset beyond the next one is no gap. */
const topicsWithGaps = new Set(["notices"]);

const isOffset = (value) => Number.isSafeInteger(value) && value >= 0;

/**
 * Position in the log of a reliable topic: of the last publication that was applied.
 * @typedef {{epoch: number, offset: number}} Position
 */

/**
 * What a subscriber does with what arrives. An exception in a handler does not disturb the connection: it is thrown again by itself.
 * @typedef {object} SubscriptionHandlers
 * @property {(data: any) => void} [snapshot] The whole state of a topic: after each subscription, also after a reconnect.
 * @property {(data: any) => void} [push] A change, or a message of a reliable topic without an offset.
 * @property {(data: any, position: Position, options: {isRecovered: boolean}) => void} [publication] The next publication of a reliable
 *   topic: each once, in order. `isRecovered`: it was published before the subscription.
 * @property {(reason: string) => void} [lost] Publications of a reliable topic are missing, because too much was missed. Its newest ones
 *   follow: forget what is known of the topic.
 * @property {(position: Position) => void} [caughtUp] All publications until now have been given.
 * @property {(error: import("./errors.js").RequestError) => void} [error] The server refused the subscription. A transient refusal is
 *   retried. Otherwise the next connection subscribes again.
 */

/**
 * @typedef {object} SubscriptionOptions
 * @property {string | null} [share] Token of a link, for `session/<id>` and `share/<id>`.
 * @property {Position | null | (() => Position | null)} [since] Reader's position in a reliable topic: publications after it follow. A
 *   function is called for each subscription; a value is moved along by the subscription. Default: the newest publications of the topic.
 */

/** A subscription. */
export class Subscription {
  /**
   * The last publication that was given; null before the first reply.
   * @type {Position | null}
   */
  position = null;

  #topic;
  #handlers;
  #share;
  #since;
  #owner;
  #isPending = false;
  #isClosed = false;
  #failures = 0;
  #retry;

  /**
   * @param {string} topic
   * @param {SubscriptionHandlers} handlers
   * @param {SubscriptionOptions} options
   * @param {{request: (method: string, params: any) => Promise<any>, isReady: () => boolean, remove: (one: Subscription) => void,
   *   scheduler: import("./scheduler.js").Scheduler}} owner
   */
  constructor(topic, handlers, { share = null, since = null }, owner) {
    this.#topic = topic;
    this.#handlers = handlers;
    this.#share = share;
    this.#since = since;
    this.#owner = owner;
    this.#retry = new Timer(owner.scheduler);
    if (typeof since !== "function") this.position = since;
  }

  get topic() {
    return this.#topic;
  }

  /** Ends the subscription. No handler is called any more. */
  close() {
    this.#isClosed = true;
    this.#retry.clear();
    this.#owner.remove(this);
  }

  /** Subscribes once more, from the reader's position. */
  again() {
    if (!this.#isClosed && this.#owner.isReady()) this.send();
  }

  /** The connection is lost. */
  suspend() {
    this.#retry.clear();
    this.#failures = 0;
    this.#isPending = false;
  }

  /** Sends the request; again for each page that follows. */
  async send() {
    this.#retry.clear();
    if (typeof this.#since === "function") this.position = this.#since();
    const since = this.position;
    const request = { topic: this.#topic, ...(this.#share && { share: this.#share }), ...(since && { since }) };
    this.#isPending = true;
    try {
      const result = await this.#owner.request("subscribe", request);
      this.#isPending = false;
      this.#failures = 0;
      if (!this.#isClosed) this.#take(result);
    } catch (error) {
      this.#isPending = false;
      this.#failed(error);
    }
  }

  /** @param {{data?: any, epoch?: number, offset?: number}} publication */
  take({ data, epoch, offset }) {
    if (offset === undefined || offset === null) {
      this.#call("push", data);
      return;
    }
    if (!isOffset(offset)) return;
    // Before the first reply the order is unknown: the reply has the publication, or the position that it follows.
    if (this.position === null) return;
    const isGap = epoch !== this.position.epoch || (offset > this.position.offset + 1 && !topicsWithGaps.has(this.#topic));
    if (!isGap) this.#publish(data, { epoch, offset }, false);
    else if (!this.#isPending) this.again();
  }

  #take(result) {
    if (!isOffset(result?.offset)) {
      this.#call("snapshot", result?.snapshot);
      return;
    }
    const { epoch, offset, reason, more, publications } = result;
    if (reason) {
      this.position = null;
      this.#call("lost", reason);
    }
    for (const one of Array.isArray(publications) ? publications : []) {
      if (isOffset(one?.offset)) this.#publish(one.data, { epoch, offset: one.offset }, true);
    }
    this.#moveTo({ epoch, offset });
    if (this.#isClosed) return;
    if (more) this.send();
    else this.#call("caughtUp", this.position);
  }

  /** Gives a publication, unless it was given before. */
  #publish(data, position, isRecovered) {
    if (this.#moveTo(position)) this.#call("publication", data, position, { isRecovered });
  }

  /** Moves on to a position; false if it is not new. */
  #moveTo(position) {
    if (this.position?.epoch === position.epoch && position.offset <= this.position.offset) return false;
    this.position = position;
    return true;
  }

  #failed(error) {
    // A connection that is lost subscribes again by itself.
    if (this.#isClosed || error.isOffline) return;
    this.#call("error", error);
    if (!error.isTransient || this.#isClosed) return;
    this.#retry.set(retryDelay(this.#failures, error.data?.retryAfter), () => this.again());
    this.#failures += 1;
  }

  #call(name, ...values) {
    if (this.#isClosed) return;
    try {
      this.#handlers[name]?.(...values);
    } catch (error) {
      queueMicrotask(() => { throw error; });
    }
  }
}

export class Subscriptions {
  /** @type {Map<string, Set<Subscription>>} */
  #byTopic = new Map();
  #parts;

  /** `request(method, params)` sends; `isReady()` is whether that is possible now. */
  constructor({ request, isReady, scheduler = systemScheduler }) {
    this.#parts = { request, isReady, scheduler };
  }

  /**
   * @param {string} topic
   * @param {SubscriptionHandlers} handlers
   * @param {SubscriptionOptions} [options]
   */
  add(topic, handlers, options = {}) {
    const subscription = new Subscription(topic, handlers, options, { ...this.#parts, remove: (one) => this.#remove(one) });
    this.#byTopic.set(topic, (this.#byTopic.get(topic) ?? new Set()).add(subscription));
    subscription.again();
    return subscription;
  }

  /** Sends all of them again, on a new connection. */
  renew() {
    this.renewAfter(() => {});
  }

  /** Runs `change`, then sends the earlier subscriptions again, as another account. Those that `change` adds are sent as they begin. */
  renewAfter(change) {
    const earlier = this.#all;
    change();
    for (const subscription of earlier) subscription.again();
  }

  /** The connection is lost. */
  suspend() {
    for (const subscription of this.#all) subscription.suspend();
  }

  /** @param {{topic: string, data?: any, epoch?: number, offset?: number}} publication */
  push(publication) {
    // A handler may end subscriptions.
    for (const subscription of Array.from(this.#byTopic.get(publication.topic) ?? [])) subscription.take(publication);
  }

  get #all() {
    return Array.from(this.#byTopic.values(), (subscriptions) => Array.from(subscriptions)).flat();
  }

  #remove(subscription) {
    const { topic } = subscription;
    const subscriptions = this.#byTopic.get(topic);
    if (!subscriptions?.delete(subscription) || subscriptions.size > 0) return;
    this.#byTopic.delete(topic);
    if (this.#parts.isReady()) this.#parts.request("unsubscribe", { topic }).catch(() => {});
  }
}
