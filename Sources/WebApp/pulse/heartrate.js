// The measurements of heart-rate monitors: the characteristic 0x2A37 of the Bluetooth Heart Rate Service 1.0. Pure.

/** Bits of the first byte. */
const flags = { isWide: 0x01, contactDetected: 0x02, contactSupported: 0x04, hasEnergy: 0x08, hasIntervals: 0x10 };
const intervalsPerSecond = 1_024;

/**
 * Reads a measurement: `{bpm, contact, kilojoules, intervals}`. `contact` is whether the sensor touches the skin, null where it cannot
 * tell; `kilojoules` is the energy since the reset, or null; `intervals` are seconds between beats, the oldest first. Null for bytes that
 * are no measurement.
 * @param {DataView} view
 */
export function readHeartRate(view) {
  if (view.byteLength < 2) return null;
  const bits = view.getUint8(0);
  const has = (flag) => (bits & flag) !== 0;
  let offset = 1;
  const left = () => view.byteLength - offset;
  const word = () => {
    const value = view.getUint16(offset, true);
    offset += 2;
    return value;
  };
  if (has(flags.isWide) && left() < 2) return null;
  const bpm = has(flags.isWide) ? word() : view.getUint8(offset++);
  const contact = has(flags.contactSupported) ? has(flags.contactDetected) : null;
  if (has(flags.hasEnergy) && left() < 2) return null;
  const kilojoules = has(flags.hasEnergy) ? word() : null;
  const intervals = [];
  // A byte that is left over belongs to a value that did not fit into the packet.
  while (has(flags.hasIntervals) && left() >= 2) intervals.push(word() / intervalsPerSecond);
  return { bpm, contact, kilojoules, intervals };
}

/** The rates that the server takes. */
export const pulseRange = { min: 20, max: 260 };
export const isPulse = (bpm) => Number.isInteger(bpm) && bpm >= pulseRange.min && bpm <= pulseRange.max;

/** Shares of the maximum heart rate at which zones 1 to 5 begin. */
const zoneStarts = [0.5, 0.6, 0.7, 0.8, 0.9];

/** The zone 1 to 5 of a rate; 0 below all, null without a maximum. */
export function zoneOf(bpm, maximum) {
  if (!(maximum > 0) || !Number.isFinite(bpm)) return null;
  return zoneStarts.filter((share) => bpm >= share * maximum).length;
}

/** Names of the zones by number; 0 is below all. */
export const zoneNames = ["Below zone 1", "Very light", "Light", "Moderate", "Hard", "Very hard"];

/** Collects rates into one sample for each span of time. */
export class PulseBuckets {
  #width; #at = null; #sum = 0; #count = 0;

  constructor(width = 5_000) {
    this.#width = width;
  }

  /** Takes a rate at a time in ms; gives the sample `{at, bpm}` of the span before, or null. */
  add(bpm, at) {
    const bucket = Math.floor(at / this.#width) * this.#width;
    const finished = this.#at !== null && bucket !== this.#at ? this.flush() : null;
    this.#at ??= bucket;
    this.#sum += bpm;
    this.#count += 1;
    return finished;
  }

  /** The sample of what was collected, or null. */
  flush() {
    if (this.#count === 0) return null;
    const sample = { at: new Date(this.#at).toISOString(), bpm: Math.round(this.#sum / this.#count) };
    this.#at = null;
    this.#sum = 0;
    this.#count = 0;
    return sample;
  }
}
