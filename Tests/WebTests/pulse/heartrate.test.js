import assert from "node:assert/strict";
import { test } from "node:test";
import { PulseBuckets, isPulse, readHeartRate, zoneOf } from "../../../Sources/WebApp/pulse/heartrate.js";

const read = (...bytes) => readHeartRate(new DataView(Uint8Array.from(bytes).buffer));

test("the layouts of the specification are read: 8 and 16 bits, contact, energy, intervals", () => {
  assert.deepEqual(read(0x00, 72), { bpm: 72, contact: null, kilojoules: null, intervals: [] });
  assert.deepEqual(read(0x01, 0x2c, 0x01), { bpm: 300, contact: null, kilojoules: null, intervals: [] });
  assert.equal(read(0x02, 72).contact, null);
  assert.equal(read(0x04, 72).contact, false);
  assert.equal(read(0x06, 72).contact, true);
  assert.equal(read(0x08, 72, 0x34, 0x12).kilojoules, 0x1234);
  assert.deepEqual(read(0x10, 60, 0x00, 0x04, 0x00, 0x02).intervals, [1, 0.5]);
  assert.deepEqual(read(0x1f, 150, 0, 10, 0, 0x00, 0x02), { bpm: 150, contact: true, kilojoules: 10, intervals: [0.5] });
});

test("short and cut packets are no measurement, and a cut interval is left out", () => {
  assert.equal(read(), null);
  assert.equal(read(0x00), null);
  assert.equal(read(0x01, 72), null);
  assert.equal(read(0x08, 72, 1), null);
  assert.deepEqual(read(0x10, 60, 0x00, 0x04, 0xff).intervals, [1]);
});

/** Numbers that are the same in each run. */
function* bytes(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 24;
  }
}

test("20,000 random packets are read without an error, within their bounds, and as they would be written", () => {
  const source = bytes(7);
  const next = () => source.next().value;
  for (let run = 0; run < 20_000; run += 1) {
    const packet = Array.from({ length: next() % 23 }, next);
    const found = read(...packet);
    const [flags, ...rest] = packet;
    const head = (flags & 1 ? 2 : 1) + (flags & 8 ? 2 : 0);
    if (found === null) {
      assert.ok(packet.length < 2 || rest.length < head, packet.join());
      continue;
    }
    assert.equal(found.bpm, flags & 1 ? rest[0] | (rest[1] << 8) : rest[0]);
    assert.equal(found.intervals.length, flags & 16 ? (rest.length - head) >> 1 : 0);
    assert.ok(found.intervals.every((seconds) => seconds >= 0 && seconds < 64));
    assert.ok(found.kilojoules === null || (found.kilojoules >= 0 && found.kilojoules < 65_536));
  }
});

test("zones begin at 50, 60, 70, 80 and 90 % of the maximum", () => {
  assert.deepEqual([99, 100, 119, 120, 140, 160, 180, 250].map((bpm) => zoneOf(bpm, 200)), [0, 1, 1, 2, 3, 4, 5, 5]);
  assert.equal(zoneOf(120, null), null);
  assert.deepEqual([19, 20, 260, 261, 72.5].map(isPulse), [false, true, true, false, false]);
});

test("rates of each second become one sample for five, with their average", () => {
  const buckets = new PulseBuckets();
  const samples = [100, 102, 104, 106, 108, 130].map((bpm, index) => buckets.add(bpm, index * 1_000)).filter(Boolean);
  assert.deepEqual(samples, [{ at: "1970-01-01T00:00:00.000Z", bpm: 104 }]);
  assert.deepEqual(buckets.flush(), { at: "1970-01-01T00:00:05.000Z", bpm: 130 });
  assert.equal(buckets.flush(), null);
});
