// A heart-rate monitor that is connected by Bluetooth, where the browser can do that (Web Bluetooth).

import { isPulse, readHeartRate } from "./heartrate.js";

const reconnectsMax = 5;
const reconnectMilliseconds = 3_000;

/** Whether this browser can connect a monitor. */
export const canConnect = () => Boolean(/** @type {any} */ (navigator).bluetooth?.requestDevice);

/** Emits `rate` with `detail: {bpm, contact}`, and `change` when `state` is another: `off`, `connecting`, `on`, `lost`. */
export class HeartSensor extends EventTarget {
  state = "off";
  name = "";

  #bluetooth; #device = null;
  #end = new AbortController();
  #isClosed = false;

  constructor(bluetooth = /** @type {any} */ (navigator).bluetooth) {
    super();
    this.#bluetooth = bluetooth;
  }

  /** Lets the person choose a monitor, and connects it. Rejects with a sentence; resolves to false when the person chose none. */
  async connect() {
    let device;
    try {
      device = await this.#bluetooth.requestDevice({ filters: [{ services: ["heart_rate"] }] });
    } catch (error) {
      if (error.name === "NotFoundError") return false;
      throw new Error("Bluetooth isn't available. Turn it on, and allow it for this site.");
    }
    this.#disconnect();
    this.#end = new AbortController();
    this.#device = device;
    this.name = device.name ?? "Heart-rate monitor";
    device.addEventListener("gattserverdisconnected", () => this.#reconnect(), { signal: this.#end.signal });
    try {
      await this.#follow(device);
    } catch {
      this.#set("off");
      throw new Error(`Couldn't connect ${this.name}. Wear it, and try again.`);
    }
    return true;
  }

  close() {
    this.#isClosed = true;
    this.#disconnect();
    this.#set("off");
  }

  #disconnect() {
    this.#end.abort();
    this.#device?.gatt?.disconnect();
    this.#device = null;
  }

  async #follow(device) {
    this.#set("connecting");
    const server = await device.gatt.connect();
    const service = await server.getPrimaryService("heart_rate");
    const measurement = await service.getCharacteristic("heart_rate_measurement");
    measurement.addEventListener("characteristicvaluechanged", ({ target }) => {
      const read = readHeartRate(target.value);
      if (read && isPulse(read.bpm)) this.dispatchEvent(new CustomEvent("rate", { detail: { bpm: read.bpm, contact: read.contact } }));
    }, { signal: this.#end.signal });
    await measurement.startNotifications();
    this.#set("on");
  }

  async #reconnect() {
    const device = this.#device;
    for (let attempt = 0; attempt < reconnectsMax; attempt += 1) {
      if (this.#isClosed || device !== this.#device) return;
      this.#set("lost");
      await new Promise((resolve) => { setTimeout(resolve, reconnectMilliseconds); });
      if (this.#isClosed || device !== this.#device) return;
      try {
        return await this.#follow(device);
      } catch {
        // Out of reach: once more.
      }
    }
    if (device === this.#device) this.#set("off");
  }

  #set(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}
