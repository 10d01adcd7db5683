// The server's clock as seen from here. Times are milliseconds since 1970.

/** A server time in ms since 1970: JSON has it as text (RFC 3339), binary frames as a number. */
export function milliseconds(time) {
  return typeof time === "number" ? time : Date.parse(time);
}

const samplesMax = 8;
const sampleAgeMillisecondsMax = 10 * 60 * 1000;

/** Estimates server time minus local time from request round trips: the shortest trip of the last few bounds the error best. */
export class ServerClock {
  #samples = [];
  #fallback;
  #localNow;

  /**
   * @param {number} [offset] The last known offset in ms, kept from the last run and used while offline.
   * @param {() => number} [localNow] The local time in ms.
   */
  constructor(offset = 0, localNow = () => Date.now()) {
    this.#fallback = Number.isFinite(offset) ? offset : 0;
    this.#localNow = localNow;
  }

  /** Takes one reply: local send and receive times in ms, and the server's time in it (RFC 3339). */
  sample(sentAt, receivedAt, serverTime) {
    const server = Date.parse(serverTime);
    const roundTrip = receivedAt - sentAt;
    if (!Number.isFinite(server) || roundTrip < 0) return;
    const offset = server + roundTrip / 2 - receivedAt;
    // A local clock that was adjusted makes older samples meaningless.
    const [best] = this.#samples;
    if (best && Math.abs(offset - best.offset) > roundTrip + best.roundTrip + 2000) this.#samples = [];
    this.#samples.push({ offset, roundTrip, receivedAt });
    this.#samples = this.#samples
      .filter((entry) => receivedAt - entry.receivedAt < sampleAgeMillisecondsMax)
      .slice(-samplesMax);
  }

  /** Server time minus local time, in ms. */
  get offset() {
    if (this.#samples.length === 0) return this.#fallback;
    return this.#samples.reduce((best, entry) => (entry.roundTrip < best.roundTrip ? entry : best)).offset;
  }

  /** The server's now in ms, for a local now in ms. */
  now(localNow = this.#localNow()) {
    return localNow + this.offset;
  }

  /** Seconds between a server time and the server's now; negative skew is shown as 0. */
  age(time, localNow = this.#localNow()) {
    return Math.max(0, (this.now(localNow) - milliseconds(time)) / 1000);
  }

  /** A local moment as the server would write it. */
  toServer(localMilliseconds) {
    return new Date(Math.round(localMilliseconds + this.offset)).toISOString();
  }
}
