// The clock and the timers of a client. Tests pass their own.

/**
 * Clock and timers.
 * @typedef {object} Scheduler
 * @property {() => number} now The local time in ms since 1970.
 * @property {(milliseconds: number, run: () => void) => () => void} after Calls `run` once after a delay; the result cancels the call.
 */

/** @type {Scheduler} */
export const systemScheduler = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A timer that can be set again: a later `set` replaces the earlier one. */
export class Timer {
  #scheduler;
  #cancel = null;

  /** @param {Scheduler} scheduler */
  constructor(scheduler) {
    this.#scheduler = scheduler;
  }

  get isSet() {
    return this.#cancel !== null;
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} run
   */
  set(milliseconds, run) {
    this.clear();
    this.#cancel = this.#scheduler.after(milliseconds, () => {
      this.#cancel = null;
      run();
    });
  }

  clear() {
    this.#cancel?.();
    this.#cancel = null;
  }
}
