// Shows the progress of a training to a live group: at most one position each second. No DOM.

import { systemScheduler, Timer } from "../client/scheduler.js";
import { isGuiding, isPaused } from "./states.js";

const intervalMilliseconds = 1_000;
/** Without a change a position is sent again, so that members who come late see it. */
const repeatMilliseconds = 20_000;
/** A person who has left the group may come back to it. */
const goneMilliseconds = 60_000;
const setsMax = 1_000;

/** The position of a training, as `together.update` takes it. `zone` is the heart-rate zone if the person shares it, else null. */
export function positionOf(guide, { zone = null } = {}) {
  const { current, figures, state, record } = guide;
  const phase = state === "finished" ? "finished" : isPaused(state) ? "paused" : state === "rest" ? "rest"
    : state === "complete" || current?.section === "coolDown" ? "coolDown" : current?.section === "warmUp" ? "warmUp" : "exercise";
  return {
    phase, setsDone: Math.min(setsMax, figures.done), setsTotal: Math.min(setsMax, figures.total),
    ...(current && phase !== "finished" && { exercise: current.entry.exercise, set: current.round + 1, sets: current.rounds }),
    ...(state === "rest" && record.restEndsAt !== null && { restEndsAt: new Date(record.restEndsAt).toISOString() }),
    ...(zone >= 1 && zone <= 5 && { zone }),
  };
}

/** Sends the positions of a guide to its group, unless another device or tab guides the training. */
export class GroupReporter {
  #net; #guide; #zone; #scheduler; #timer;
  #sentAt = -Infinity;
  #sent = "";
  #isGone = false;
  #end = new AbortController();

  /** `zone()` gives the heart-rate zone if the person shares it, else null. */
  constructor(net, guide, { zone, scheduler = systemScheduler }) {
    this.#net = net;
    this.#guide = guide;
    this.#zone = zone;
    this.#scheduler = scheduler;
    this.#timer = new Timer(scheduler);
    const { signal } = this.#end;
    guide.addEventListener("change", () => this.update(), { signal });
    net.addEventListener("state", () => this.again(), { signal });
    this.update();
  }

  /** Sends the position now, or when the last one is a second old. */
  update() {
    const { state } = this.#guide;
    if (this.#end.signal.aborted || !isGuiding(state)) return this.#timer.clear();
    const age = this.#scheduler.now() - this.#sentAt;
    const isNew = !this.#isGone && JSON.stringify(this.#position) !== this.#sent;
    const interval = this.#isGone ? goneMilliseconds : isNew ? intervalMilliseconds : repeatMilliseconds;
    if (this.#net.state === "live" && age >= interval) this.#send();
    return this.#timer.set(age < interval ? Math.min(interval - age, repeatMilliseconds) : repeatMilliseconds, () => this.update());
  }

  /** Sends the position once more: the person may have come back to the group. */
  again() {
    this.#isGone = false;
    this.#sent = "";
    this.update();
  }

  /** Sends the final sets to the group. Call it after the server has taken the end of the training. */
  ended() {
    if (!this.#end.signal.aborted && this.#net.state === "live") this.#send();
  }

  close() {
    this.#end.abort();
    this.#timer.clear();
  }

  get #position() { return positionOf(this.#guide, { zone: this.#zone() }); }

  async #send() {
    const position = this.#position;
    this.#sent = JSON.stringify(position);
    this.#sentAt = this.#scheduler.now();
    try {
      await this.#net.request("together.update", { group: this.#guide.record.together, position });
      this.#isGone = false;
    } catch (error) {
      // The group has ended, or the caller has left it: the training goes on alone.
      if (error.isNotFound) this.#isGone = true;
    }
  }
}
