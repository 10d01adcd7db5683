// The server's time for a training, also while the clock of the device is set back. No DOM.

/** A smaller step back comes from a new estimate of the server's time. */
const toleranceMilliseconds = 2_000;

/**
 * The server's time in ms, as far as it is known. When the clock of the device is set back, it goes on from where it was until the client
 * has compared its clock with the server's again. A clock that is set forward looks like a device that slept, and is believed.
 */
export class SteadyTime {
  #clock; #elapsed; #last;

  /**
   * `clock` is a `ServerClock`; `elapsed()` gives ms that no setting of a clock changes. `notBefore` is a time that has passed, for when no
   * connection knows better.
   * @param {{now: () => number, offset?: number}} clock
   */
  constructor(clock, { notBefore = -Infinity, elapsed = () => performance.now() } = {}) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#last = { time: Math.max(clock.now(), notBefore), elapsed: elapsed(), offset: clock.offset };
  }

  /** The server's time in ms. */
  now() {
    const [time, elapsed, { offset }] = [this.#clock.now(), this.#elapsed(), this.#clock];
    const expected = this.#last.time + elapsed - this.#last.elapsed;
    const isSetBack = offset === this.#last.offset && time < expected - toleranceMilliseconds;
    this.#last = { time: isSetBack ? expected : time, elapsed, offset };
    return this.#last.time;
  }
}
