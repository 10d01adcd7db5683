// The connection: one WebSocket, JSON-RPC 2.0, re-subscribed after every reconnect. No DOM.

import { afterClose } from "./backoff.js";
import { ServerClock } from "./clock.js";
import { takeEarlySocket } from "./early.js";
import { RequestError } from "./errors.js";
import { errorCodes } from "./registry.js";
import { Liveness } from "./liveness.js";
import { PendingRequests } from "./pending.js";
import { plainMessage } from "./plainwords.js";
import { refusedCause, signOutCause } from "./signout.js";
import { storedJSON } from "./stored.js";
import { Subscriptions } from "./subscriptions.js";
import { PointError, encodePoints, isPointsReply, readPointsReply } from "./trackframe.js";

const requestMilliseconds = 15_000;
const helloMilliseconds = 10_000;
const lookEveryMilliseconds = 1_000;
/** A connection that is lost for so long is called offline, whatever the browser says of the network. */
const offlineAfterMilliseconds = 20_000;
const stableAfterMilliseconds = 10_000;
const tokenKey = "campanile.token";
const accountKey = "campanile.account";
const deviceKey = "campanile.device";
const offsetKey = "campanile.clockOffset";

/** Half a surrogate pair is no text: the server would not read the request at all. */
const wellFormed = (_, value) => typeof value === "string" && value.toWellFormed ? value.toWellFormed() : value;

/**
 * Emits `state` (connection), `account` (signed in, out or known); when the server ends the sign-in, `signingOut` before the account goes
 * and `signedOut` after it, with `detail: {cause}`.
 */
export class Connection extends EventTarget {
  /**
   * `live`, `reconnecting` or `offline`. Not `live` as soon as the server's silence is doubtful, though the socket may still be open
   * (see `Liveness`).
   */
  state = "reconnecting";
  /** Local ms when the next attempt starts, while reconnecting and waiting; null during an attempt. */
  nextAttemptAt = null;
  /** True when trying again would end the same way (see the close codes); a reload starts over. */
  gaveUp = false;
  /** True once a `hello` was answered. */
  wasLive = false;
  account = null;
  /** An account that was signed out only because it was changed: its unsent data stays on this device. */
  returning = null;
  campus = null;
  version = null;
  /**
   * Receives the positions of this connection's view (`Viewport`): `connected()` when the server needs the view, and
   * `disconnected()`; `frame(buffer)` for binary messages, `push(topic, data)` for cells as JSON.
   */
  viewport = null;

  #socket = null;
  #pending = new PendingRequests();
  #subscriptions = new Subscriptions({
    request: (method, params) => this.#send(method, params, requestMilliseconds), isReady: () => this.#isReady,
  });
  #attempt = 0;
  /** Local ms before which a restarting server does not want us back. */
  #slotAt = 0;
  #timers = { retry: 0, look: 0, stable: 0, hello: 0, offline: 0 };
  #waiters = new Set();
  #liveness = new Liveness();
  /** Whether the server has answered `hello` on this socket. */
  #isReady = false;
  #lostAt = Date.now();

  constructor(url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`) {
    super();
    this.url = url;
    this.token = localStorage.getItem(tokenKey);
    this.account = this.token ? storedJSON(accountKey) : null;
    this.clock = new ServerClock(Number(localStorage.getItem(offsetKey) ?? 0));
    addEventListener("online", () => this.retryNow());
    addEventListener("offline", () => this.#probe());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.#isReady) this.#probe();
      else this.retryNow();
    });
  }

  /** Local ms of the last message of the server; 0 for never. */
  get heardAt() {
    return this.#liveness.heardAt;
  }

  /** Opens the socket; safe to call again. */
  connect() {
    if (this.#socket) return;
    clearTimeout(this.#timers.retry);
    this.nextAttemptAt = null;
    this.gaveUp = false;
    this.#setState(this.#lostState());
    const socket = takeEarlySocket(this.url) ?? new WebSocket(this.url, "campanile.v1");
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    // Covers the whole way up to the reply to hello; a network may swallow the handshake without a word.
    this.#timers.hello = setTimeout(() => this.#drop(socket, 4001), helloMilliseconds);
    socket.onopen = () => this.#hello(socket);
    socket.onmessage = (event) => this.#receive(event.data);
    socket.onclose = (event) => this.#closed(socket, event.code, event.reason);
    if (socket.readyState === WebSocket.OPEN) this.#hello(socket);
  }

  /** Tries at once instead of waiting for the backoff to end. */
  retryNow() {
    if (this.#socket || this.state === "live" || Date.now() < this.#slotAt) return;
    this.#attempt = Math.min(this.#attempt, 2);
    this.connect();
  }

  /** Sends a request; resolves with its result. Waits for the connection, within `timeout` ms altogether. */
  async request(method, params = {}, { timeout = requestMilliseconds } = {}) {
    const deadline = Date.now() + timeout;
    if (this.state !== "live") await this.#awaitLive(timeout);
    return this.#send(method, params, Math.max(1, deadline - Date.now()));
  }

  /**
   * Keeps `topic` subscribed, across reconnects, until `close()` of the result. `handlers`: `snapshot(data)`, `error(RequestError)`, and
   * `push(data, {epoch, offset})`. `share` is a link's token. For a reliable topic, `since()` returns the reader's offset; `reply(result)`
   * takes the publications since and returns true to request more. `again()` of the result subscribes once more.
   */
  subscribe(topic, handlers, { share = null, since = null } = {}) {
    return this.#subscriptions.add(topic, handlers, { share, since });
  }

  /**
   * Sends `account.login`, `account.register` or `account.accept`, and takes what it returned. The device's own token goes along: wrong
   * passwords that others try do not delay a device that has signed in before.
   */
  async signIn(method, values) {
    const result = await this.request(method, { ...values, device: localStorage.getItem(deviceKey) ?? undefined });
    this.signedIn(result);
    return result;
  }

  /** Takes the token that register or login returned; the connection is already signed in by it. */
  signedIn({ account, token, device }) {
    this.token = token;
    this.returning = null;
    localStorage.setItem(tokenKey, token);
    if (device) localStorage.setItem(deviceKey, device);
    this.#setAccount(account);
    this.#resubscribe();
  }

  /** Forgets token and account here and goes on as a guest, on a new connection. */
  signedOut() {
    this.returning = null;
    this.#forgetAccount();
    this.#reopen();
  }

  #setAccount(account) {
    const changed = JSON.stringify(account) !== JSON.stringify(this.account);
    this.account = account;
    if (account) localStorage.setItem(accountKey, JSON.stringify(account));
    else localStorage.removeItem(accountKey);
    if (changed) this.dispatchEvent(new Event("account"));
  }

  #reopen() {
    const socket = this.#socket;
    if (!socket) return;
    this.#drop(socket, 1000);
    clearTimeout(this.#timers.retry);
    this.connect();
  }

  async #hello(socket) {
    try {
      const params = { client: { name: "campanile-web", version: "1" } };
      if (this.token) params.token = this.token;
      const askedAt = Date.now();
      const result = await this.#send("hello", params, helloMilliseconds, true);
      this.#liveness.answered(Date.now() - askedAt);
      if (socket !== this.#socket) return;
      // The server no longer knows the token: it was revoked while we were away.
      if (this.token && !result.account) return this.#lostAccount("signedOut");
      clearTimeout(this.#timers.hello);
      this.campus = result.campus;
      this.version = result.version;
      this.#setAccount(result.account ?? null);
      this.wasLive = true;
      this.#timers.stable = setTimeout(() => { this.#attempt = 0; }, stableAfterMilliseconds);
      this.#isReady = true;
      this.#liveness.opened(Date.now());
      this.#timers.look = setInterval(() => this.#look(), lookEveryMilliseconds);
      this.#live();
      this.#resubscribe();
    } catch (error) {
      if (socket !== this.#socket) return;
      const isRefused = error.isUnauthenticated || error.isForbidden || error.isInvalidCredentials;
      if (this.token && isRefused) return this.#lostAccount(refusedCause(error));
      this.#drop(socket, 1011);
    }
  }

  /** The server does not know the token any more. */
  #lostAccount(cause) {
    this.#expel(cause);
    this.#reopen();
  }

  #expel(cause) {
    this.dispatchEvent(new CustomEvent("signingOut", { detail: { cause } }));
    this.returning = cause === "changed" ? this.account?.id ?? null : null;
    this.#forgetAccount();
    this.dispatchEvent(new CustomEvent("signedOut", { detail: { cause } }));
  }

  #forgetAccount() {
    this.token = null;
    localStorage.removeItem(tokenKey);
    this.#setAccount(null);
  }

  #send(method, params, timeout, beforeLive = false) {
    const socket = this.#socket;
    if (!socket || socket.readyState !== WebSocket.OPEN || (!beforeLive && !this.#isReady)) {
      return Promise.reject(new RequestError("offline", "Couldn't reach the server."));
    }
    const id = this.#pending.nextId();
    // Points are many and small: they go as binary messages, and so do their replies.
    const isBinary = method === "tracking.points";
    let message;
    try {
      message = isBinary ? encodePoints(id, params.session, params.points)
        : JSON.stringify({ jsonrpc: "2.0", id, method, params }, wellFormed);
    } catch (error) {
      // As the server would say it.
      const field = error instanceof PointError ? `points[${error.index}]` : "points";
      return Promise.reject(new RequestError(errorCodes.invalidParams, error.message, { name: "invalidParams", field }));
    }
    const reply = this.#pending.add(id, { timeout, isBinary });
    socket.send(message);
    return reply;
  }

  #receive(data) {
    if (this.#liveness.heard(Date.now())) this.#live();
    if (typeof data !== "string") {
      if (isPointsReply(data)) this.#pointsReply(data);
      else this.viewport?.frame(data);
      return;
    }
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    for (const part of Array.isArray(message) ? message : [message]) {
      if (part.method === "push") this.#push(part.params);
      else this.#reply(part);
    }
  }

  #pointsReply(data) {
    let reply;
    try {
      reply = readPointsReply(data);
    } catch {
      // Of a newer server, perhaps; the request times out and the points are sent again.
      return;
    }
    if (reply.id === 0) reply.id = this.#pending.oldest({ isBinary: true });
    this.#reply(reply);
  }

  /** @param {{id: number | null, result?: any, error?: any}} reply */
  #reply({ id, result, error }) {
    const request = this.#pending.take(id === null && error ? this.#pending.oldest({ isBinary: false }) : id);
    if (!request) return;
    if (error) {
      request.reject(new RequestError(error.code, plainMessage(error.code, error.message, error.data?.field), error.data));
      return;
    }
    if (result?.serverTime && !result.snapshot) {
      this.clock.sample(request.sentAt, Date.now(), result.serverTime);
      localStorage.setItem(offsetKey, String(Math.round(this.clock.offset)));
    }
    request.resolve(result);
  }

  #push(publication) {
    const { topic, data } = publication;
    if (topic.startsWith("cell/")) this.viewport?.push(topic, data);
    this.#subscriptions.push(publication);
  }

  #resubscribe() {
    this.viewport?.connected();
    this.#subscriptions.renew();
  }

  /** A message of the server has come: requests that waited for it are sent. */
  #live() {
    this.#setState("live");
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters.clear();
  }

  #awaitLive(timeout) {
    return new Promise((resolve, reject) => {
      const waiter = { resolve: () => { clearTimeout(timer); resolve(); } };
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new RequestError("offline", "Couldn't reach the server. Check your connection and try again."));
      }, Math.min(timeout, 8000));
      this.#waiters.add(waiter);
      this.retryNow();
    });
  }

  /** A half-open socket looks alive until something is sent over it. */
  #look() {
    const action = this.#liveness.step(Date.now(), document.visibilityState === "visible");
    if (action === "ask") this.#ping();
    else if (action === "doubt") this.#doubt();
    else if (action === "drop" && this.#socket) this.#drop(this.#socket, 1006);
  }

  async #ping() {
    const askedAt = Date.now();
    try {
      await this.#send("ping", {}, requestMilliseconds);
      this.#liveness.answered(Date.now() - askedAt);
    } catch {
      // `Liveness` judges the silence.
    }
  }

  #doubt() {
    this.#lostAt = this.heardAt;
    this.#setState(this.#lostState());
    this.#ping();
  }

  /** Asks at once: the page is shown again, or the browser reports that the network is gone. */
  #probe() {
    if (!this.#isReady) {
      if (navigator.onLine === false) this.#setState("offline");
      return;
    }
    if (this.#liveness.asked(Date.now(), navigator.onLine === false)) this.#doubt();
    else this.#ping();
  }

  #lostState() {
    return navigator.onLine === false || Date.now() - this.#lostAt >= offlineAfterMilliseconds ? "offline" : "reconnecting";
  }

  /** Treats the socket as closed now, without waiting for a closing handshake that may never come. */
  #drop(socket, code) {
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#closed(socket, code);
  }

  #closed(socket, code, reason = "") {
    if (socket !== this.#socket) return;
    this.#socket = null;
    clearTimeout(this.#timers.hello);
    clearTimeout(this.#timers.stable);
    clearInterval(this.#timers.look);
    if (this.state === "live") this.#lostAt = Date.now();
    this.#isReady = false;
    this.#liveness.closed();
    this.#pending.rejectAll(() => new RequestError("offline", "The connection was lost."));
    this.viewport?.disconnected();
    const next = afterClose(code, this.#attempt, Math.random, reason);
    if (next.action === "signOut") this.#expel(signOutCause(reason));
    if (next.action === "giveUp") {
      this.nextAttemptAt = null;
      this.gaveUp = true;
      this.#setState("offline");
      return;
    }
    this.#attempt += 1;
    this.nextAttemptAt = Date.now() + next.delay;
    if (code === 1012) this.#slotAt = this.nextAttemptAt;
    this.#timers.retry = setTimeout(() => this.connect(), next.delay);
    this.#setState(this.#lostState());
    clearTimeout(this.#timers.offline);
    this.#timers.offline = setTimeout(() => {
      if (this.state === "reconnecting") this.#setState(this.#lostState());
    }, Math.max(0, this.#lostAt + offlineAfterMilliseconds - Date.now()));
  }

  #setState(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}
