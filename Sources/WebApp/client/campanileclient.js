// A client of one server: requests, topics, sign-in and the map's view, over a connection that is opened again by itself. No DOM.

import { ServerClock } from "./clock.js";
import { Connection, makeGlobalSocket } from "./connection.js";
import { Credentials, MemoryStorage, isSameAccount } from "./credentials.js";
import { RequestError } from "./errors.js";
import { IncomingMessages } from "./incoming.js";
import { LivePositions } from "./livepositions.js";
import { PendingRequests } from "./pending.js";
import { errorCodes, protocolVersion } from "./registry.js";
import { systemScheduler } from "./scheduler.js";
import { refusedCause, signOutCause } from "./signoutcause.js";
import { Subscriptions } from "./subscriptions.js";
import { PointError, encodePoints, isPointsReply, readPointsReply } from "./trackframe.js";
import { Waiters } from "./waiters.js";

/** Time for the reply to a request, in ms, unless the request sets another. */
export const requestMilliseconds = 15_000;
const helloMilliseconds = 10_000;
/** A request waits so long for a connection. */
const connectionMillisecondsMax = 8_000;

/** @type {import("./connection.js").NetworkSignals} */
const alwaysThere = { isOnline: () => true, isVisible: () => true };

/** Half a surrogate pair is no text: the server could not read the request. */
const wellFormed = (_, value) => typeof value === "string" && value.toWellFormed ? value.toWellFormed() : value;

/**
 * @typedef {object} ClientOptions
 * @property {string | null} [token] Token of a sign-in. Default: the one in `storage`, or none (a guest).
 * @property {{name: string, version?: string, platform?: string}} [client] For the person's list of devices.
 * @property {import("./credentials.js").TextStorage} [storage] Keeps sign-in and clock, as `localStorage` does. Default: memory.
 * @property {(url: string, subprotocol: string) => any} [makeSocket] Makes a WebSocket. Default: `globalThis.WebSocket`.
 * @property {import("./connection.js").NetworkSignals} [network] Default: always online, always visible.
 * @property {import("./scheduler.js").Scheduler} [scheduler] Clock and timers. Default: those of the system.
 * @property {(error: {code: number, message: string, data?: {field?: string}}) => string} [messageOf] Text of an error of the server.
 *   Default: the server's message, which is written for developers.
 */

/** @typedef {import("./registrytypes.js").Methods} Methods */

/**
 * A client. It emits `state` when `state`, `nextAttemptAt` or `gaveUp` changes, and `account` when `account` does. When the server ends the
 * sign-in it emits `signingOut` before the account is removed and `signedOut` after it, both with `detail: {cause}`.
 */
export class CampanileClient extends EventTarget {
  /** @type {import("./registrytypes.js").CampusInfo | null} The campus of the server; null before the first connection. */
  campus = null;
  /** @type {string | null} Version of the server. */
  version = null;
  /** @type {string | null} Version of the web app that the server has: with another than its own a page is not the newest. */
  webApp = null;
  /** Whether the server no longer supports this version of the protocol: it accepts only what this client still holds. */
  isOutdated = false;
  /**
   * Number of an account that was signed out only because an admin changed it, until the next sign-in: its stored data is still its own.
   * @type {number | null}
   */
  returning = null;
  /**
   * Receives the positions of the view: see `Viewport`. A client has one.
   * @type {{connected(): void, disconnected(): void, stop(): void, frame(buffer: ArrayBuffer): void,
   *   push(topic: string, data: any): void} | null}
   */
  viewport = null;

  #connection;
  #credentials;
  #scheduler;
  #messageOf;
  #program;
  #pending;
  #waiters;
  #incoming = new IncomingMessages((data) => this.#take(data));
  #subscriptions;

  /**
   * @param {string} url Address of the server's WebSocket, such as `wss://campus.example/ws`.
   * @param {ClientOptions} options
   */
  constructor(url, {
    token = null, client = { name: "campanile.js" }, storage = new MemoryStorage(), network = alwaysThere, scheduler = systemScheduler,
    makeSocket = makeGlobalSocket, messageOf = ({ message }) => message,
  } = {}) {
    super();
    this.url = url;
    this.#scheduler = scheduler;
    this.#messageOf = messageOf;
    this.#program = client;
    this.#pending = new PendingRequests(scheduler);
    this.#waiters = new Waiters(scheduler);
    this.#credentials = new Credentials(storage);
    if (token !== null && token !== this.#credentials.token) {
      this.#credentials.token = token;
      this.#credentials.account = null;
    }
    this.clock = new ServerClock(this.#credentials.clockOffset, scheduler.now);
    this.#connection = new Connection({ url, makeSocket, scheduler, network, on: {
      hello: () => this.#hello(), ready: () => this.#renew(), message: (data) => this.#incoming.receive(data), ask: () => { this.#ping(); },
      lost: () => this.#lost(), signedOut: (reason) => this.#expel(signOutCause(reason)), state: () => this.#stateChanged(),
    } });
    this.#subscriptions = new Subscriptions({
      request: (method, params) => this.#send(method, params, requestMilliseconds), isReady: () => this.#connection.isReady, scheduler,
    });
  }

  /** State of the connection. */
  get state() {
    return this.#connection.state;
  }

  /** Local ms when the next attempt to connect starts; null while none is planned. */
  get nextAttemptAt() {
    return this.#connection.nextAttemptAt;
  }

  /** Whether it has stopped trying, because the next attempt would end the same way. `connect()` tries again. */
  get gaveUp() {
    return this.#connection.gaveUp;
  }

  /** Whether the server knows this connection, also while its silence is doubtful. */
  get isReady() {
    return this.#connection.isReady;
  }

  /** Whether the server has ever answered. */
  get wasLive() {
    return this.#connection.wasLive;
  }

  /** Local ms of the last message of the server; 0 for never. */
  get lastMessageAt() {
    return this.#connection.lastMessageAt;
  }

  /** The account that is signed in; null for a guest. Before the first connection it is the account of the last run. */
  get account() {
    return this.#credentials.account;
  }

  /** Token of the sign-in, for HTTP requests; null for a guest. */
  get token() {
    return this.#credentials.token;
  }

  /** Connects, and connects again whenever the connection is lost, until `close()`. */
  connect() {
    this.#connection.connect();
  }

  /** Closes the connection and stops all timers. Subscriptions and the view stay for the next `connect()`. */
  close() {
    this.#connection.close();
    this.#waiters.rejectAll();
    this.viewport?.stop();
  }

  /** Connects at once instead of waiting for the backoff to end, for example when the network is back. */
  retryNow() {
    this.#connection.retryNow();
  }

  /** Checks at once whether the connection is alive, for example when a device wakes up. */
  checkNow() {
    this.#connection.checkNow();
  }

  // MARK: Requests

  /**
   * Sends a request; resolves with its result, or rejects with a `RequestError`. While there is no connection it waits for one.
   * @template {keyof Methods} M
   * @param {M} method
   * @param {Methods[M]["params"]} [params]
   * @param {{timeout?: number}} options `timeout`: ms until it rejects with the code `timeout`, or `offline` if it was not sent.
   * @returns {Promise<Methods[M]["result"]>}
   */
  async request(method, params, { timeout = requestMilliseconds } = {}) {
    const deadline = this.#scheduler.now() + timeout;
    if (this.state !== "live") {
      const isLive = this.#waiters.wait(Math.min(timeout, connectionMillisecondsMax));
      this.retryNow();
      await isLive;
    }
    return this.#send(method, params ?? {}, Math.max(1, deadline - this.#scheduler.now()));
  }

  /**
   * Keeps a topic subscribed, over reconnects, until `close()` of the result.
   * @param {string} topic
   * @param {import("./subscriptions.js").SubscriptionHandlers} handlers
   * @param {import("./subscriptions.js").SubscriptionOptions} [options]
   */
  subscribe(topic, handlers, options) {
    return this.#subscriptions.add(topic, handlers, options);
  }

  /**
   * The runners in a view of the map, kept up to date. A client has one view: a later call replaces an earlier one.
   * @param {[south: number, west: number, north: number, east: number]} [box] The part of the map to begin with, in degrees.
   * @param {number} [zoom] The zoom of the map, 0 to 24.
   */
  positions(box, zoom = 16) {
    const positions = new LivePositions(this, { scheduler: this.#scheduler, now: this.#scheduler.now });
    if (box) positions.show(box, zoom);
    return positions;
  }

  // MARK: Sign-in

  /**
   * Signs in. The device's own token goes along: wrong passwords that others try do not delay a device that has signed in before.
   * @template {"account.login" | "account.register" | "account.accept" | "account.registerOpenID" | "account.finishOpenID"} M
   * @param {M} method
   * @param {Methods[M]["params"]} params
   * @returns {Promise<Methods[M]["result"]>}
   */
  async signIn(method, params) {
    const result = await this.request(method, { ...params, device: this.#credentials.device ?? undefined });
    const signedIn = method === "account.finishOpenID" ? /** @type {any} */ (result).signedIn : result;
    if (!signedIn) return result;
    [this.#credentials.token, this.returning] = [signedIn.token, null];
    if (signedIn.device) this.#credentials.device = signedIn.device;
    this.#subscriptions.renewAfter(() => this.#setAccount(signedIn.account));
    this.viewport?.connected();
    return result;
  }

  /** Forgets token and account, and continues as a guest on a new connection. `account.logout` revokes the token before. */
  signedOut() {
    this.returning = null;
    this.#forgetAccount();
    this.#connection.reopen();
  }

  /** Takes over the account as a reply to one of its methods has it, such as that of `account.me`. */
  accountChanged(account) {
    if (account.id === this.account?.id) this.#setAccount(account);
  }

  #setAccount(account) {
    const changed = !isSameAccount(account, this.account);
    this.#credentials.account = account;
    if (changed) this.dispatchEvent(new Event("account"));
  }

  #forgetAccount() {
    this.#credentials.token = null;
    this.#setAccount(null);
  }

  #expel(cause) {
    this.dispatchEvent(new CustomEvent("signingOut", { detail: { cause } }));
    this.returning = cause === "changed" ? this.account?.id ?? null : null;
    this.#forgetAccount();
    this.dispatchEvent(new CustomEvent("signedOut", { detail: { cause } }));
  }

  // MARK: The connection

  /** @returns {Promise<"ready" | "again" | "failed">} */
  async #hello() {
    const { token } = this;
    const params = { client: this.#program, protocolVersion, ...(token && { token, rotates: true }) };
    try {
      const askedAt = this.#scheduler.now();
      const result = await this.#send("hello", params, helloMilliseconds, true);
      // The reply is input: one that is no object is a failure.
      const { campus, version, webApp = null, isOutdated = false, account = null } = result;
      this.#connection.answered(this.#scheduler.now() - askedAt);
      // The server does not know the token any more: it was revoked meanwhile.
      if (token && !account) return this.#refused("signedOut");
      if (token && result.token) this.#credentials.rotated(token, result.token);
      Object.assign(this, { campus, version, webApp, isOutdated });
      this.#setAccount(account);
      return "ready";
    } catch (error) {
      const isRefused = error.isUnauthenticated || error.isForbidden || error.isInvalidCredentials;
      return token && isRefused ? this.#refused(refusedCause(error)) : "failed";
    }
  }

  #refused(cause) {
    this.#expel(cause);
    return /** @type {const} */ ("again");
  }

  async #ping() {
    const askedAt = this.#scheduler.now();
    try {
      await this.#send("ping", {}, requestMilliseconds);
      this.#connection.answered(this.#scheduler.now() - askedAt);
    } catch {
      // `Liveness` judges the silence.
    }
  }

  #renew() {
    this.viewport?.connected();
    this.#subscriptions.renew();
  }

  #lost() {
    this.#incoming.flush();
    this.#pending.rejectAll(() => new RequestError("offline", "The connection was lost."));
    this.#subscriptions.suspend();
    this.viewport?.disconnected();
  }

  #stateChanged() {
    if (this.state === "live") this.#waiters.release();
    this.dispatchEvent(new Event("state"));
  }

  // MARK: Messages

  /**
   * @param {string} method
   * @param {any} params
   * @param {number} timeout
   */
  #send(method, params, timeout, beforeReady = false) {
    if (!this.#connection.isOpen || (!beforeReady && !this.#connection.isReady)) {
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
      // As the server would report it.
      const field = error instanceof PointError ? `points[${error.index}]` : "points";
      return Promise.reject(new RequestError(errorCodes.invalidParams, error.message, { name: "invalidParams", field }));
    }
    const reply = this.#pending.add(id, { timeout, isBinary });
    this.#connection.send(message);
    return reply;
  }

  #take(data) {
    if (typeof data !== "string") {
      if (!(data instanceof ArrayBuffer)) return;
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
      if (part?.method === "push") this.#push(part.params);
      else if (typeof part === "object" && part !== null) this.#reply(part);
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

  /** @param {{id?: number | null, result?: any, error?: any}} reply */
  #reply({ id, result, error }) {
    const request = this.#pending.take(id === null && error ? this.#pending.oldest({ isBinary: false }) : id);
    if (!request) return;
    this.#incoming.settle();
    if (error) {
      const failure = { code: error.code, message: String(error.message ?? "The server refused the request."), data: error.data ?? {} };
      request.reject(new RequestError(failure.code, this.#messageOf(failure), failure.data));
      return;
    }
    if (result?.serverTime && !result.snapshot) {
      this.clock.sample(request.sentAt, this.#scheduler.now(), result.serverTime);
      this.#credentials.clockOffset = this.clock.offset;
    }
    request.resolve(result);
  }

  #push(publication) {
    if (typeof publication?.topic !== "string") return;
    if (publication.topic.startsWith("cell/")) this.viewport?.push(publication.topic, publication.data);
    this.#subscriptions.push(publication);
  }
}
