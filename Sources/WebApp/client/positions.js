// Binary position frames (Binary position frames article): what changed in an area, quantised and delta-coded, or counts of a crowd. The
// mirror of AreaDecoder in Wire; both are tested against Tests/Vectors.

const STATES = ["moving", "stationary", "paused", "offline", "finished"];
const REASONS = ["zone", "finished", "hidden"];
const HANDLES_MAX = 65536;
const POSITIONS = 0x50;
const COUNTS = 0x43;
/** Squares of a cell: those in a row, and all. */
export const squaresInRow = 8;
const SQUARES = squaresInRow * squaresInRow;
const COUNTS_PER_DEGREE = 1e5;
const TEXT_BYTES_MAX = 1024;
const UNITS_PER_DEGREE = 1e7;
/** Bytes that a number of 53 bits needs. */
const VARINT_BYTES_MAX = 8;
const ZOOM_MAX = 30;
const UINT32_MAX = 2 ** 32 - 1;
const STEP_MAX = 2 ** 16 - 1;
/** The end of the year 9999. */
const MILLISECONDS_MAX = 253_402_300_799_999;
/** Flags that a record may have; any other is of a layout that is not known here. */
const ENTERED_FLAGS = 0x3f;
const MOVED_FLAGS = 0x7f;
// A byte order mark is a character of a name like any other.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A frame that cannot be read; the message says why. */
export class FrameError extends Error {}

/** Numbers and texts, each checked. Numbers are at most 2^53 - 1, which is enough for everything that is in a frame. */
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.offset = 0;
  }

  byte() {
    if (this.offset >= this.bytes.length) throw new FrameError("the frame ends too early");
    return this.bytes[this.offset++];
  }

  varint(max = Number.MAX_SAFE_INTEGER) {
    let value = 0;
    // Not by shifts, which have 32 bits.
    for (let factor = 1, count = 0; count < VARINT_BYTES_MAX; factor *= 128, count++) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (value > max) break;
      if (byte < 0x80) return value;
    }
    throw new FrameError("a number is out of its range");
  }

  signed(min = -Infinity, max = Infinity) {
    const number = this.varint();
    const value = number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    if (value < min || value > max) throw new FrameError("a number is out of its range");
    return value;
  }

  /** A byte of which only some bits, those of `known`, may be set. */
  flags(known) {
    const value = this.byte();
    if ((value & ~known) !== 0) throw new FrameError("there are unknown flags");
    return value;
  }

  text() {
    const count = this.varint(TEXT_BYTES_MAX);
    if (this.offset + count > this.bytes.length) throw new FrameError("the frame ends too early");
    this.offset += count;
    try {
      return utf8.decode(this.bytes.subarray(this.offset - count, this.offset));
    } catch {
      throw new FrameError("a text is not UTF-8");
    }
  }

  one(list) {
    const value = list[this.byte()];
    if (value === undefined) throw new FrameError("there is no such value");
    return value;
  }
}

/** The area a frame belongs to, such as `cell/17/33614/48629` or `zone/7`. */
function readArea(reader) {
  switch (reader.byte()) {
    case 0: {
      const zoom = reader.byte();
      if (zoom > ZOOM_MAX) throw new FrameError("a zoom is out of its range");
      const last = 2 ** zoom - 1;
      return `cell/${zoom}/${reader.varint(last)}/${reader.varint(last)}`;
    }
    case 1:
      return `zone/${reader.varint()}`;
    default:
      throw new FrameError("there is no such kind of area");
  }
}

function readMotion(reader, flags, point) {
  const state = STATES[flags & 7];
  if (state === undefined) throw new FrameError("there is no such state of a runner");
  const age = reader.varint();
  const speed = state === "moving" ? reader.varint(UINT32_MAX) : 0;
  const heading = flags & 0x08 ? reader.byte() : null;
  return { state, x: point.x, y: point.y, age, speed, heading };
}

const readRasterStep = (reader) => reader.signed(-(2 ** 31), 2 ** 31 - 1);
const readPoint = (reader) => ({ x: readRasterStep(reader), y: readRasterStep(reader) });
const readClock = (reader) => ({ elapsed: reader.varint(), rate: reader.varint(UINT32_MAX) });

function readGrid(reader) {
  const grid = {
    lat: reader.signed(-90 * UNITS_PER_DEGREE, 90 * UNITS_PER_DEGREE), lon: reader.signed(-180 * UNITS_PER_DEGREE, 180 * UNITS_PER_DEGREE),
    latStep: reader.varint(STEP_MAX), lonStep: reader.varint(STEP_MAX),
  };
  if (grid.latStep === 0 || grid.lonStep === 0) throw new FrameError("a step is out of its range");
  return grid;
}

function readEntered(reader) {
  const handle = reader.varint(HANDLES_MAX - 1);
  const session = reader.varint();
  const name = reader.text();
  const title = reader.text();
  const zone = reader.varint() || null;
  const flags = reader.flags(ENTERED_FLAGS);
  const motion = readMotion(reader, flags, readPoint(reader));
  return {
    handle, session, name, title, zone, motion,
    activity: flags & 0x10 ? "cycle" : "run",
    simulated: (flags & 0x20) !== 0,
    distance: reader.varint(),
    clock: readClock(reader),
  };
}

function readMoved(reader, handle) {
  if (handle >= HANDLES_MAX) throw new FrameError("a handle is out of its range");
  const flags = reader.flags(MOVED_FLAGS);
  const point = flags & 0x10 ? readPoint(reader) : { x: 0, y: 0 };
  const motion = readMotion(reader, flags, point);
  const distance = flags & 0x20 ? reader.signed() : 0;
  return { handle, motion, distance, clock: flags & 0x40 ? readClock(reader) : null };
}

/** The squares of a cell with anybody in them, `{index, count, lat, lon}`: row by row from the north-west, and where their middle is. */
function readClusters(reader) {
  const clusters = [];
  let [next, lat, lon] = [0, 0, 0];
  for (let count = reader.varint(SQUARES); count > 0; count--) {
    const index = next + reader.varint(SQUARES - 1);
    const runners = reader.varint(UINT32_MAX);
    lat += reader.signed();
    lon += reader.signed();
    if (index >= SQUARES || runners === 0) throw new FrameError("a square is out of its range, or nobody is in it");
    const isInRange = Math.abs(lat) <= 90 * COUNTS_PER_DEGREE && Math.abs(lon) <= 180 * COUNTS_PER_DEGREE;
    if (!isInRange) throw new FrameError("a position is out of its range");
    clusters.push({ index, count: runners, lat: lat / COUNTS_PER_DEGREE, lon: lon / COUNTS_PER_DEGREE });
    next = index + 1;
  }
  return clusters;
}

function readCounts(reader) {
  const frame = { area: readArea(reader), serverTime: reader.varint(MILLISECONDS_MAX), clusters: readClusters(reader) };
  if (reader.offset !== reader.bytes.length) throw new FrameError("there is more than one frame");
  return frame;
}

/**
 * Reads a message.
 * @param {ArrayBuffer} buffer
 * @returns {object|null} Null when it is no frame of positions or counts that this version knows.
 */
export function readFrame(buffer) {
  const reader = new Reader(new Uint8Array(buffer));
  const kind = reader.byte();
  if ((kind !== POSITIONS && kind !== COUNTS) || reader.byte() !== 1) return null;
  if (kind === COUNTS) return readCounts(reader);
  const isSnapshot = reader.flags(1) === 1;
  const frame = {
    area: readArea(reader), sequence: reader.varint(UINT32_MAX), serverTime: reader.varint(MILLISECONDS_MAX),
    grid: isSnapshot ? readGrid(reader) : null, left: [], entered: [], moved: [],
  };
  for (let count = reader.varint(HANDLES_MAX); count > 0; count--) {
    frame.left.push({
      handle: reader.varint(HANDLES_MAX - 1), reason: reader.one(REASONS), to: reader.varint() || null,
    });
  }
  for (let count = reader.varint(HANDLES_MAX); count > 0; count--) frame.entered.push(readEntered(reader));
  let next = 0;
  for (let count = reader.varint(HANDLES_MAX); count > 0; count--) {
    const handle = next + reader.varint(HANDLES_MAX - 1);
    frame.moved.push(readMoved(reader, handle));
    next = handle + 1;
  }
  if (reader.offset !== reader.bytes.length) throw new FrameError("there is more than one frame");
  return frame;
}

/** When a fix was made, `age` tenths of a second before: nobody's is older than the clock. */
const fixTime = (age, serverTime) => serverTime - Math.min(age, Math.floor(serverTime / 100)) * 100;

const elapsedAt = (clock, from, to) =>
  Math.max(0, clock.elapsed / 10 + ((to - from) / 1000) * clock.rate / 100);

/** Follows one area: takes its frames in order, and knows the runners in it. */
export class AreaDecoder {
  constructor() {
    this.grid = null;
    this.sequence = 0;
    this.known = new Map();
  }

  /**
   * Takes the next frame.
   * @returns {object|null} What is new, in the form that JSON has, with times in milliseconds: serverTime, runners, left
   *   and, with a snapshot, full. Counts are full with nobody in runners, and have clusters. Null when a frame is missing: nothing is
   *   known until the next snapshot.
   */
  apply(frame) {
    if (frame.clusters) {
      this.grid = null;
      this.known.clear();
      return { serverTime: frame.serverTime, runners: [], left: [], full: true, clusters: frame.clusters };
    }
    if (frame.grid) {
      this.grid = frame.grid;
      this.known.clear();
    } else if (!this.grid || frame.sequence !== (this.sequence + 1) % 2 ** 32) {
      this.grid = null;
      this.known.clear();
      return null;
    }
    this.sequence = frame.sequence;
    const update = { serverTime: frame.serverTime, runners: [], left: [], full: frame.grid !== null };
    for (const one of frame.left) {
      const gone = this.#find(one.handle);
      this.known.delete(one.handle);
      update.left.push({ session: gone.runner.session, reason: one.reason, to: one.to });
    }
    for (const one of frame.entered) {
      const known = {
        runner: {
          session: one.session, name: one.name, title: one.title, activity: one.activity,
          simulated: one.simulated, zone: one.zone,
        },
        x: one.motion.x, y: one.motion.y, distance: one.distance, clock: one.clock,
        clockAt: fixTime(one.motion.age, frame.serverTime),
      };
      this.known.set(one.handle, known);
      update.runners.push(this.#show(known, one.motion, frame.serverTime));
    }
    for (const one of frame.moved) {
      const known = this.#find(one.handle);
      known.x += one.motion.x;
      known.y += one.motion.y;
      known.distance += one.distance;
      if (one.clock) {
        known.clock = one.clock;
        known.clockAt = fixTime(one.motion.age, frame.serverTime);
      }
      update.runners.push(this.#show(known, one.motion, frame.serverTime));
    }
    return update;
  }

  #find(handle) {
    const known = this.known.get(handle);
    if (!known) throw new FrameError("the frame names a runner that is not in the area");
    return known;
  }

  #show(known, motion, serverTime) {
    const at = fixTime(motion.age, serverTime);
    const distance = known.distance / 10;
    const elapsed = elapsedAt(known.clock, known.clockAt, at);
    known.runner = {
      ...known.runner, at, distance, elapsed, state: motion.state, speed: motion.speed / 10,
      lat: (this.grid.lat + known.y * this.grid.latStep) / UNITS_PER_DEGREE,
      lon: (this.grid.lon + known.x * this.grid.lonStep) / UNITS_PER_DEGREE,
      heading: motion.heading === null ? null : (motion.heading * 360) / 256,
      averageSpeed: elapsed > 0 ? distance / elapsed : 0, rate: known.clock.rate / 100,
    };
    return known.runner;
  }
}
