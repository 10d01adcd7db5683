// Points as binary messages and their answers (the article on binary frames). The mirror of TrackFrame and TrackReply in Wire;
// both are tested against Tests/Vectors/points.json.

import { errorName } from "./errors.js";
import { FrameError, Reader } from "./positions.js";

const FRAME_KIND = 0x54;
const REPLY_KIND = 0x74;
const VERSION = 1;
const POINTS_MAX = 500;
const DEGREE_STEPS = 1e7;
/** So that differences, too, are numbers that a frame can hold. */
const VALUE_MAX = 2 ** 51 - 1;
const STATES = ["running", "paused", "finished"];
/** Optional members of a point: name, flag, and steps in one unit. */
/** @type {[name: string, flag: number, steps: number][]} */
const OPTIONAL = [["accuracy", 1, 10], ["altitude", 2, 10], ["speed", 4, 100], ["heading", 8, 100]];
/** A point that a frame cannot hold; `index` says which. */
export class PointError extends Error {
  constructor(index) {
    super("A point has a value that is not a number or too large.");
    this.index = index;
  }
}

function writeVarint(bytes, value) {
  // Not by shifts, which have 32 bits.
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  bytes.push(value);
}

const writeSigned = (bytes, value) => writeVarint(bytes, value < 0 ? -2 * value - 1 : 2 * value);

/** The nearest whole number, halves away from zero, as Swift rounds. */
function whole(value, index) {
  const rounded = Math.sign(value) * Math.round(Math.abs(value));
  if (!(Math.abs(rounded) <= VALUE_MAX)) throw new PointError(index);
  return rounded;
}

/** The message for `points`, as `tracking.points` has them; `id` is below 2^32. Throws `PointError`. */
export function encodePoints(id, session, points) {
  if (points.length < 1 || points.length > POINTS_MAX) throw new RangeError("a frame holds 1 to 500 points");
  const bytes = [FRAME_KIND, VERSION];
  for (const number of [id, session, points.length]) writeVarint(bytes, number);
  const last = [0, 0, 0, 0];
  points.forEach((point, index) => {
    const present = OPTIONAL.filter(([name]) => point[name] !== undefined && point[name] !== null);
    bytes.push(present.reduce((flags, [, flag]) => flags | flag, 0));
    const place = [point.seq, Date.parse(point.time), point.lat * DEGREE_STEPS, point.lon * DEGREE_STEPS];
    place.forEach((value, field) => {
      const number = whole(value, index);
      writeSigned(bytes, number - last[field]);
      last[field] = number;
    });
    for (const [name, , steps] of present) writeSigned(bytes, whole(point[name] * steps, index));
  });
  return new Uint8Array(bytes);
}

/** Whether a binary message is the answer to points. */
export const isPointsReply = (buffer) => new Uint8Array(buffer, 0, Math.min(1, buffer.byteLength))[0] === REPLY_KIND;

const readRemarks = (reader) => Array.from({ length: reader.varint(POINTS_MAX) }, () => ({ seq: reader.varint(), reason: reader.text() }));

function readTaken(reader) {
  const taken = { stored: reader.varint(POINTS_MAX), duplicates: reader.varint(POINTS_MAX), refused: readRemarks(reader),
    notCounted: readRemarks(reader) };
  const session = { state: reader.one(STATES), distance: reader.varint() / 10, elapsed: reader.varint() / 10, moving: reader.varint() / 10,
    points: reader.varint() };
  session.averageSpeed = session.elapsed > 0 ? session.distance / session.elapsed : 0;
  return { ...taken, session };
}

function readError(reader) {
  const code = reader.signed();
  const tenths = reader.varint();
  const [message, field, reference] = [reader.text(), reader.text(), reader.text()];
  const data = { name: errorName(code) };
  if (tenths > 0) data.retryAfter = (tenths - 1) / 10;
  if (field) data.field = field;
  if (reference) data.reference = reference;
  return { code, message, data };
}

/**
 * The answer to points: `{id, result}`, where `result` is as that of `tracking.points`, of its session only what changes, or
 * `{id, error}`. `id` is 0 when the points could not be read. Throws `FrameError`.
 */
export function readPointsReply(buffer) {
  const reader = new Reader(new Uint8Array(buffer));
  if (reader.byte() !== REPLY_KIND || reader.byte() !== VERSION) throw new FrameError("this is no answer to points that is known here");
  const reply = { id: reader.varint(2 ** 32 - 1) };
  const outcome = reader.byte();
  if (outcome === 0) reply.result = readTaken(reader);
  else if (outcome === 1) reply.error = readError(reader);
  else throw new FrameError("there is no such outcome");
  if (reader.offset !== reader.bytes.length) throw new FrameError("the answer goes on behind its end");
  return reply;
}
