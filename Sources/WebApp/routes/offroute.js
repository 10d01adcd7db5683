// Whether a person has left the route, from positions that are more or less exact. Pure.

/** Someone so far from the line, beyond what the position may be wrong by, has left it. */
const offMetres = 20;
/** Someone as near as this share of the limit is on it again: between the two nothing changes. */
const backShare = 0.5;
/** A position that may be wrong by more says nothing about a path. */
const accuracyMetresMax = 100;
/** A single position may be an outlier: it takes so many in a row, over so long. */
const fixesMin = 3;
const doubtMilliseconds = 4_000;

/** The states: `on` the route, `doubtful` after the first positions away from it, and `off`. */
export class OffRoute {
  state = "on";

  #fixes = 0;
  #since = 0;

  /** Takes a position's distance from the line and its accuracy in metres, and its time in ms. Returns the state. */
  take({ away, accuracy, time }) {
    const error = accuracy ?? 0;
    if (!(error <= accuracyMetresMax) || !Number.isFinite(away)) return this.state;
    const limit = offMetres + error;
    if (away <= limit * backShare) this.reset();
    else if (away > limit) this.#count(time);
    else if (this.state === "doubtful") this.reset();
    return this.state;
  }

  /** Begins anew, such as with another route. */
  reset() {
    this.state = "on";
    this.#fixes = 0;
  }

  #count(time) {
    if (this.state === "on") {
      this.state = "doubtful";
      this.#since = time;
    }
    this.#fixes += 1;
    if (this.#fixes >= fixesMin && time - this.#since >= doubtMilliseconds) this.state = "off";
  }
}
