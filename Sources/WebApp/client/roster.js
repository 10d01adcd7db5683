// The runners of the cells in view, with their motion and trails. No DOM.

import { milliseconds } from "./clock.js";
import { nobodyKnown } from "./known.js";
import { cellTopic } from "./mercator.js";
import { Glide, Trail } from "./motion.js";
import { Viewport } from "./viewport.js";

/**
 * Time for which a runner that left a cell is kept until the next cell has it. Cells of wide views send every two seconds, and every
 * five on a connection that does not keep up. A runner that left the view is out of sight meanwhile.
 */
const handoverMilliseconds = 6_000;
/** Time for which runners are kept when cells of another size come into view, which send the same runners again. */
const recutMilliseconds = 5_000;
const finishedShownMilliseconds = 30_000;
const sweepEveryMilliseconds = 500;
/** Time without a view after which the map's topics are dropped, so that a change of pages keeps them. */
const lookAwayAfterMilliseconds = 2_000;
const suspendAfterMilliseconds = 5_000;
/** In place of a cell's topic. */
const pinned = "pinned";

/** Emits `change` (at most once a frame), and `state` with `detail: {runner, before}` when a runner's state changes. */
export class Roster extends EventTarget {
  /**
   * session → `{runner, glide, trail, topic, removeAt}`; `topic` is the cell that sent it last, null after that cell has sent
   * that it left. Runners beyond the map's edge are among them, as cells are cut otherwise than maps.
   */
  entries = new Map();
  /** topic → `[{index, count, lat, lon}]`: cells with crowds, whose runners are counted and not known one by one. */
  clusters = new Map();
  /** Whether all runners in view are known; false means "not known yet", not "nobody". */
  isKnown = false;
  /** Error with which the server refuses the view; null if it accepts it. */
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

  /** `animate()` returns whether motion may be shown; `known` has the names of people whom the account knows. */
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
   * Seconds a runner's session has taken by now: `elapsed` was true at `at` and goes on by `rate`. While the connection is lost it stays
   * at the time of the server's last message: whether the runner goes on is not known.
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

  /** Keeps a followed runner on the map although its cell sends only counts; `runner` is as the session's own topic has it. */
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

  /** Sets the cells of the view. Runners in none of them are removed immediately. */
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
    // A missed part of the route must not be drawn as a straight line.
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
    // Another cell may have sent the runner earlier than this one; a hidden runner is hidden from all cells.
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

  /** A snapshot has all runners of a cell. Missing ones left since the last one, or may not be seen any more. */
  #keepOnly(topic, runners) {
    const present = new Set(runners.map((runner) => runner.session));
    const isCounted = this.clusters.has(topic);
    const zoom = Number(topic.split("/")[1]);
    for (const [session, entry] of this.entries) {
      // The counts of a crowded cell include runners that move into it.
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
