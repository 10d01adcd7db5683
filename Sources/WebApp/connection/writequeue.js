// Changes that may be made without a network: they wait in this browser, for all tabs, until the server has them. No DOM.

import { retryDelay } from "../client/backoff.js";
import { RequestError } from "../client/errors.js";
import { errorCodes } from "../client/registry.js";
import { Timer, systemScheduler } from "../client/scheduler.js";
import { uuid } from "../client/uuid.js";
import { keptAt, noteKept } from "./keptage.js";
import { readersOf, withChanges } from "./waitingeffects.js";
import { expiryText, isReplaced, objectOf, waitingMethods } from "./waitingmethods.js";

const prefix = "campanile.writes.";
/** Copies of what the server has. They are removed when the storage is full and a change has to wait. */
const copyPrefixes = ["campanile.runners.", "campanile.events."];
/** After so many failures of a change in one connection, changes of other objects are sent before it. */
const failuresMax = 3;

/**
 * Emits `change` when `waiting` may be another, `waits` when a change has to wait, and for a change that waited `sent` with
 * `detail: {method, params, reply}` or `refused` with `detail: {method, params, shown, error}`.
 */
export class WriteQueue extends EventTarget {
  #net;
  #storage;
  #locks;
  #scheduler;
  #retry;
  #failures = 0;
  #isSending = false;
  #account;
  /** Changes, by id, whose request was sent in this document. */
  #tried = new Set();
  /** Id of a change → its failures in this connection. */
  #failuresOf = new Map();

  /**
   * @param {any} net
   * @param {{storage?: Storage, scheduler?: import("../client/scheduler.js").Scheduler, locks?: any}} options
   */
  constructor(net, { storage = localStorage, scheduler = systemScheduler, locks = globalThis.navigator?.locks } = {}) {
    super();
    this.#net = net;
    this.#storage = storage;
    this.#locks = locks;
    this.#scheduler = scheduler;
    this.#retry = new Timer(scheduler);
    this.#account = net.account?.id;
    net.addEventListener("state", () => this.#goOn());
    net.addEventListener("account", () => {
      const before = this.#account;
      this.#account = net.account?.id;
      // A tab that was left open may have an account that this browser has no more: then it changes nothing of the one that has come.
      if (before !== this.#account) this.#forgetOthers();
      this.#goOn();
    });
    globalThis.addEventListener?.("storage", ({ key }) => {
      if (key !== null && !key.startsWith(prefix)) return;
      this.#emitChange();
      // The tab that wrote it may be closed before it sends it.
      this.#send();
    });
    this.#forgetOthers();
  }

  /** Changes of the account that wait, `{id, method, subject, params, shown, at, isTried?}`, in order. */
  get waiting() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key) ?? "[]");
      return Array.isArray(kept) ? kept.filter(({ method }) => method in waitingMethods) : [];
    } catch {
      return [];
    }
  }

  /** The parameters of a change of an object that waits, or null. */
  find(method, subject) {
    return this.waiting.find((one) => one.method === method && one.subject === subject)?.params ?? null;
  }

  /** The reply of a method that reads, with the changes that wait. */
  shown(method, params, reply) {
    return this.#changed(method, params, reply, this.waiting);
  }

  /**
   * Does a change. Resolves with the reply, or with null when it waits; rejects when the server refuses it. `shown` is what pages need to
   * draw it while it waits. `saved.remove` takes `saved`, the parameters of the request that saves the place, in place of an `id` that this
   * device does not know.
   */
  async write(method, params, shown = null) {
    const subject = waitingMethods[method].subject(params);
    const account = this.#net.account?.id;
    let isTried = false;
    if (this.#net.state === "live" && !this.waiting.some((one) => objectOf(one) === objectOf({ method, subject }))) {
      try {
        const reply = await this.#request(method, params, { account, at: this.#scheduler.now() });
        this.#keepReplies({ method, params, shown, reply, at: this.#scheduler.now() }, account);
        return reply;
      } catch (error) {
        // It is sent again: without a reply, or with one of a server that lost its database, it is not known whether it was done. What
        // another account did is not sent for this one.
        if (!error.isTransient || account !== this.#net.account?.id) throw error;
        isTried = true;
      }
    }
    const others = this.waiting.filter((one) => !isReplaced(one, { method, subject }));
    isTried ||= others.length < this.waiting.length && this.#isTried(method, subject);
    this.#keep([...others, { id: uuid(), method, subject, params, shown, at: this.#scheduler.now(), ...(isTried && { isTried }) }]);
    this.dispatchEvent(new Event("waits"));
    this.#send();
    return null;
  }

  /** Gives up a change that waits. Returns whether there was one that the server cannot have. */
  drop(method, subject) {
    const before = this.waiting;
    const after = before.filter((one) => one.method !== method || one.subject !== subject);
    if (after.length === before.length) return false;
    const isTried = this.#isTried(method, subject);
    this.#keep(after);
    return !isTried;
  }

  /** Gives up all changes by these methods that wait. The server may have those whose reply was lost. */
  discard(methods) {
    this.#keep(this.waiting.filter(({ method }) => !methods.includes(method)));
  }

  get #key() {
    return prefix + this.#net.account?.id;
  }

  #isTried(method, subject) {
    return this.waiting.some((one) => one.method === method && one.subject === subject && (one.isTried || this.#tried.has(one.id)));
  }

  /** At a log-in nothing of other accounts stays. */
  #forgetOthers() {
    if (!this.#net.account) return;
    for (const key of Object.keys(this.#storage)) if (key.startsWith(prefix) && key !== this.#key) this.#storage.removeItem(key);
  }

  #keep(waiting) {
    this.#store(waiting);
    this.#emitChange();
  }

  #store(waiting) {
    if (waiting.length === 0) return this.#storage.removeItem(this.#key);
    const text = JSON.stringify(waiting);
    try {
      this.#storage.setItem(this.#key, text);
    } catch {
      for (const copy of copyPrefixes) this.#storage.removeItem(copy + this.#net.account?.id);
      try {
        this.#storage.setItem(this.#key, text);
      } catch {
        const text = "There's no room left in this browser to keep this until it's sent. Try again when you're back online.";
        throw new RequestError("notStored", text);
      }
    }
    return undefined;
  }

  /** A reply with changes, `{method, params, at}` each. Its age stays. */
  #changed(method, params, reply, changes) {
    const changed = withChanges(method, params, reply, changes, this.#net.account?.id);
    const at = keptAt(reply);
    if (changed !== reply && at !== null) noteKept(changed, at);
    return changed;
  }

  /** Replies that this device keeps have a change from now on that the server has. */
  #keepReplies(change, account) {
    this.#net.replies?.change(account, readersOf(change.method), (read, readParams, reply) => (
      withChanges(read, readParams, reply, [change], account)));
  }

  #emitChange() {
    this.dispatchEvent(new Event("change"));
  }

  #goOn() {
    this.#retry.clear();
    this.#failures = 0;
    this.#failuresOf.clear();
    this.#emitChange();
    this.#send();
  }

  async #send() {
    if (this.#isSending || this.#net.state !== "live" || !this.#net.account || this.waiting.length === 0) return;
    this.#isSending = true;
    this.#retry.clear();
    let isDone = false;
    try {
      // Of several tabs one sends.
      isDone = await (this.#locks ? this.#locks.request("campanile.writes", () => this.#sendAll()) : this.#sendAll());
      if (isDone) this.#failures = 0;
      else if (this.#net.state === "live") this.#retry.set(retryDelay(this.#failures), () => { this.#send(); });
    } finally {
      this.#isSending = false;
    }
    // A change that was written meanwhile.
    if (isDone) this.#send();
  }

  /** Sends one after the other; resolves to whether none waits any more. */
  async #sendAll() {
    const account = this.#net.account?.id;
    /** Objects that are left for the next time. */
    const left = new Set();
    const next = () => this.waiting.find((one) => !left.has(objectOf(one)));
    for (let first = next(); first; first = next()) {
      if (!this.#maySend(account)) return false;
      const { id } = first;
      const outcome = await this.#outcome(first, account);
      if (account !== this.#net.account?.id) return false;
      if (outcome === null) {
        const failures = (this.#failuresOf.get(id) ?? 0) + 1;
        this.#failuresOf.set(id, failures);
        if (failures >= failuresMax && this.#net.state === "live") {
          left.add(objectOf(first));
          continue;
        }
        this.#failures += 1;
        return false;
      }
      // A later change of the same object has replaced it.
      this.#keep(this.waiting.filter((one) => one.id !== id));
      this.#failuresOf.delete(id);
      this.dispatchEvent(new CustomEvent(outcome.type, { detail: outcome.detail }));
    }
    if (left.size > 0) this.#failures += 1;
    return left.size === 0;
  }

  /** What became of a change that waits: `{type, detail}` of the event, or null when it is to be sent again. */
  async #outcome({ id, method, params, shown, at }, account) {
    const expiry = expiryText(method, params, this.#scheduler.now() - at);
    if (expiry !== null) return { type: "refused", detail: { method, params, shown, error: new RequestError("aborted", expiry) } };
    this.#noteTried(id);
    try {
      const reply = await this.#request(method, params, { account, at });
      this.#keepReplies({ method, params, shown, reply, at }, account);
      return { type: "sent", detail: { method, params, reply } };
    } catch (error) {
      // A client that is too old keeps what it holds until it is updated.
      if (error.isTransient || error.isUnauthenticated || error.code === errorCodes.clientOutdated) return null;
      return { type: "refused", detail: { method, params, shown, error } };
    }
  }

  /** Notes, also for other tabs and after a reload, that the server may have a change. */
  #noteTried(id) {
    if (this.#tried.has(id)) return;
    this.#tried.add(id);
    try {
      this.#store(this.waiting.map((one) => (one.id === id ? { ...one, isTried: true } : one)));
    } catch {
      // Storage is full: this document knows it.
    }
  }

  #maySend(account) {
    return this.#net.state === "live" && account === this.#net.account?.id;
  }

  async #request(method, params, { account, at }) {
    const { isDone = () => false, send } = waitingMethods[method];
    const mayGoOn = () => { if (!this.#maySend(account)) throw new RequestError("offline", "The connection was lost."); };
    try {
      if (!send) return await this.#net.request(method, params);
      return await send((...request) => this.#net.request(...request), params, { waited: this.#scheduler.now() - at, mayGoOn });
    } catch (error) {
      if (isDone(error, params)) return { erased: 0 };
      throw error;
    }
  }
}
