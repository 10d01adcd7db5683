import assert from "node:assert/strict";
import { test } from "node:test";
import { HeartSensor } from "../../../Sources/WebApp/pulse/heartsensor.js";

/** A monitor, and `bluetooth` that lets a person choose it. `connect()` is called for each connection. */
function make({ connect = async () => {} } = {}) {
  const measurement = Object.assign(new EventTarget(), { startNotifications: async () => {} });
  const server = { getPrimaryService: async () => ({ getCharacteristic: async () => measurement }) };
  const device = Object.assign(new EventTarget(), { name: "Strap", disconnects: 0, gatt: {
    connect: async () => {
      await connect();
      return server;
    },
    disconnect: () => { device.disconnects += 1; },
  } });
  const sensor = new HeartSensor({ requestDevice: async () => device });
  const rates = [];
  sensor.addEventListener("rate", (/** @type {any} */ { detail }) => rates.push(detail.bpm));
  const beat = (bpm) => {
    Object.defineProperty(measurement, "value", { value: new DataView(new Uint8Array([0, bpm]).buffer), configurable: true });
    measurement.dispatchEvent(new Event("characteristicvaluechanged"));
  };
  return { sensor, device, rates, beat };
}

test("a monitor can be disconnected, sends no rate then, and can be connected again", async () => {
  const { sensor, device, rates, beat } = make();
  assert.equal(await sensor.connect(), true);
  beat(120);
  sensor.disconnect();
  device.dispatchEvent(new Event("gattserverdisconnected"));
  beat(121);
  assert.deepEqual([sensor.state, device.disconnects, rates], ["off", 1, [120]]);
  await sensor.connect();
  beat(122);
  assert.deepEqual([sensor.state, rates], ["on", [120, 122]]);
});

test("a monitor that cannot be connected is let go", async () => {
  const { sensor, device } = make({ connect: () => Promise.reject(new Error("no")) });
  await assert.rejects(sensor.connect(), /Couldn't connect Strap/);
  assert.deepEqual([sensor.state, device.disconnects], ["off", 1]);
});

test("a monitor that is disconnected while it is being connected stays disconnected", async () => {
  let go = () => {};
  const { sensor, device } = make({ connect: () => new Promise((resolve) => { go = () => resolve(undefined); }) });
  const connecting = sensor.connect();
  await new Promise((resolve) => { setTimeout(resolve, 1); });
  assert.equal(sensor.state, "connecting");
  sensor.disconnect();
  go();
  assert.equal(await connecting, false);
  assert.deepEqual([sensor.state, device.disconnects], ["off", 2]);
});
