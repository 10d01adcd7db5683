import assert from "node:assert/strict";
import { test } from "node:test";
import { SteadyTime } from "../../../Sources/WebApp/training/steadytime.js";

const hour = 3_600_000;

/** A clock of a device, with `local` and `offset`, and the time that has passed. */
function make({ notBefore = undefined } = {}) {
  const clock = { local: 100 * hour, offset: 0, now() { return this.local + this.offset; } };
  let passed = 0;
  const time = new SteadyTime(clock, { notBefore, elapsed: () => passed });
  const pass = (milliseconds) => {
    passed += milliseconds;
    clock.local += milliseconds;
    return time.now();
  };
  return { clock, time, pass, start: 100 * hour };
}

test("a clock that is set back changes nothing, however often it is asked", () => {
  const { clock, pass, start } = make();
  assert.equal(pass(60_000), start + 60_000);
  clock.local -= 2 * hour;
  assert.deepEqual([pass(0), pass(5_000), pass(0)], [start + 60_000, start + 65_000, start + 65_000]);
});

test("once the server's clock was compared anew its time holds, also an earlier one", () => {
  const { clock, pass, start } = make();
  pass(1_000);
  clock.local -= 2 * hour;
  pass(1_000);
  clock.offset = 2 * hour - 10;
  assert.equal(pass(1_000), start + 2_990);
  clock.offset -= 3 * hour;
  assert.equal(pass(0), start + 2_990 - 3 * hour);
});

test("a sleep of the device and small corrections pass, and a kept moment is the earliest without a connection", () => {
  const { clock, pass, start } = make();
  clock.local += 8 * hour;
  assert.equal(pass(0), start + 8 * hour);
  clock.local -= 500;
  assert.equal(pass(0), start + 8 * hour - 500);
  assert.equal(make({ notBefore: start + hour }).pass(1_000), start + hour + 1_000);
});
