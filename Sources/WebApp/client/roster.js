// The runners of the cells in view, with their motion and trails. No DOM.

import { milliseconds } from "./clock.js";
import { nobodyKnown } from "./known.js";
import { cellTopic } from "./mercator.js";
import { Glide, Trail } from "./motion.js";
import { Viewport } from "./viewport.js";

/**
 * Who left a cell for the next: that one tells of it as well, before or after. Cells of wide views tell every two seconds, and every
 * five on a connection that does not keep up. Who left the view is out of sight meanwhile.
 */
const handoverMilliseconds = 6_000;
/** Cells of another size come into view: they tell of the same runners again. */
const recutMilliseconds = 5_000;
const finishedShownMilliseconds = 30_000;
const sweepEveryMilliseconds = 500;
/** From one view to the next the map is not let go. */
const lookAwayAfterMilliseconds = 2_000;
const suspendAfterMilliseconds = 5_000;
/** In place of a cell's topic. */
const pinned = "pinned";

/** Emits `change` (at most once a frame), and `state` with `detail: {runner, before}` when a runner's state changes. */
export class Roster extends EventTarget {
  /**
   * session → `{runner, glide, trail, topic, removeAt}`; `topic` is the cell that told of it last, null when that one told that
   * it left. Runners beyond the map's edge are among them, as cells are cut otherwise than maps.
   */
  entries = new Map();
  /** topic → `[{index, count, lat, lon}]`: cells with crowds, whose runners are counted and not known one by one. */
  clusters = new Map();
  /** Whether all in view have been told of; false means "not known yet", not "nobody". */
  isKnown = false;
  /** Why the server refuses the view, until it does not. */
  problem = null;
  viewport;

  #net;
  #animate;
  #known;
  #watch = null;
  #recut = new Set();
  #scheduled = false;
  #sweeper = 0;
  #lookAwayTimer = 0;
  #suspendTimer = 0;

  /** `animate()` tells whether motion may be shown; `known` has the names of people whom the account knows. */
  constructor(net, animate = () => true, known = nobodyKnown) {
    super();
    this.#net = net;
    this.#animate = animate;
    this.#known = known;
    known.addEventListener("change", () => {
      for (const entry of this.entries.values()) entry.runner = this.#named(entry.runner);
      this.#changed();
    });
    this.viewport = new Viewport({
      send: (params) => net.request("positions.view", params),
      cells: (topics) => this.#cells(topics),
      update: (topic, update) => this.#update(topic, update),
      problem: (error) => {
        this.problem = error;
        this.#changed();
      },
    });
    net.viewport = this.viewport;
  }

  /**
   * Starts to look at a part of the map: `look(box, zoom, isSettled)` says at which (`[south, west, north, east]`), and again when
   * the map moves; `close()` ends it. The last to start is the one who looks.
   */
  watch() {
    clearTimeout(this.#lookAwayTimer);
    this.#sweeper ||= setInterval(() => this.#sweep(), sweepEveryMilliseconds);
    const watch = {
      look: (box, zoom, isSettled = true) => { if (this.#watch === watch) this.viewport.show(box, zoom, isSettled); },
      close: () => {
        if (this.#watch !== watch) return;
        this.#watch = null;
        this.#lookAwayTimer = setTimeout(() => this.#lookAway(), lookAwayAfterMilliseconds);
      },
    };
    this.#watch = watch;
    return watch;
  }

  /** Whether anybody sees the page: positions for nobody are not sent. */
  setVisible(isVisible) {
    clearTimeout(this.#suspendTimer);
    if (isVisible) this.viewport.resume();
    else this.#suspendTimer = setTimeout(() => this.viewport.suspend(), suspendAfterMilliseconds);
  }

  /**
   * Seconds a runner's session has taken by now: `elapsed` was true at `at` and goes on by `rate`. While the connection is lost it stands
   * where it was when the server was heard last: nobody knows whether the runner goes on.
   */
  elapsed(runner) {
    if (runner.state === "paused" || runner.state === "finished") return runner.elapsed;
    const now = this.#net.state === "live" ? Date.now() : this.#net.heardAt;
    return runner.elapsed + this.#net.clock.age(runner.at, now) * (runner.rate ?? 1);
  }

  /** How many runners `isIn({lat, lon})` holds for: those who are known one by one, and crowds by their middle. */
  countOut(isIn) {
    let out = 0;
    for (const { runner, topic } of this.entries.values()) if (topic !== pinned && runner.state !== "finished" && isIn(runner)) out += 1;
    for (const clusters of this.clusters.values()) for (const cluster of clusters) if (isIn(cluster)) out += cluster.count;
    return out;
  }

  /** Who is followed is on the map though the cell is told as counts; `runner` is as the session's own topic has it. */
  pin(runner) {
    const entry = this.entries.get(runner.session);
    if (entry && entry.topic !== pinned) return;
    const isCounted = [...this.clusters.keys()].some((topic) => cellTopic(runner.lat, runner.lon, Number(topic.split("/")[1])) === topic);
    if (isCounted) this.#upsert(pinned, { ...runner, at: milliseconds(runner.at) }, performance.now());
    else this.unpin(runner.session);
  }

  unpin(session) {
    if (this.entries.get(session)?.topic === pinned) this.entries.delete(session);
  }

  #lookAway() {
    this.viewport.lookAway();
    clearInterval(this.#sweeper);
    this.#sweeper = 0;
    this.entries.clear();
    this.clusters.clear();
    this.isKnown = false;
  }

  /** The view has these cells now: whoever is in none of them is gone at once. */
  #cells(topics) {
    const [first] = topics;
    const zoom = Number(first?.split("/")[1]);
    const now = performance.now();
    this.problem = null;
    this.#recut.clear();
    for (const topic of this.clusters.keys()) if (!topics.has(topic)) this.clusters.delete(topic);
    for (const [session, entry] of this.entries) {
      if (topics.has(entry.topic)) continue;
      if (first === undefined || !topics.has(cellTopic(entry.runner.lat, entry.runner.lon, zoom))) {
        this.entries.delete(session);
      } else if (entry.topic !== null) {
        entry.topic = null;
        entry.removeAt = now + recutMilliseconds;
        this.#recut.add(session);
      }
    }
    if (topics.size === 0) this.isKnown = false;
    this.#changed();
  }

  #update(topic, { full, left, runners, clusters }) {
    const now = performance.now();
    if (clusters) this.clusters.set(topic, clusters);
    else if (full) this.clusters.delete(topic);
    for (const leaver of left) this.#left(topic, leaver, now);
    for (const runner of runners) this.#upsert(topic, runner, now);
    if (full) this.#keepOnly(topic, runners);
    if (this.viewport.awaited.size === 0) this.#allTold();
    this.#changed();
  }

  /** Frames have usernames: all viewers of a cell get the same. */
  #named(runner) {
    const username = runner.username ?? runner.name;
    return { ...runner, username, name: this.#known.nameOf(username) };
  }

  #upsert(topic, told, now) {
    const runner = this.#named(told);
    const rate = runner.rate ?? 1;
    const entry = this.entries.get(runner.session);
    if (!entry) {
      const made = { runner, topic, removeAt: null, glide: new Glide(runner, now), trail: new Trail() };
      made.trail.add(runner, now, rate);
      this.entries.set(runner.session, made);
      return;
    }
    const before = entry.runner.state;
    // What was missed meanwhile is not to be drawn as a straight line.
    if (isElsewhere(entry.runner, runner) && entry.glide.moveTo(runner, now, { animate: this.#animate(), rate })) entry.trail.clear();
    entry.trail.add(runner, now, rate);
    entry.runner = runner;
    entry.topic = topic;
    entry.removeAt = runner.state === "finished" ? now + finishedShownMilliseconds : null;
    if (before !== runner.state) this.dispatchEvent(new CustomEvent("state", { detail: { runner, before } }));
  }

  #left(topic, { session, reason }, now) {
    const entry = this.entries.get(session);
    if (!entry) return;
    // Another cell may have told of the runner before this one does; but hidden it is from all of them.
    if (reason === "hidden") {
      this.entries.delete(session);
      return;
    }
    if (entry.topic !== topic) return;
    entry.topic = null;
    if (reason === "zone") {
      entry.removeAt = now + handoverMilliseconds;
    } else if (reason === "finished") {
      const before = entry.runner.state;
      entry.runner = { ...entry.runner, state: "finished", elapsed: before === "finished" ? entry.runner.elapsed
        : this.elapsed(entry.runner) };
      entry.removeAt = now + finishedShownMilliseconds;
      if (before !== "finished") this.dispatchEvent(new CustomEvent("state", { detail: { runner: entry.runner, before } }));
    }
  }

  /** A snapshot is everyone: who is not in it left while we did not listen, or may not be seen any more. */
  #keepOnly(topic, runners) {
    const present = new Set(runners.map((runner) => runner.session));
    const isCounted = this.clusters.has(topic);
    const zoom = Number(topic.split("/")[1]);
    for (const [session, entry] of this.entries) {
      // Who is on the way into a cell that counts is in its counts.
      const isHere = entry.topic === topic
        || (isCounted && entry.topic === null && cellTopic(entry.runner.lat, entry.runner.lon, zoom) === topic);
      if (isHere && !present.has(session)) this.entries.delete(session);
    }
  }

  #allTold() {
    this.isKnown = true;
    for (const session of this.#recut) if (this.entries.get(session)?.topic === null) this.entries.delete(session);
    this.#recut.clear();
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

function isElsewhere(a, b) {
  return a.lat !== b.lat || a.lon !== b.lon;
}
