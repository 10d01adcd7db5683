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
    this.#release();
    this.#end = new AbortController();
    this.#device = device;
    this.name = device.name ?? "Heart-rate monitor";
    const { signal } = this.#end;
    device.addEventListener("gattserverdisconnected", () => this.#reconnect(), { signal });
    try {
      await this.#follow(device);
    } catch {
      // The person disconnected it meanwhile, or chose another one.
      if (signal.aborted) return false;
      this.disconnect();
      throw new Error(`Couldn't connect ${this.name}. Wear it, and try again.`);
    }
    return true;
  }

  /** Lets go of the monitor; another `connect` is possible. */
  disconnect() {
    this.#release();
    this.#set("off");
  }

  #release() {
    this.#end.abort();
    this.#device?.gatt?.disconnect();
    this.#device = null;
  }

  async #follow(device) {
    const { signal } = this.#end;
    this.#set("connecting");
    const server = await device.gatt.connect();
    const service = await server.getPrimaryService("heart_rate");
    const measurement = await service.getCharacteristic("heart_rate_measurement");
    measurement.addEventListener("characteristicvaluechanged", ({ target }) => {
      const read = readHeartRate(target.value);
      if (read && isPulse(read.bpm)) this.dispatchEvent(new CustomEvent("rate", { detail: { bpm: read.bpm, contact: read.contact } }));
    }, { signal });
    await measurement.startNotifications();
    if (!signal.aborted) return this.#set("on");
    // Disconnected while it was being connected.
    if (device !== this.#device) device.gatt.disconnect();
    throw new Error("Disconnected.");
  }

  async #reconnect() {
    const device = this.#device;
    const { signal } = this.#end;
    for (let attempt = 0; attempt < reconnectsMax; attempt += 1) {
      if (signal.aborted) return;
      this.#set("lost");
      await new Promise((resolve) => { setTimeout(resolve, reconnectMilliseconds); });
      if (signal.aborted) return;
      try {
        return await this.#follow(device);
      } catch {
        // Out of reach: once more.
      }
    }
    if (!signal.aborted) this.disconnect();
  }

  #set(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}
