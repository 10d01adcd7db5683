// Smooth motion between position updates, and trails. Pure: times are milliseconds, given by the caller. Both keep points of the
// unit Mercator square (mercator.js): a map with many runners would otherwise project each of them again for every frame.

import { fromUnit, toUnit, unitMetres } from "../client/mercator.js";

const easeMillisecondsMin = 200;
/** A little longer than wide views take from update to update. */
const easeMillisecondsMax = 2200;
/** A farther jump than this (scaled by the clock's rate) is a correction, not a movement: it is not animated. */
const jumpMetresMax = 150;
const trailMilliseconds = 120_000;
const trailPointsMax = 240;
const trailPointsMin = 16;
const metresPerDegree = 111_320;

/** Metres between two positions in degrees; flat-earth, good within a campus. */
export function metresBetween(a, b) {
  const y = (b.lat - a.lat) * metresPerDegree;
  const x = (b.lon - a.lon) * metresPerDegree * Math.cos((a.lat * Math.PI) / 180);
  return Math.hypot(x, y);
}

/** A position that glides to each new fix over the time the fix took to come, so that motion never stops between fixes. */
export class Glide {
  #fromX; #fromY; #toX; #toY; #start; #updatedAt;
  #length = 0;
  #interval = 1000;

  constructor({ lat, lon }, now) {
    const { x, y } = toUnit(lat, lon);
    this.#fromX = this.#toX = x;
    this.#fromY = this.#toY = y;
    this.#start = this.#updatedAt = now;
  }

  /**
   * A new fix. `animate` false jumps (reduced motion). `rate` is how many times faster than real the runner's clock goes.
   * Returns whether it was too far for a movement.
   */
  moveTo({ lat, lon }, now, { animate = true, rate = 1 } = {}) {
    const { x, y } = toUnit(lat, lon);
    const part = this.#part(now);
    const shownX = this.#fromX + (this.#toX - this.#fromX) * part;
    const shownY = this.#fromY + (this.#toY - this.#fromY) * part;
    const sinceLast = now - this.#updatedAt;
    this.#updatedAt = now;
    // Smoothed, because updates come a little early or late and the speed on screen should not flicker with them.
    this.#interval += (Math.min(sinceLast, easeMillisecondsMax) - this.#interval) * 0.4;
    const jumps = Math.hypot(x - shownX, y - shownY) * unitMetres(lat) > jumpMetresMax * Math.max(1, rate);
    this.#fromX = animate && !jumps ? shownX : x;
    this.#fromY = animate && !jumps ? shownY : y;
    this.#toX = x;
    this.#toY = y;
    this.#start = now;
    this.#length = Math.min(easeMillisecondsMax, Math.max(easeMillisecondsMin, this.#interval));
    return jumps;
  }

  /** Writes where it is shown at `now` into `point.x` and `point.y`: it allocates nothing, as it runs for each runner and frame. */
  place(now, point) {
    const part = this.#part(now);
    point.x = this.#fromX + (this.#toX - this.#fromX) * part;
    point.y = this.#fromY + (this.#toY - this.#fromY) * part;
  }

  /** Where it is shown at `now`, in degrees. */
  at(now) {
    const point = { x: 0, y: 0 };
    this.place(now, point);
    return fromUnit(point.x, point.y);
  }

  /** Whether `at` still changes after `now`. */
  isMoving(now) {
    return now - this.#start < this.#length && (this.#fromX !== this.#toX || this.#fromY !== this.#toY);
  }

  #part(now) {
    return this.#length > 0 ? Math.min(1, Math.max(0, (now - this.#start) / this.#length)) : 1;
  }
}

/** The last two minutes of fixes (of the runner's own time), bounded in number: a ring of x, y and time, oldest first. */
export class Trail {
  #ring = new Float64Array(trailPointsMin * 3);
  #first = 0;
  length = 0;

  add({ lat, lon }, now, rate = 1) {
    const { x, y } = toUnit(lat, lon);
    const last = this.length - 1;
    if (last < 0 || this.x(last) !== x || this.y(last) !== y) {
      if (this.length === trailPointsMax) this.#drop(1);
      this.#grow();
      const at = this.#index(this.length);
      this.#ring[at] = x;
      this.#ring[at + 1] = y;
      this.#ring[at + 2] = now;
      this.length += 1;
    }
    this.prune(now, rate);
  }

  x(index) {
    return this.#ring[this.#index(index)];
  }

  y(index) {
    return this.#ring[this.#index(index) + 1];
  }

  /** Forgets what is too old; the newest point stays. */
  prune(now, rate = 1) {
    const oldest = now - trailMilliseconds / Math.max(1, rate);
    while (this.length > 1 && this.#ring[this.#index(0) + 2] < oldest) this.#drop(1);
  }

  clear() {
    this.length = 0;
  }

  #index(index) {
    return ((this.#first + index) * 3) % this.#ring.length;
  }

  #drop(count) {
    this.#first = (this.#first + count) % (this.#ring.length / 3);
    this.length -= count;
  }

  #grow() {
    if (this.length * 3 < this.#ring.length) return;
    const ring = new Float64Array(this.#ring.length * 2);
    const tail = this.#ring.subarray(this.#first * 3);
    ring.set(tail);
    ring.set(this.#ring.subarray(0, this.#first * 3), tail.length);
    this.#ring = ring;
    this.#first = 0;
  }
}
