// Changes that may be made without a network: they wait in this browser, for all tabs, until the server has them. No DOM.

import { retryDelay } from "../client/backoff.js";
import { Timer, systemScheduler } from "../client/scheduler.js";
import { uuid } from "../client/uuid.js";

const prefix = "campanile.writes.";

/**
 * The methods whose requests may wait, with the object that each changes. The server does the same once, however often it gets the same
 * request, and a later request for an object replaces one that waits.
 */
const subjects = {
  "events.answer": ({ event }) => event,
  "events.save": ({ event }) => event,
  "saved.save": ({ clientId, id }) => clientId ?? id,
  "saved.remove": ({ id }) => id,
  "goals.save": () => "",
};

/**
 * Emits `change` when `waiting` may be another, `waits` when a change has to wait, and for a change that waited `sent` with
 * `detail: {method, params, reply}` or `refused` with `detail: {method, params, error}`.
 */
export class WriteQueue extends EventTarget {
  #net;
  #storage;
  #locks;
  #retry;
  #failures = 0;
  #isSending = false;

  /**
   * @param {any} net
   * @param {{storage?: Storage, scheduler?: import("../client/scheduler.js").Scheduler, locks?: any}} options
   */
  constructor(net, { storage = localStorage, scheduler = systemScheduler, locks = globalThis.navigator?.locks } = {}) {
    super();
    this.#net = net;
    this.#storage = storage;
    this.#locks = locks;
    this.#retry = new Timer(scheduler);
    for (const type of ["state", "account"]) net.addEventListener(type, () => this.#goOn());
    globalThis.addEventListener?.("storage", ({ key }) => { if (key === null || key.startsWith(prefix)) this.#changed(); });
  }

  /** Changes of the account that wait, `{id, method, subject, params, shown, at}`, in order. */
  get waiting() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      return Array.isArray(kept) ? kept.filter(({ method }) => method in subjects) : [];
    } catch {
      return [];
    }
  }

  /** The parameters of a change of an object that waits, or null. */
  find(method, subject) {
    return this.waiting.find((one) => one.method === method && one.subject === subject)?.params ?? null;
  }

  /**
   * Does a change. Resolves with the reply, or with null when it waits; rejects when the server refuses it. `shown` is what pages need to
   * draw it while it waits.
   */
  async write(method, params, shown = null) {
    const subject = subjects[method](params);
    if (this.#net.state === "live" && this.find(method, subject) === null) {
      try {
        return await this.#net.request(method, params);
      } catch (error) {
        // Without a reply it is not known whether it was done: it is sent again.
        if (!error.isUnanswered) throw error;
      }
    }
    const others = this.waiting.filter((one) => one.method !== method || one.subject !== subject);
    this.#keep([...others, { id: uuid(), method, subject, params, shown, at: Date.now() }]);
    this.dispatchEvent(new Event("waits"));
    this.#send();
    return null;
  }

  /** Gives up a change that waits. Returns whether there was one. */
  drop(method, subject) {
    const before = this.waiting;
    const after = before.filter((one) => one.method !== method || one.subject !== subject);
    if (after.length === before.length) return false;
    this.#keep(after);
    return true;
  }

  get #key() {
    return prefix + this.#net.account?.id;
  }

  #keep(waiting) {
    if (waiting.length > 0) this.#storage.setItem(this.#key, JSON.stringify(waiting));
    else this.#storage.removeItem(this.#key);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  #goOn() {
    this.#retry.clear();
    this.#failures = 0;
    this.#changed();
    this.#send();
  }

  async #send() {
    if (this.#isSending || this.#net.state !== "live" || !this.#net.account || this.waiting.length === 0) return;
    this.#isSending = true;
    this.#retry.clear();
    try {
      // Of several tabs one sends.
      const isDone = await (this.#locks ? this.#locks.request("campanile.writes", () => this.#sendAll()) : this.#sendAll());
      if (!isDone && this.#net.state === "live") this.#retry.set(retryDelay(this.#failures), () => { this.#send(); });
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends one after the other; resolves to whether none waits any more. */
  async #sendAll() {
    const account = this.#net.account?.id;
    for (let [first] = this.waiting; first; [first] = this.waiting) {
      const { id, method, params } = first;
      let outcome;
      try {
        outcome = { type: "sent", detail: { method, params, reply: await this.#net.request(method, params) } };
      } catch (error) {
        if (error.isTransient || error.isUnauthenticated) {
          this.#failures += 1;
          return false;
        }
        outcome = { type: "refused", detail: { method, params, error } };
      }
      if (account !== this.#net.account?.id) return false;
      this.#failures = 0;
      // A later change of the same object has replaced it.
      this.#keep(this.waiting.filter((one) => one.id !== id));
      this.dispatchEvent(new CustomEvent(outcome.type, { detail: outcome.detail }));
    }
    return true;
  }
}
