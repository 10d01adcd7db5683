// Changes that may be made without a network: they wait in this browser, for all tabs, until the server has them. No DOM.

import { retryDelay } from "../client/backoff.js";
import { RequestError } from "../client/errors.js";
import { errorCodes } from "../client/registry.js";
import { Timer, systemScheduler } from "../client/scheduler.js";
import { uuid } from "../client/uuid.js";
import { keptAt, noteKept } from "./keptage.js";
import { readersOf, withChanges } from "./waitingeffects.js";
import { WaitingList } from "./waitinglist.js";
import { expiryText, waitingMethods } from "./waitingmethods.js";
import { firstToSend, needing, objectOf, withEarlier, withDone, withLater } from "./waitingorder.js";

/** Lock of the tab that sends; with the object behind it, of the tab that has a request of that object in flight. */
const lockName = "campanile.writes";
/** After so many failures of a change in one connection, changes of other objects are sent before it. */
const failuresMax = 3;

/**
 * Emits `change` when `waiting` may be another, `waits` when a change has to wait, `done` with `detail: {method, params, reply}` when the
 * server took a change of this tab, and for a change that waited `sent` with the same detail or `refused` with
 * `detail: {method, params, shown, error, needing}`. `needing` are changes that were given up with it, `{method, params}` each.
 *
 * Changes of one object are done in the order in which they were made, in all tabs: one is in flight, those after it wait.
 */
export class WriteQueue extends EventTarget {
  #net;
  #list;
  #locks;
  #scheduler;
  #retry;
  #failures = 0;
  #isSending = false;
  #account;
  /** Object of which this tab has a request in flight for a change that did not wait → ids of the changes made here since. */
  #direct = new Map();
  /** Id of a change that waits only for the one before it → `{resolve, reject}` of its page. */
  #soon = new Map();
  /** Id of a change → its failures in this connection. */
  #failuresOf = new Map();

  /**
   * @param {any} net
   * @param {{storage?: Storage, scheduler?: import("../client/scheduler.js").Scheduler, locks?: any}} options
   */
  constructor(net, { storage = localStorage, scheduler = systemScheduler, locks = globalThis.navigator?.locks } = {}) {
    super();
    this.#net = net;
    this.#list = new WaitingList(storage, () => net.account?.id);
    this.#locks = locks;
    this.#scheduler = scheduler;
    this.#retry = new Timer(scheduler);
    this.#account = net.account?.id;
    net.addEventListener("state", () => this.#goOn());
    net.addEventListener("account", () => {
      const before = this.#account;
      this.#account = net.account?.id;
      // A tab that was left open may have an account that this browser has no more: then it changes nothing of the one that has come.
      if (before !== this.#account) this.#list.forgetOthers();
      this.#goOn();
    });
    globalThis.addEventListener?.("storage", ({ key }) => {
      if (!WaitingList.isOf(key)) return;
      this.#emitChange();
      // The tab that wrote it may be closed before it sends it.
      this.#send();
    });
    this.#list.forgetOthers();
  }

  /** Changes of the account that wait, `{id, method, subject, params, shown, at, isTried?, isSent?}`, in order. */
  get waiting() {
    return this.#list.all;
  }

  /** The parameters of the last change of an object that waits, or null. */
  find(method, subject) {
    return this.#of(method, subject).at(-1)?.params ?? null;
  }

  /** What the server has in place of the last change of an object that waits; undefined when none waits, or it is not known. */
  before(method, subject) {
    return this.#of(method, subject).at(-1)?.shown?.before;
  }

  /** The reply of a method that reads, with the changes that wait. */
  shown(method, params, reply) {
    return this.#changed(method, params, reply, this.waiting);
  }

  /**
   * Does a change. Resolves with the reply, or with null when it waits; rejects when the server refuses it. `shown` is what pages need to
   * draw it while it waits, and `before`, what the server had, where `showsMore` asks for it. `saved.remove` takes `saved`, the parameters
   * of the request that saves the place, in place of an `id` that this device does not know.
   */
  async write(method, params, shown = null) {
    const change = this.#change(method, params, shown);
    const object = objectOf(change);
    const isLive = this.#net.state === "live";
    const later = this.#direct.get(object);
    if (isLive && !later && !this.#waits(object)) {
      const done = await this.#sendDirectly(change);
      if (done) return done.reply;
    } else {
      // It is kept before the other is answered: the page may be closed.
      later?.add(change.id);
      this.#keep(withLater(this.waiting, change));
      if (isLive && later) return this.#soonSent(change);
    }
    this.dispatchEvent(new Event("waits"));
    this.#send();
    return null;
  }

  /** Does a change that is kept before it is sent: the browser is leaving the page. */
  writeKept(method, params, shown = null) {
    const change = this.#change(method, params, shown);
    this.#direct.get(objectOf(change))?.add(change.id);
    this.#keep(withLater(this.waiting, change));
    this.#send();
  }

  /** Gives up a change that waits. Returns whether there was one that the server cannot have. */
  drop(method, subject) {
    const dropped = this.#of(method, subject);
    if (dropped.length > 0) this.#keep(this.waiting.filter((one) => one.method !== method || one.subject !== subject));
    return dropped.length > 0 && !dropped.some(({ isTried }) => isTried);
  }

  /** Gives up a change that waits, unless the server may have it. Returns whether it did. */
  withdraw(method, subject) {
    return !this.#of(method, subject).some(({ isTried }) => isTried) && this.drop(method, subject);
  }

  /** Gives up all changes by these methods that wait. The server may have those whose reply was lost. */
  discard(methods) {
    this.#keep(this.waiting.filter(({ method }) => !methods.includes(method)));
  }

  #change(method, params, shown) {
    return { id: uuid(), method, subject: waitingMethods[method].subject(params), params, shown, at: this.#now() };
  }

  #of(method, subject) {
    return this.waiting.filter((one) => one.method === method && one.subject === subject);
  }

  /** Whether a change of an object waits, besides those with the ids of `later`. */
  #waits(object, later = new Set()) {
    return this.waiting.some((one) => objectOf(one) === object && !later.has(one.id));
  }

  /** The time of the server as far as it is known: a person can set the clock of the device. */
  #now() {
    return this.#net.clock?.now() ?? this.#scheduler.now();
  }

  #keep(waiting) {
    this.#list.all = waiting;
    this.#emitChange();
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
    // Replaced, given up, or sent by another tab.
    this.#endSoon((id) => !this.waiting.some((one) => one.id === id), {});
    this.dispatchEvent(new Event("change"));
  }

  /** As `write`, for a change that waits only for the one before it. */
  async #soonSent({ id }) {
    const { reply = null, waits = false } = await new Promise((resolve, reject) => { this.#soon.set(id, { resolve, reject }); });
    if (waits) this.dispatchEvent(new Event("waits"));
    return reply;
  }

  #endSoon(isEnded, outcome) {
    for (const [id, { resolve }] of this.#soon) {
      if (!isEnded(id)) continue;
      this.#soon.delete(id);
      resolve(outcome);
    }
  }

  #goOn() {
    this.#retry.clear();
    this.#failures = 0;
    this.#failuresOf.clear();
    this.#emitChange();
    if (this.#net.state !== "live") this.#endSoon(() => true, { waits: true });
    this.#send();
  }

  /** Runs `body` while no other tab has a request of the object in flight, or resolves to undefined when one has. */
  #alone(object, body) {
    if (!this.#locks) return body();
    return this.#locks.request(`${lockName} ${object}`, { ifAvailable: true }, (lock) => (lock ? body() : undefined));
  }

  /** Sends a change of an object of which none waits. Resolves to `{reply}`, or to null when the change waits now. */
  async #sendDirectly(change) {
    const object = objectOf(change);
    const account = this.#net.account?.id;
    const later = new Set();
    this.#direct.set(object, later);
    try {
      // Another tab may have a request of the object in flight, or may have written a change meanwhile.
      const mayBeSent = () => this.#maySend(account) && !this.#waits(object, later);
      const outcome = await this.#alone(object, () => (mayBeSent() ? this.#attempt(change, account) : undefined));
      const error = outcome?.error;
      if (!outcome && account !== this.#net.account?.id) throw new RequestError("aborted", "The account changed before this was sent.");
      // What another account did is not sent for this one.
      if (error && (!error.isTransient || account !== this.#net.account?.id)) throw this.#refusedDirectly(change, error, account);
      if (outcome && !error) {
        this.#done(change, outcome.reply, account);
        return outcome;
      }
      // Without a reply, or with one of a server that lost its database, it is not known whether it was done.
      this.#keep(outcome ? withEarlier(this.waiting, change) : withLater(this.waiting, change, later));
      return null;
    } finally {
      this.#direct.delete(object);
      this.#send();
    }
  }

  #refusedDirectly(change, error, account) {
    if (account === this.#net.account?.id) for (const one of this.#giveUpNeeding(change)) this.#emitRefused({ ...one, error });
    return error;
  }

  async #send() {
    const isFree = (one) => !this.#direct.has(objectOf(one));
    if (this.#isSending || this.#net.state !== "live" || !this.#net.account || !this.waiting.some(isFree)) return;
    this.#isSending = true;
    this.#retry.clear();
    let isDone = false;
    try {
      // Of several tabs one sends.
      isDone = await (this.#locks ? this.#locks.request(lockName, () => this.#sendAll(isFree)) : this.#sendAll(isFree));
      if (isDone) this.#failures = 0;
      else if (this.#net.state === "live") this.#retry.set(retryDelay(this.#failures), () => { this.#send(); });
    } finally {
      this.#isSending = false;
      if (!isDone) this.#endSoon(() => true, { waits: true });
    }
    // A change that was written meanwhile.
    if (isDone) this.#send();
  }

  /** Sends one after the other; resolves to whether none waits any more but those after one in flight. */
  async #sendAll(isFree) {
    const account = this.#net.account?.id;
    /** Objects that are left for the next time. */
    const left = new Set();
    const next = () => firstToSend(this.waiting, (one) => !left.has(objectOf(one)) && isFree(one));
    for (let first = next(); first; first = next()) {
      if (!this.#maySend(account)) return false;
      const { id } = first;
      const outcome = await this.#alone(objectOf(first), () => this.#outcome(id, account));
      if (account !== this.#net.account?.id) return false;
      if (outcome === undefined) {
        left.add(objectOf(first));
      } else if (outcome === null) {
        const failures = (this.#failuresOf.get(id) ?? 0) + 1;
        this.#failuresOf.set(id, failures);
        if (failures < failuresMax || this.#net.state !== "live") {
          this.#failures += 1;
          return false;
        }
        left.add(objectOf(first));
      } else {
        this.#settle(outcome);
      }
    }
    if (left.size > 0) this.#failures += 1;
    return left.size === 0;
  }

  /** What became of a change that waits: `{change, reply}`, `{change, error}`, `{}` when it waits no more, null when it is sent again. */
  async #outcome(id, account) {
    const change = this.waiting.find((one) => one.id === id);
    if (!change || !this.#maySend(account)) return change ? null : {};
    const expiry = expiryText(change, this.#now() - change.at);
    if (expiry !== null) return { change, error: new RequestError("aborted", expiry) };
    this.#list.noteTried(id);
    const { reply, error } = await this.#attempt(change, account);
    // A client that is too old keeps what it holds until it is updated.
    if (error && (error.isTransient || error.isUnauthenticated || error.code === errorCodes.clientOutdated)) return null;
    return { change, reply, error };
  }

  /** Sends a change: `{reply}` or `{error}`. */
  async #attempt(change, account) {
    try {
      return { reply: await this.#request(change, account) };
    } catch (error) {
      return { error };
    }
  }

  #settle({ change, reply, error }) {
    if (!change) return;
    const { id, method, params } = change;
    const soon = this.#soon.get(id);
    this.#soon.delete(id);
    this.#failuresOf.delete(id);
    if (!error) this.#done(change, reply, this.#net.account?.id);
    // It may not wait any more: a later change of the same object may have replaced it.
    this.#keep(this.waiting.filter((one) => one.id !== id));
    if (!error) {
      if (soon) soon.resolve({ reply });
      else this.dispatchEvent(new CustomEvent("sent", { detail: { method, params, reply } }));
      return;
    }
    const given = this.#giveUpNeeding(change);
    if (!soon) {
      this.#emitRefused({ ...change, error }, given);
      return;
    }
    soon.reject(error);
    for (const one of given) this.#emitRefused({ ...one, error });
  }

  #done(change, reply, account) {
    this.#keepReplies({ ...change, reply }, account);
    if (account !== this.#net.account?.id) return;
    const { waiting } = this;
    const left = withDone(waiting, change, reply);
    if (left !== waiting) this.#keep(left);
    const { method, params } = change;
    this.dispatchEvent(new CustomEvent("done", { detail: { method, params, reply } }));
  }

  /** Gives up what must not be done without a change that was refused. */
  #giveUpNeeding(refused) {
    const given = needing(this.waiting, refused);
    const ids = given.map(({ id }) => id);
    if (given.length > 0) this.#keep(this.waiting.filter(({ id }) => !ids.includes(id)));
    return given;
  }

  #emitRefused({ method, params, shown, error }, given = []) {
    const detail = { method, params, shown, error, needing: given.map((one) => ({ method: one.method, params: one.params })) };
    this.dispatchEvent(new CustomEvent("refused", { detail }));
  }

  #maySend(account) {
    return this.#net.state === "live" && account === this.#net.account?.id;
  }

  async #request({ method, params, at }, account) {
    const { isDone = () => false, send } = waitingMethods[method];
    const mayGoOn = () => { if (!this.#maySend(account)) throw new RequestError("offline", "The connection was lost."); };
    try {
      if (!send) return await this.#net.request(method, params);
      return await send((...request) => this.#net.request(...request), params, { waited: Math.max(0, this.#now() - at), mayGoOn });
    } catch (error) {
      if (isDone(error, params)) return { erased: 0 };
      throw error;
    }
  }
}
