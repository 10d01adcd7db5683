// The search for a first position before a session starts.

import { accuracyMetresMax } from "./recording.js";
import { geolocationProblem, watchPosition } from "../kit/geolocation.js";

/** An older position is no place to start from. */
const freshMilliseconds = 15_000;
/** After so long without a position, the page explains what can be done. */
const patienceMilliseconds = 20_000;

/**
 * Emits `change`. `state` is `off`, `searching`, `found` (good enough to count), `rough` (found, not exactly enough to count) or
 * `trouble` (see `trouble`: `denied`, `insecure`, `unsupported`, `unavailable`).
 */
export class FirstFix extends EventTarget {
  state = "off";
  /** The newest position, as `watchPosition` gives it, with the local time of its arrival. */
  fix = null;
  /** `{code, text}` while the state is `trouble`. */
  trouble = null;

  #stopWatching = null; #timer = 0;

  /** Begins, or begins again after trouble. */
  search() {
    if (this.#stopWatching && this.state !== "trouble") return;
    this.stop();
    const problem = geolocationProblem();
    if (problem) return this.#become("trouble", problem);
    this.#become("searching");
    this.#timer = setTimeout(() => this.#giveUp(), patienceMilliseconds);
    this.#stopWatching = watchPosition((fix) => this.#take(fix), (trouble) => this.#report(trouble));
    return undefined;
  }

  stop() {
    clearTimeout(this.#timer);
    this.#stopWatching?.();
    this.#stopWatching = null;
    this.fix = null;
    this.#become("off");
  }

  /** Whether a session may start here and now. */
  isReady(now = Date.now()) {
    return this.state === "found" && now - this.fix.receivedAt < freshMilliseconds;
  }

  #take(fix) {
    clearTimeout(this.#timer);
    this.fix = { ...fix, receivedAt: Date.now() };
    this.#become(fix.accuracy <= accuracyMetresMax ? "found" : "rough");
  }

  #report(trouble) {
    // A phone that has no satellites yet says so now and then; only its owner's word is final.
    if (trouble.code !== "unavailable") this.#become("trouble", trouble);
  }

  #giveUp() {
    if (this.state === "searching") this.#become("trouble", { code: "unavailable" });
  }

  #become(state, trouble = null) {
    this.state = state;
    this.trouble = trouble;
    this.dispatchEvent(new Event("change"));
  }
}

/** Whether the browser gives positions without asking the person; false where that is not known. */
export async function isLocationAllowed() {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "granted";
  } catch {
    return false;
  }
}
