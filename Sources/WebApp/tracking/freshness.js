// Whether an answer of the server is recent. Pure: times are ms, given by the caller.

/** Knowledge that is asked for again now and then. */
export class Freshness {
  #milliseconds;
  #knownAt = -Infinity;
  #askedAt = -Infinity;

  /** An answer counts for so long. */
  constructor(milliseconds) {
    this.#milliseconds = milliseconds;
  }

  /** An answer came at `now`. */
  know(now) {
    this.#knownAt = now;
  }

  /** A question was sent at `now`. */
  ask(now) {
    this.#askedAt = now;
  }

  isKnown(now) {
    return now - this.#knownAt < this.#milliseconds;
  }

  /** Whether it is time to ask: half of the time has passed since the last answer and the last question. */
  isDue(now) {
    return now - Math.max(this.#knownAt, this.#askedAt) > this.#milliseconds / 2;
  }
}
