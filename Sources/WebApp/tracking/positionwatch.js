// Watching this device's position while it is wanted.

import { watchPosition } from "../kit/geolocation.js";

/** Calls `fix` and `trouble`, as `watchPosition` does, while it is on. */
export class PositionWatch {
  #fix; #trouble;
  /** Ends watching; null while it is off. */
  #stop = null;

  constructor(fix, trouble) {
    this.#fix = fix;
    this.#trouble = trouble;
  }

  set isOn(isOn) {
    if (isOn && !this.#stop) this.#stop = watchPosition(this.#fix, this.#trouble);
    if (!isOn && this.#stop) {
      this.#stop();
      this.#stop = null;
    }
  }
}
