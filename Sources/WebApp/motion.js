// Smooth motion between position updates, and trails. Pure: times are milliseconds, given by the caller.

const easeMillisecondsMin = 200;
const easeMillisecondsMax = 1600;
/** A farther jump than this (scaled by the clock's rate) is a correction, not a movement: it is not animated. */
const jumpMetresMax = 150;
const trailMilliseconds = 120_000;
const trailPointsMax = 240;
const metresPerDegree = 111_320;

/** Metres between two positions in degrees; flat-earth, good within a campus. */
export function metresBetween(a, b) {
  const y = (b.lat - a.lat) * metresPerDegree;
  const x = (b.lon - a.lon) * metresPerDegree * Math.cos((a.lat * Math.PI) / 180);
  return Math.hypot(x, y);
}

/** A position that glides to each new fix over the time the fix took to come, so that motion never stops between fixes. */
export class Glide {
  #from; #to; #start; #length = 0; #interval = 1000; #updatedAt;

  constructor(position, now) {
    this.#from = this.#to = position;
    this.#start = this.#updatedAt = now;
  }

  /** A new fix. `animate` false jumps (reduced motion). `rate` is how many times faster than real the runner's clock goes. */
  moveTo(position, now, { animate = true, rate = 1 } = {}) {
    const shown = this.at(now);
    const sinceLast = now - this.#updatedAt;
    this.#updatedAt = now;
    // Smoothed, because updates come a little early or late and the speed on screen should not flicker with them.
    this.#interval += (Math.min(sinceLast, easeMillisecondsMax) - this.#interval) * 0.4;
    const jumps = metresBetween(shown, position) > jumpMetresMax * Math.max(1, rate);
    this.#from = animate && !jumps ? shown : position;
    this.#to = position;
    this.#start = now;
    this.#length = Math.min(easeMillisecondsMax, Math.max(easeMillisecondsMin, this.#interval));
  }

  /** Where it is shown at `now`. */
  at(now) {
    const part = this.#length > 0 ? Math.min(1, Math.max(0, (now - this.#start) / this.#length)) : 1;
    return {
      lat: this.#from.lat + (this.#to.lat - this.#from.lat) * part,
      lon: this.#from.lon + (this.#to.lon - this.#from.lon) * part,
    };
  }

  /** Whether `at` still changes after `now`. */
  isMoving(now) {
    return now - this.#start < this.#length && (this.#from.lat !== this.#to.lat || this.#from.lon !== this.#to.lon);
  }
}

/** The last two minutes of fixes (of the runner's own time), bounded in number. */
export class Trail {
  points = [];

  /** `positions` are `[lat, lon]` without times: spread evenly over the trail's length before `now`. */
  constructor(positions = [], now = 0, rate = 1) {
    const step = trailMilliseconds / Math.max(1, rate) / Math.max(1, positions.length);
    this.points = positions.slice(-trailPointsMax).map(([lat, lon], index, all) => ({ lat, lon, time: now - step * (all.length - index) }));
  }

  add(position, now, rate = 1) {
    const last = this.points[this.points.length - 1];
    if (!last || last.lat !== position.lat || last.lon !== position.lon) {
      this.points.push({ lat: position.lat, lon: position.lon, time: now });
    }
    this.prune(now, rate);
  }

  prune(now, rate = 1) {
    const oldest = now - trailMilliseconds / Math.max(1, rate);
    let drop = Math.max(0, this.points.length - trailPointsMax);
    while (drop < this.points.length - 1 && this.points[drop].time < oldest) drop += 1;
    if (drop > 0) this.points.splice(0, drop);
  }
}
