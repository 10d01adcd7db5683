// A plan, a record and a connection for tests of trainings.

import { Guide } from "../../../Sources/WebApp/training/guide.js";
import { newRecord } from "../../../Sources/WebApp/training/record.js";

export const start = Date.parse("2026-11-28T10:00:00Z");

const entry = (id, sets, restSeconds = 60) => ({ id, exercise: `campanile/${id}`, sets, restSeconds });

/** A warm-up, a superset of two, and an exercise with a time. */
export const plan = {
  title: "Full body", type: "strength", intensity: "moderate", minutes: 20, place: "home", equipment: [], tags: [], videos: [],
  sections: [
    { kind: "warmUp", groups: [{ entries: [entry("w", [{ seconds: 120 }], 0)] }] },
    { kind: "main", groups: [
      { entries: [entry("a", [{ reps: 10 }, { reps: 10 }], 0), entry("b", [{ reps: 8, kilograms: 20 }, { reps: 8, kilograms: 20 }, { reps: 6, kilograms: 20 }])] },
      { entries: [entry("c", [{ seconds: 30 }], 30)] },
    ] },
  ],
};

/** The order in which the sets of the plan are done. */
export const order = ["w/0", "a/0", "b/0", "a/1", "b/1", "b/2", "c/0"];

/** `{guide, clock, kept, cues}`: a guide whose time is `clock.now`. */
export function makeGuide(changes = {}) {
  const clock = { now: start };
  const record = newRecord({ account: 7, id: "t", workout: "p", plan, exercises: [], device: "d", now: start });
  const kept = [];
  const cues = [];
  let made = 0;
  const guide = new Guide({ ...record, ...changes }, {
    now: () => clock.now, keep: (one) => kept.push(structuredClone(one)), makeId: () => {
      made += 1;
      return `added${made}`;
    },
  });
  guide.addEventListener("cue", ({ detail }) => cues.push(detail));
  return { guide, clock, kept, cues };
}

/** A write queue: `sent` lists what was written; without a connection a write waits. */
export class FakeNet extends EventTarget {
  state = "live";
  account = { id: 7, username: "ada" };
  clock = { now: () => start };
  sent = [];
  replies = {};
  writes = Object.assign(new EventTarget(), { waiting: [], find: () => null, write: (method, params) => this.#write(method, params) });

  async request(method, params) {
    return this.#write(method, params);
  }

  async #write(method, params) {
    this.sent.push({ method, params: structuredClone(params) });
    if (this.state !== "live") return null;
    const reply = this.replies[method];
    return typeof reply === "function" ? reply(params) : reply ?? { state: method === "training.finish" ? "finished" : "active", generation: 1, sets: [],
      device: "d" };
  }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}

export const settled = () => new Promise((resolve) => { setTimeout(resolve, 2); });
