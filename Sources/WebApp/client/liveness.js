// Whether a connection that is silent is still there. Pure: times are local milliseconds, given by the caller.
//
// A lost network closes no socket. Old positions must not look live, so a visible page asks after a few seconds of silence. Any message
// counts as an answer: a busy map sends no questions at all. A hidden page spares the battery. A late answer makes the connection doubtful
// at first, as slow networks have such pauses, and lost only later. `connection.js` has the whole timeline.

/** Silence after which the page asks. */
export const askAfterMilliseconds = { visible: 4_000, hidden: 20_000 };
/** A question without an answer for so long makes the connection doubtful; longer where answers are slow. */
export const doubtAfterMilliseconds = { min: 2_500, max: 5_000 };
/** A question without an answer for so long means that the connection is lost. */
export const lostAfterMilliseconds = 10_000;
/** After so much silence, as when a device wakes up, nothing is live before an answer has come. */
export const staleAfterMilliseconds = 30_000;
/** A doubtful connection needs this many usual round trips of silence. */
const roundTripsMin = 4;
/** Weight of each new round trip in the average. */
const smoothing = 0.25;

/** One connection: `quiet` (received something lately), `asked`, `doubtful` or `closed`. */
export class Liveness {
  state = "closed";
  /** When anything was received last; 0 before. */
  heardAt = 0;
  #askedAt = 0;
  #roundTrip = 0;

  opened(now) {
    this.state = "quiet";
    this.heardAt = now;
  }

  closed() {
    this.state = "closed";
  }

  /** Something was received. Returns whether the connection was doubtful until now. */
  heard(now) {
    const wasDoubtful = this.state === "doubtful";
    if (this.state !== "closed") this.state = "quiet";
    this.heardAt = now;
    return wasDoubtful;
  }

  /** A question took this long. */
  answered(milliseconds) {
    this.#roundTrip += (milliseconds - this.#roundTrip) * (this.#roundTrip > 0 ? smoothing : 1);
  }

  /** The page asks now. `isGone` when the browser itself reports that the network is gone. Returns whether the connection is doubtful. */
  asked(now, isGone = false, isVisible = true) {
    if (this.state === "closed") return false;
    if (this.state === "quiet") {
      this.#askedAt = now;
      this.state = "asked";
    }
    // The timers of a hidden page are slow, and nobody looks at it.
    if (isGone || (isVisible && now - this.heardAt >= staleAfterMilliseconds)) this.state = "doubtful";
    return this.state === "doubtful";
  }

  /** Action due now: `ask`, `doubt` (and ask again), `drop` or null. Call it about every second. */
  step(now, isVisible) {
    const waited = now - this.#askedAt;
    switch (this.state) {
      case "quiet":
        if (now - this.heardAt < askAfterMilliseconds[isVisible ? "visible" : "hidden"]) return null;
        return this.asked(now, false, isVisible) ? "doubt" : "ask";
      case "asked":
        if (waited < this.#patience) return null;
        this.state = "doubtful";
        return "doubt";
      case "doubtful":
        return waited < lostAfterMilliseconds ? null : "drop";
      default:
        return null;
    }
  }

  get #patience() {
    const { min, max } = doubtAfterMilliseconds;
    return Math.min(max, Math.max(min, this.#roundTrip * roundTripsMin));
  }
}
