// The runners of the map as this browser received them last: a page that is loaded without a network shows them, marked as old. No DOM.

import { systemScheduler } from "../client/scheduler.js";

const prefix = "campanile.runners.";
/** The server forgets a location without a new one after this time; so does this browser. */
export const keptMillisecondsMax = 15 * 60_000;
const keptMax = 300;
/** After a change of the account the map may still have runners that the account before could see. */
const settledMilliseconds = 10_000;
const isFinished = ({ state }) => state === "finished" || state === "hidden";

/** The members of a runner that the map and the list draw. */
function partOf(runner, elapsed) {
  const { session, username, activity, title, state, lat, lon, heading, speed, averageSpeed, at, distance, zone, rate } = runner;
  return { session, name: username, activity, title, state, lat, lon, heading, speed, averageSpeed, at, distance, zone, rate, elapsed,
    isKept: true };
}

/** Keeps the runners of `roster` when the connection or the page ends. They are of one account, or of a guest. */
export class KeptRunners {
  #net;
  #roster;
  #storage;
  #scheduler;
  #stopWaiting = () => {};
  #wasLive = false;
  #accountAt = -Infinity;

  constructor(net, roster, { storage = localStorage, scheduler = systemScheduler } = {}) {
    this.#net = net;
    this.#roster = roster;
    this.#storage = storage;
    this.#scheduler = scheduler;
    net.addEventListener("state", () => this.#follow());
    let before = net.account;
    net.addEventListener("account", () => {
      // A guest sees no more than an account does.
      if (before !== null) this.#accountAt = performance.now();
      this.#removeOthers(before);
      before = net.account;
    });
    globalThis.addEventListener?.("pagehide", () => { if (net.state === "live") this.#keep(); });
    this.#removeOthers();
    this.#follow();
    this.#removeOld();
  }

  get #key() {
    return prefix + (this.#net.account?.id ?? "guest");
  }

  #follow() {
    const { state } = this.#net;
    if (state === "live") this.#roster.keptAt = null;
    else if (this.#wasLive) this.#keep();
    else if (state === "offline" && !this.#roster.isKnown && this.#roster.keptAt === null) this.#restore();
    this.#wasLive = state === "live";
  }

  #keep() {
    // A page without the map knows nothing newer.
    if (!this.#roster.isKnown || performance.now() - this.#accountAt < settledMilliseconds) return;
    const now = this.#net.clock.now();
    const runners = this.#roster.runners.filter((runner) => !isFinished(runner) && now - runner.at < keptMillisecondsMax).slice(0, keptMax)
      .map((runner) => partOf(runner, this.#roster.elapsed(runner)));
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ at: Date.now(), runners }));
    } catch {
      // Storage is full or blocked.
    }
    this.#removeOld();
  }

  #restore() {
    this.#removeOld();
    const kept = this.#read();
    const now = this.#net.clock.now();
    if (kept) this.#roster.restore(kept.runners, { at: kept.at, lifetime: ({ at }) => keptMillisecondsMax - (now - at) });
  }

  #read() {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key));
      return Array.isArray(kept?.runners) ? kept : null;
    } catch {
      return null;
    }
  }

  /** Removes runners that are too old, and again when the next ones are. */
  #removeOld() {
    this.#stopWaiting();
    const kept = this.#read();
    const now = this.#net.clock.now();
    const runners = kept?.runners.filter(({ at }) => now - at < keptMillisecondsMax) ?? [];
    if (runners.length === 0) return this.#storage.removeItem(this.#key);
    if (runners.length < kept.runners.length) this.#storage.setItem(this.#key, JSON.stringify({ ...kept, runners }));
    const wait = keptMillisecondsMax - (now - Math.min(...runners.map(({ at }) => at)));
    this.#stopWaiting = this.#scheduler.after(wait + 1, () => this.#removeOld());
    return undefined;
  }

  /** Removes runners of others than the account now here. `before` is the account before it, in this tab. */
  #removeOthers(before = null) {
    const { account } = this.#net;
    if (account && before?.id === account.id) return;
    // A sign-out in this tab is none of an account that has signed in in another tab.
    const isOthers = (key) => (!account && before ? key === prefix + before.id : key !== this.#key);
    for (const key of Object.keys(this.#storage)) if (key.startsWith(prefix) && isOthers(key)) this.#storage.removeItem(key);
  }
}
