// Who is on the map: runners of the subscribed zones, with their motion and trails. No DOM.

import { Glide, Trail } from "./motion.js";

const handoverMilliseconds = 10_000;
const finishedShownMilliseconds = 30_000;
const sweepEveryMilliseconds = 2_000;
const zonesAtOnceMax = 40;

/** Emits `change` (at most once a frame), and `state` with `detail: {runner, before}` when a runner's state changes. */
export class Roster extends EventTarget {
  /** session → `{runner, glide, trail, zone, removeAt}` */
  entries = new Map();
  /** Zones whose snapshot has come; empty means "not known yet", not "nobody". */
  loaded = new Set();
  /** Local ms of the last message about positions; 0 before any. */
  heardAt = 0;
  /** The last subscription error, until one succeeds. */
  problem = null;

  #net;
  #subscriptions = new Map();
  #users = 0;
  #animate;
  #scheduled = false;
  #sweeper = 0;

  /** `animate()` tells whether motion may be shown. */
  constructor(net, animate = () => true) {
    super();
    this.#net = net;
    this.#animate = animate;
    net.addEventListener("state", () => { if (net.state === "live" && this.#users > 0) this.#follow(); });
  }

  /** Starts (or keeps) following the campus; the result gives it up again. Views share one roster. */
  retain() {
    this.#users += 1;
    if (this.#users === 1) this.#sweeper = setInterval(() => this.#sweep(), sweepEveryMilliseconds);
    this.#follow();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#users -= 1;
      if (this.#users > 0) return;
      clearInterval(this.#sweeper);
      this.setZones([]);
    };
  }

  /** Which zones to show when there are more than can all be followed: those given, at most 40. */
  setZones(ids) {
    const wanted = new Set(ids.slice(0, zonesAtOnceMax));
    for (const [id, subscription] of this.#subscriptions) {
      if (wanted.has(id)) continue;
      subscription.close();
      this.#subscriptions.delete(id);
      this.loaded.delete(id);
      for (const [session, entry] of this.entries) if (entry.zone === id) this.entries.delete(session);
    }
    for (const id of wanted) {
      if (this.#subscriptions.has(id)) continue;
      this.#subscriptions.set(id, this.#net.subscribe(`zone/${id}/positions`, {
        snapshot: (data) => this.#snapshot(id, data),
        push: (data) => this.#push(id, data),
        error: (error) => { this.problem = error; this.#changed(); },
      }));
    }
    this.#changed();
  }

  /** Whether every zone of the campus is followed, whatever the view. */
  get followsAll() {
    return (this.#net.campus?.zones.length ?? 0) <= zonesAtOnceMax;
  }

  /** Seconds a runner's session has taken by now: `elapsed` was true at `at` and goes on by `rate`. */
  elapsed(runner) {
    if (runner.state === "paused" || runner.state === "finished") return runner.elapsed;
    return runner.elapsed + this.#net.clock.age(runner.at) * (runner.rate ?? 1);
  }

  #follow() {
    const zones = this.#net.campus?.zones ?? [];
    if (this.followsAll && zones.length > 0) this.setZones(zones.map((zone) => zone.id));
  }

  #snapshot(zone, { runners, trails }) {
    const now = performance.now();
    this.heardAt = Date.now();
    this.problem = null;
    this.loaded.add(zone);
    const present = new Set();
    for (const runner of runners) {
      present.add(runner.session);
      this.#upsert(zone, runner, now, trails?.[String(runner.session)]);
    }
    // Who left while we were not listening.
    for (const [session, entry] of this.entries) {
      if (entry.zone === zone && !present.has(session)) this.entries.delete(session);
    }
    this.#changed();
  }

  #push(zone, data) {
    if (data.type !== "positions") return;
    const now = performance.now();
    this.heardAt = Date.now();
    for (const runner of data.runners ?? []) this.#upsert(zone, runner, now);
    for (const leaver of data.left ?? []) this.#left(zone, leaver, now);
    this.#changed();
  }

  #upsert(zone, runner, now, positions = null) {
    const rate = runner.rate ?? 1;
    let entry = this.entries.get(runner.session);
    if (!entry) {
      entry = { runner, zone, removeAt: null, glide: new Glide(runner, now), trail: new Trail(positions ?? [], now, rate) };
      entry.trail.add(runner, now, rate);
      this.entries.set(runner.session, entry);
      return;
    }
    const before = entry.runner.state;
    if (positions) entry.trail = new Trail(positions, now, rate);
    if (runner.lat !== entry.runner.lat || runner.lon !== entry.runner.lon) {
      entry.glide.moveTo(runner, now, { animate: this.#animate(), rate });
    }
    entry.trail.add(runner, now, rate);
    entry.runner = runner;
    entry.zone = zone;
    entry.removeAt = runner.state === "finished" ? now + finishedShownMilliseconds : null;
    if (before !== runner.state) this.dispatchEvent(new CustomEvent("state", { detail: { runner, before } }));
  }

  #left(zone, { session, reason, to }, now) {
    const entry = this.entries.get(session);
    // The new zone may have told of the runner before the old one did.
    if (!entry || entry.zone !== zone) return;
    if (reason === "zone" && this.#subscriptions.has(to)) {
      entry.zone = to;
      entry.removeAt = now + handoverMilliseconds;
    } else if (reason === "finished") {
      const before = entry.runner.state;
      entry.runner = { ...entry.runner, state: "finished", elapsed: before === "finished" ? entry.runner.elapsed : this.elapsed(entry.runner) };
      entry.removeAt = now + finishedShownMilliseconds;
      if (before !== "finished") this.dispatchEvent(new CustomEvent("state", { detail: { runner: entry.runner, before } }));
    } else {
      this.entries.delete(session);
    }
  }

  #sweep() {
    const now = performance.now();
    let removed = false;
    for (const [session, entry] of this.entries) {
      entry.trail.prune(now, entry.runner.rate ?? 1);
      if (entry.removeAt !== null && entry.removeAt < now) removed = this.entries.delete(session) || removed;
    }
    if (removed) this.#changed();
  }

  #changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.dispatchEvent(new Event("change"));
    }, 16);
  }
}
