// Requests that wait until the connection is live. No DOM.

import { RequestError } from "./errors.js";
import { Timer } from "./scheduler.js";

export class Waiters {
  #scheduler;
  #waiting = new Set();

  /** @param {import("./scheduler.js").Scheduler} scheduler */
  constructor(scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Resolves with `release()`; rejects with `offline` after some ms.
   * @param {number} milliseconds
   * @returns {Promise<void>}
   */
  wait(milliseconds) {
    return new Promise((resolve, reject) => {
      const timer = new Timer(this.#scheduler);
      const end = (settle) => () => {
        timer.clear();
        this.#waiting.delete(waiter);
        settle();
      };
      const waiter = {
        resolve: end(resolve),
        reject: end(() => reject(new RequestError("offline", "Couldn't reach the server. Check your connection and try again."))),
      };
      timer.set(milliseconds, waiter.reject);
      this.#waiting.add(waiter);
    });
  }

  /** The connection is live. */
  release() {
    for (const { resolve } of this.#waiting) resolve();
  }

  /** The connection was closed. */
  rejectAll() {
    for (const { reject } of this.#waiting) reject();
  }
}
