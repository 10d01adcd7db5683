import assert from "node:assert/strict";
import { test } from "node:test";
import { Cues } from "../../../Sources/WebApp/training/cues.js";

test("the tones at the end of a workout are played to their end before the sound is closed", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { localStorage } = globalThis;
  t.after(() => { globalThis.localStorage = localStorage; });
  globalThis.localStorage = /** @type {any} */ ({ getItem: () => JSON.stringify({ sound: true, vibration: false }) });
  const param = { value: 0, setValueAtTime() {}, exponentialRampToValueAtTime() {} };
  const node = { frequency: param, gain: param, connect: (other) => other, start() {}, stop: (at) => ends.push(at) };
  const ends = [];
  let closes = 0;
  globalThis.AudioContext = /** @type {any} */ (class {
    currentTime = 0;
    state = "running";
    createOscillator = () => node;
    createGain = () => node;
    close = async () => { closes += 1; };
  });
  const cues = new Cues();
  cues.unlock();
  cues.play("done");
  cues.closeSoon();
  t.mock.timers.tick(Math.max(...ends) * 1_000);
  assert.deepEqual([ends.length, closes], [3, 0]);
  t.mock.timers.tick(1_000);
  assert.equal(closes, 1);
});
