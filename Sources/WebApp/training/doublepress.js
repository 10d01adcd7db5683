// A second press that follows too soon to be meant for what the first one brought. Pure.

const doubleMilliseconds = 350;

export class DoublePress {
  #at = -Infinity;

  /** Whether a press at a time in ms is the second of a double press. */
  isSecond(at) {
    const isSecond = at - this.#at < doubleMilliseconds;
    this.#at = at;
    return isSecond;
  }
}
