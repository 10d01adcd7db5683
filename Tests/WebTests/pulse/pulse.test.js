import assert from "node:assert/strict";
import { test } from "node:test";
import { Pulse } from "../../../Sources/WebApp/pulse/pulse.js";
import { FakeNet, makeGuide } from "../training/fakes.js";

test("a monitor that is lost leaves no rate and no zone", () => {
  const sensor = Object.assign(new EventTarget(), { state: "on", disconnect() {} });
  const net = Object.assign(new FakeNet(), { read: () => Promise.reject(new Error("offline")) });
  const pulse = new Pulse(net, makeGuide().guide, { flush() {}, sensor: /** @type {any} */ (sensor) });
  pulse.maximum = 190;
  sensor.dispatchEvent(new CustomEvent("rate", { detail: { bpm: 160, contact: true } }));
  assert.deepEqual([pulse.last?.bpm, pulse.zone], [160, 4]);
  sensor.state = "lost";
  sensor.dispatchEvent(new Event("change"));
  assert.deepEqual([pulse.last, pulse.zone], [null, null]);
  pulse.close();
});

test("a rate that was entered is shown for some seconds only", () => {
  const net = Object.assign(new FakeNet(), { read: () => Promise.reject(new Error("offline")) });
  let run = () => {};
  const scheduler = { now: () => 0, after: (_milliseconds, body) => { run = body; return () => { run = () => {}; }; } };
  const pulse = new Pulse(net, makeGuide().guide, { flush() {}, sensor: null, scheduler });
  let changes = 0;
  pulse.addEventListener("change", () => { changes += 1; });
  pulse.enter(140);
  assert.deepEqual([pulse.last?.bpm, changes], [140, 1]);
  run();
  assert.deepEqual([pulse.last, changes], [null, 2]);
  pulse.close();
});
