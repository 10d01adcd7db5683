// Binary position frames (Protocol article): what changed in one picture, quantised and delta-coded. The mirror of
// PositionDecoder in Wire; both are tested against Tests/Vectors/positions.json.

const STATES = ["moving", "stationary", "paused", "offline", "finished"];
const REASONS = ["zone", "finished", "hidden"];
const HANDLES_MAX = 65536;
const TEXT_BYTES_MAX = 1024;
const UNITS_PER_DEGREE = 1e7;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** What is wrong with a frame. */
export class FrameError extends Error {}

/** Numbers and texts, each checked. Numbers are at most 2^53 - 1, which is enough for everything that is in a frame. */
class Reader {
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
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (value > max) throw new FrameError("a number is out of its range");
      if (byte < 0x80) return value;
    }
  }

  signed() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text() {
    const count = this.varint(TEXT_BYTES_MAX);
    if (this.offset + count > this.bytes.length) throw new FrameError("the frame ends too early");
    this.offset += count;
    return utf8.decode(this.bytes.subarray(this.offset - count, this.offset));
  }

  one(list) {
    const value = list[this.byte()];
    if (value === undefined) throw new FrameError("there is no such value");
    return value;
  }
}

/** The picture a frame belongs to, such as `cell/17/33614/48629` or `zone/7`. */
function readPicture(reader) {
  switch (reader.byte()) {
    case 0: {
      const zoom = reader.byte();
      return `cell/${zoom}/${reader.varint()}/${reader.varint()}`;
    }
    case 1:
      return `zone/${reader.varint()}`;
    default:
      throw new FrameError("there is no such kind of picture");
  }
}

function readMotion(reader, flags, point) {
  const state = STATES[flags & 7];
  if (state === undefined) throw new FrameError("there is no such state of a runner");
  const age = reader.varint();
  const speed = state === "moving" ? reader.varint() : 0;
  const heading = flags & 0x08 ? reader.byte() : null;
  return { state, x: point.x, y: point.y, age, speed, heading };
}

const readPoint = (reader) => ({ x: reader.signed(), y: reader.signed() });
const readClock = (reader) => ({ elapsed: reader.varint(), rate: reader.varint() });

function readEntered(reader) {
  const handle = reader.varint(HANDLES_MAX - 1);
  const session = reader.varint();
  const name = reader.text();
  const title = reader.text();
  const zone = reader.varint() || null;
  const flags = reader.byte();
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
  const flags = reader.byte();
  const point = flags & 0x10 ? readPoint(reader) : { x: 0, y: 0 };
  const motion = readMotion(reader, flags, point);
  const distance = flags & 0x20 ? reader.signed() : 0;
  return { handle, motion, distance, clock: flags & 0x40 ? readClock(reader) : null };
}

/**
 * Reads a message.
 * @param {ArrayBuffer} buffer
 * @returns {object|null} Null when it is no frame of positions that this version knows.
 */
export function readFrame(buffer) {
  const reader = new Reader(new Uint8Array(buffer));
  if (reader.byte() !== 0x50 || reader.byte() !== 1) return null;
  const isSnapshot = reader.byte() === 1;
  const frame = {
    picture: readPicture(reader), sequence: reader.varint(), serverTime: reader.varint(), grid: null,
    left: [], entered: [], moved: [],
  };
  if (isSnapshot) {
    frame.grid = {
      lat: reader.signed(), lon: reader.signed(), latStep: reader.varint(), lonStep: reader.varint(),
    };
  }
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

const elapsedAt = (clock, from, to) =>
  Math.max(0, clock.elapsed / 10 + ((to - from) / 1000) * clock.rate / 100);

/** One picture: takes its frames in order, and knows who is in it. */
export class Picture {
  constructor() {
    this.grid = null;
    this.sequence = 0;
    this.known = new Map();
  }

  /**
   * Takes the next frame.
   * @returns {object|null} What is new, in the form that JSON has, with times in milliseconds: serverTime, runners, left
   *   and, with a snapshot, full. Null when a frame is missing: nothing is known until the next snapshot.
   */
  apply(frame) {
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
        clockAt: frame.serverTime - one.motion.age * 100,
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
        known.clockAt = frame.serverTime - one.motion.age * 100;
      }
      update.runners.push(this.#show(known, one.motion, frame.serverTime));
    }
    return update;
  }

  #find(handle) {
    const known = this.known.get(handle);
    if (!known) throw new FrameError("a runner is spoken of that is not in the picture");
    return known;
  }

  #show(known, motion, serverTime) {
    const at = serverTime - motion.age * 100;
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
