// The time of a training on a device whose clock somebody sets back. No DOM.

/** Less is a new estimate of the server's time, and no clock that was set back. */
const toleranceMilliseconds = 2_000;

/**
 * The server's time in ms, as far as it is known, which goes on when the clock of the device is set back: until the server's clock was
 * compared anew. A clock that is set forward cannot be told from a device that slept.
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

  now() {
    const [time, elapsed, { offset }] = [this.#clock.now(), this.#elapsed(), this.#clock];
    const expected = this.#last.time + elapsed - this.#last.elapsed;
    const isSetBack = offset === this.#last.offset && time < expected - toleranceMilliseconds;
    this.#last = { time: isSetBack ? expected : time, elapsed, offset };
    return this.#last.time;
  }
}
