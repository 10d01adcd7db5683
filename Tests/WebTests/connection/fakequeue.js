// A queue of changes whose storage, network and clock a test moves.

import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";

/** The items are its own enumerable members, as those of `localStorage`. */
export class Storage {
  #room;

  constructor(room = Infinity) {
    this.#room = room;
  }

  getItem(key) {
    return this[key] ?? null;
  }

  setItem(key, value) {
    const others = Object.keys(this).filter((other) => other !== key).reduce((size, other) => size + this[other].length, 0);
    if (others + value.length > this.#room) {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    }
    this[key] = value;
  }

  removeItem(key) {
    delete this[key];
  }
}

export class Network extends EventTarget {
  state = "live";
  account = { id: 1 };
  asked = [];
  answer = () => ({});

  async request(method, params) {
    this.asked.push([method, params]);
    return this.answer(params, this.asked.length);
  }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

/** Its timers run at once. */
export const scheduler = { now: () => 0, after: (_milliseconds, body) => { queueMicrotask(body); return () => {}; } };
export const settle = async () => { for (let turn = 0; turn < 60; turn += 1) await Promise.resolve(); };
export const queue = (net, storage = new Storage()) => new WriteQueue(net, { storage, locks: null, scheduler });

/** A scheduler whose clock and timers the test moves. */
export class Clock {
  time = 0;
  timers = [];
  now = () => this.time;
  after = (_milliseconds, run) => {
    this.timers.push(run);
    return () => { this.timers = this.timers.filter((one) => one !== run); };
  };

  async fire() {
    for (const run of this.timers.splice(0)) run();
    await settle();
  }
}
