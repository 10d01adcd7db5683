// One WebSocket at a time: opened, checked for life, and opened again. No DOM.
//
// The timeline of a connection that becomes silent, while the page is visible; the constants are here, in liveness.js and in backoff.js:
//
//   4 s (hidden: 20 s) after the last message   it asks: a request whose only purpose is an answer
//   2.5 to 5 s later, four usual round trips    doubtful: `reconnecting` on the same socket; it asks again. Any message: `live` again
//   10 s after the question                     lost: the socket is dropped, and another is opened after a backoff
//   20 s after the last message                 `offline`, while attempts go on: a random wait up to 0.5 s, doubling up to 30 s
//
// A socket has 10 s up to the reply to `hello`. After 10 s as `live` the backoff begins anew. After 30 s of silence, as when a device wakes
// up, the next question makes the connection doubtful by itself. Without a network the state is `offline` and not `reconnecting`.

import { afterClose } from "./backoff.js";
import { Liveness } from "./liveness.js";
import { Timer } from "./scheduler.js";

const subprotocol = "campanile.v1";
const helloMilliseconds = 10_000;
const lookEveryMilliseconds = 1_000;
/** A connection that is lost for so long is called offline, whatever is known of the network. */
const offlineAfterMilliseconds = 20_000;
const stableAfterMilliseconds = 10_000;
/** `WebSocket.OPEN`. */
const isOpen = 1;

/**
 * State of a connection. `closed`: not opened yet, or closed by the program. `reconnecting`: being opened, or its silence is doubtful
 * though the socket may still be open. `live`: the server answers. `offline`: lost for 20 seconds, without a network, or given up
 * (`gaveUp`).
 * @typedef {"closed" | "reconnecting" | "live" | "offline"} ConnectionState
 */

/**
 * What is known of the network and of the person.
 * @typedef {object} NetworkSignals
 * @property {() => boolean} isOnline False while there is certainly no network.
 * @property {() => boolean} isVisible Whether a person sees the program: if not, a silent connection is checked less often.
 */

/**
 * What a connection does for its owner.
 * @typedef {object} ConnectionEvents
 * @property {() => Promise<"ready" | "again" | "failed">} hello Sends `hello` on the new socket. `again` starts over on another socket.
 * @property {() => void} ready `hello` was answered: topics can be subscribed.
 * @property {(data: any) => void} message
 * @property {() => void} ask Sends a request that shows whether the server is there.
 * @property {() => void} lost The socket is gone.
 * @property {(reason: string) => void} signedOut The server has revoked the token; the close reason names the cause.
 * @property {() => void} state The state, `nextAttemptAt` or `gaveUp` may have changed.
 */

/** A WebSocket as the platform has it. */
export function makeGlobalSocket(url, subprotocol) {
  if (typeof WebSocket === "undefined") throw new Error("There is no WebSocket here: set makeSocket, for example with ws for Node.js.");
  return new WebSocket(url, subprotocol);
}

/** The WebSocket of a client, opened again with backoff. */
export class Connection {
  /** @type {ConnectionState} */
  state = "closed";
  /** Local ms of the next attempt, while it waits; null during an attempt. */
  nextAttemptAt = null;
  /** Whether it has stopped trying, because the next attempt would end the same way (see the close codes). */
  gaveUp = false;
  /** Whether the server has ever answered `hello`. */
  wasLive = false;
  /** Whether the server has answered `hello` on this socket. */
  isReady = false;

  #url;
  #makeSocket;
  #scheduler;
  #network;
  #on;
  #socket = null;
  #attempt = 0;
  /** Local ms before which a restarting server refuses a new connection. */
  #slotAt = 0;
  #lostAt;
  #liveness = new Liveness();
  #timers;

  /**
   * @param {{url: string, makeSocket: (url: string, subprotocol: string) => any, scheduler: import("./scheduler.js").Scheduler,
   *   network: NetworkSignals, on: ConnectionEvents}} parts
   */
  constructor({ url, makeSocket, scheduler, network, on }) {
    this.#url = url;
    this.#makeSocket = makeSocket;
    this.#scheduler = scheduler;
    this.#network = network;
    this.#on = on;
    this.#lostAt = scheduler.now();
    const timer = () => new Timer(scheduler);
    this.#timers = { retry: timer(), look: timer(), stable: timer(), hello: timer(), offline: timer() };
  }

  /** Local ms of the last message of the server; 0 for never. */
  get lastMessageAt() {
    return this.#liveness.heardAt;
  }

  /** Whether there is an open socket. */
  get isOpen() {
    return this.#socket?.readyState === isOpen;
  }

  /** Opens the socket; safe to call again. */
  connect() {
    if (this.#socket) return;
    this.#timers.retry.clear();
    this.nextAttemptAt = null;
    this.gaveUp = false;
    this.#setState(this.#lostState);
    const socket = this.#makeSocket(this.#url, subprotocol);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    // Covers the whole way up to the reply to hello: a network may swallow the handshake without an error.
    this.#timers.hello.set(helloMilliseconds, () => this.#drop(4001));
    socket.onopen = () => this.#hello(socket);
    socket.onmessage = ({ data }) => this.#receive(data);
    // `ws` for Node.js throws for an error that has no listener. A close follows.
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => this.#closed(socket, code, String(reason ?? ""));
    // A program may have opened it before.
    if (socket.readyState === isOpen) this.#hello(socket);
  }

  /** Closes the socket and stops trying. `connect()` begins again. */
  close() {
    this.#discard();
    for (const timer of Object.values(this.#timers)) timer.clear();
    this.nextAttemptAt = null;
    this.#attempt = 0;
    this.#setState("closed");
  }

  /** Starts over on a new socket, without waiting. */
  reopen() {
    if (!this.#socket) return;
    this.#discard();
    this.connect();
  }

  /** Tries at once instead of waiting for the backoff to end. */
  retryNow() {
    const isIdle = this.state === "closed" || this.state === "live" || this.#socket !== null;
    if (isIdle || this.#scheduler.now() < this.#slotAt) return;
    this.#attempt = Math.min(this.#attempt, 2);
    this.connect();
  }

  /** Asks the server at once whether it is there: the network has changed, or a person sees the program again. */
  checkNow() {
    if (!this.isReady) {
      if (!this.#network.isOnline() && this.state !== "closed") this.#setState("offline");
    } else if (this.#liveness.asked(this.#scheduler.now(), !this.#network.isOnline())) {
      this.#doubt();
    } else {
      this.#on.ask();
    }
  }

  /** A request was answered after so many ms. */
  answered(milliseconds) {
    this.#liveness.answered(milliseconds);
  }

  /** @param {string | Uint8Array} message */
  send(message) {
    this.#socket.send(message);
  }

  async #hello(socket) {
    const outcome = await this.#on.hello();
    if (socket !== this.#socket) return;
    if (outcome === "again") this.reopen();
    else if (outcome === "failed") this.#drop(1011);
    else this.#welcome();
  }

  #welcome() {
    this.#timers.hello.clear();
    this.wasLive = true;
    this.#timers.stable.set(stableAfterMilliseconds, () => { this.#attempt = 0; });
    this.isReady = true;
    this.#liveness.opened(this.#scheduler.now());
    this.#lookLater();
    this.#setState("live");
    this.#on.ready();
  }

  #receive(data) {
    if (this.#liveness.heard(this.#scheduler.now())) this.#setState("live");
    this.#on.message(data);
  }

  /** A half-open socket looks alive until something is sent over it. */
  #lookLater() {
    this.#timers.look.set(lookEveryMilliseconds, () => {
      this.#lookLater();
      const action = this.#liveness.step(this.#scheduler.now(), this.#network.isVisible());
      if (action === "ask") this.#on.ask();
      else if (action === "doubt") this.#doubt();
      else if (action === "drop") this.#drop(1006);
    });
  }

  #doubt() {
    this.#lostAt = this.lastMessageAt;
    this.#setState(this.#lostState);
    this.#on.ask();
  }

  get #lostState() {
    const isLong = this.#scheduler.now() - this.#lostAt >= offlineAfterMilliseconds;
    return !this.#network.isOnline() || isLong ? "offline" : "reconnecting";
  }

  /** Treats the socket as closed now, without waiting for a closing handshake that may never come. */
  #drop(code) {
    const socket = this.#socket;
    if (!socket) return;
    this.#detach(socket);
    this.#closed(socket, code);
  }

  /** Lets the socket go without connecting again. */
  #discard() {
    const socket = this.#socket;
    if (!socket) return;
    this.#detach(socket);
    this.#lose();
  }

  #detach(socket) {
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {};
    socket.close();
  }

  #lose() {
    this.#socket = null;
    for (const name of ["hello", "stable", "look", "retry"]) this.#timers[name].clear();
    if (this.state === "live") this.#lostAt = this.#scheduler.now();
    this.isReady = false;
    this.#liveness.closed();
    this.#on.lost();
  }

  #closed(socket, code, reason = "") {
    if (socket !== this.#socket) return;
    this.#lose();
    const next = afterClose(code, this.#attempt, Math.random, reason);
    if (next.action === "signOut") this.#on.signedOut(reason);
    // The program may have closed or reopened it in the meantime.
    if (this.state === "closed" || this.#socket) return;
    if (next.action === "giveUp") {
      this.nextAttemptAt = null;
      this.gaveUp = true;
      this.#setState("offline");
      return;
    }
    this.#attempt += 1;
    this.nextAttemptAt = this.#scheduler.now() + next.delay;
    if (code === 1012) this.#slotAt = this.nextAttemptAt;
    this.#timers.retry.set(next.delay, () => this.connect());
    this.#setState(this.#lostState);
    this.#timers.offline.set(Math.max(0, this.#lostAt + offlineAfterMilliseconds - this.#scheduler.now()), () => {
      if (this.state === "reconnecting") this.#setState(this.#lostState);
    });
  }

  #setState(state) {
    this.state = state;
    this.#on.state();
  }
}
