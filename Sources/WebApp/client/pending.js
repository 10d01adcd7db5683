// Requests of a connection that have no reply yet. No DOM.

import { RequestError } from "./errors.js";
import { systemScheduler } from "./scheduler.js";

export class PendingRequests {
  #scheduler;
  #nextId = 1;
  /** By id: `{resolve, reject, cancel, sentAt, isBinary}`. */
  #requests = new Map();

  /** @param {import("./scheduler.js").Scheduler} [scheduler] */
  constructor(scheduler = systemScheduler) {
    this.#scheduler = scheduler;
  }

  nextId() {
    return this.#nextId++;
  }

  /** Resolves with the result of a request that is sent now; rejects with a `timeout` after `timeout` ms. */
  add(id, { timeout, isBinary }) {
    return new Promise((resolve, reject) => {
      const cancel = this.#scheduler.after(timeout, () => {
        this.#requests.delete(id);
        reject(new RequestError("timeout", "The server didn't respond in time. Try again."));
      });
      this.#requests.set(id, { resolve, reject, cancel, sentAt: this.#scheduler.now(), isBinary });
    });
  }

  /** Takes a request out, because its reply is here; undefined when it is not known, or not any more. */
  take(id) {
    const request = this.#requests.get(id);
    if (!request) return undefined;
    this.#requests.delete(id);
    request.cancel();
    return request;
  }

  /** Id of the oldest request of a kind. A request that the server could not read has no id in its reply; replies come in order. */
  oldest({ isBinary }) {
    return [...this.#requests].find(([, request]) => request.isBinary === isBinary)?.[0];
  }

  /** Rejects all of them, each with an error of its own, because the connection is lost. */
  rejectAll(makeError) {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const { cancel, reject } of requests) {
      cancel();
      reject(makeError());
    }
  }
}
