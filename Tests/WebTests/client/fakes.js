// A server and a clock of the test's making, for tests of the client.

import { CampanileClient } from "../../../Sources/WebApp/client/campanile.js";

/** A clock that moves only when the test says so. */
export class FakeScheduler {
  time = 1_800_000_000_000;
  #timers = new Set();

  now = () => this.time;

  after = (milliseconds, run) => {
    const timer = { at: this.time + milliseconds, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get timers() {
    return this.#timers.size;
  }

  /** Moves on; timers run in order, and promises settle between them. */
  async pass(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await settled();
    }
    this.time = end;
    await settled();
  }
}

/** Resolves when everything that waits for resolved promises has run. */
export const settled = () => new Promise((resolve) => { setImmediate(resolve); });

/** One end of a WebSocket. `reply` answers requests by itself unless a method has no answer. */
export class FakeSocket {
  readyState = 0;
  sent = [];

  constructor(server) {
    this.server = server;
  }

  open() {
    this.readyState = 1;
    this.onopen?.();
  }

  send(message) {
    this.sent.push(message);
    if (typeof message !== "string") return;
    const request = JSON.parse(message);
    const answer = this.server.answers[request.method];
    if (!answer) return;
    const outcome = answer(request.params, this);
    if (outcome?.error) this.receive({ id: request.id, error: outcome.error });
    else if (outcome !== undefined) this.receive({ id: request.id, result: outcome });
  }

  /** The server's message arrives a moment later. */
  receive(message) {
    setImmediate(() => { if (this.readyState === 1) this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) }); });
  }

  push(params) {
    this.onmessage({ data: JSON.stringify({ jsonrpc: "2.0", method: "push", params }) });
  }

  /** The server ends the connection. */
  end(code, reason = "") {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  close() {
    this.readyState = 3;
  }

  /** Requests of a method, as parameters. */
  requests(method) {
    return this.sent.filter((message) => typeof message === "string").map((message) => JSON.parse(message))
      .filter((request) => request.method === method).map(({ params }) => params);
  }
}

/** A server: the sockets that were opened, and answers by method. */
export class FakeServer {
  sockets = [];
  account = null;
  answers = {
    hello: ({ token }) => ({ serverTime: new Date(this.scheduler.time).toISOString(), version: "1", campus: { id: 1, name: "C", zones: [] },
      ...(token && this.account && { account: this.account }) }),
    ping: () => ({ serverTime: new Date(this.scheduler.time).toISOString() }),
    subscribe: ({ topic }) => ({ topic, snapshot: { of: topic } }),
    unsubscribe: ({ topic }) => ({ topic }),
  };
  scheduler = new FakeScheduler();

  get socket() {
    return this.sockets.at(-1);
  }

  client(options = {}) {
    return new CampanileClient("ws://test/ws", {
      scheduler: this.scheduler, ...options,
      makeSocket: () => {
        const socket = new FakeSocket(this);
        this.sockets.push(socket);
        return socket;
      },
    });
  }

  /** Opens the newest socket, and waits for `hello`. */
  async open() {
    this.socket.open();
    await settled();
    await settled();
  }

  /** A client that is live. */
  async connected(options) {
    const client = this.client(options);
    client.connect();
    await this.open();
    return client;
  }
}
