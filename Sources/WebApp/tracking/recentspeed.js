// The speed of the last seconds, for the pace while recording. Pure: times are ms, given by the caller.

import { accuracyMetresMax } from "./recording.js";

/** The speed is of so long: one GPS fix is too inexact, and half a minute is history. */
const windowMilliseconds = 20_000;
/** Less than this is no speed yet. */
const spanMillisecondsMin = 6_000;
/** Nothing came for so long: the speed is not known. */
const silenceMilliseconds = 10_000;
const samplesMax = 64;

/** Metres over time of the last 20 s, from counted metres. */
export class RecentSpeed {
  #samples = [];

  /** At `time`, `metres` were counted altogether. A fix that is too inexact to count adds no metres, whatever was run meanwhile. */
  add(time, metres, accuracy = 0) {
    if (accuracy > accuracyMetresMax) return;
    const last = this.#samples.at(-1);
    if (last && (time <= last.time || metres < last.metres)) this.clear();
    this.#samples.push({ time, metres });
    const isOld = () => this.#samples.length > 2 && this.#samples[1].time <= time - windowMilliseconds;
    while (this.#samples.length > samplesMax || isOld()) this.#samples.shift();
  }

  /** Forgets the seconds before a pause. */
  clear() {
    this.#samples = [];
  }

  /** m/s at `now`; null while it is not known. */
  at(now) {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || now - last.time > silenceMilliseconds || last.time - first.time < spanMillisecondsMin) return null;
    return (last.metres - first.metres) / ((last.time - first.time) / 1000);
  }
}
