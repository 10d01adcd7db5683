// The runners in the view of a map. No DOM.

import { milliseconds } from "./clock.js";
import { cellTopic } from "./mercator.js";
import { Timer, systemScheduler } from "./scheduler.js";
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
const changeMilliseconds = 16;

/**
 * A runner, with times in ms since 1970.
 * @typedef {Omit<import("./registrytypes.js").Runner, "at" | "zone" | "heading"> & {at: number, zone?: number | null,
 *   heading?: number | null, username?: string}} LiveRunner
 */

/**
 * A runner as a view keeps it. `topic` is the cell that sent it last, null after that cell has sent that it left. At `removeAt` (ms of the
 * view's clock) it is removed, unless that is null.
 * @typedef {{runner: LiveRunner, topic: string | null, removeAt: number | null}} LiveEntry
 */

/** @typedef {{index: number, count: number, lat: number, lon: number}} Cluster */

/**
 * The runners in view. It emits `change`, at most once a frame, and `state` with `detail: {runner, before}` when the state of a runner
 * changes.
 */
export class LivePositions extends EventTarget {
  /**
   * By session. Runners a little beyond the map's edge are among them, because cells are cut otherwise than maps.
   * @type {Map<number, any>}
   */
  entries = new Map();
  /**
   * By cell: crowds on wide views, whose runners the server counts in place of sending each.
   * @type {Map<string, Cluster[]>}
   */
  clusters = new Map();
  /** Whether all runners in view are known; false means "not known yet", not "nobody". */
  isKnown = false;
  /**
   * Error with which the server refuses the view; null if it accepts it.
   * @type {import("./errors.js").RequestError | null}
   */
  problem = null;
  viewport;

  #client;
  #now;
  #recut = new Set();
  #sweeper;
  #change;

  /**
   * @param {any} client A `CampanileClient`, whose view this becomes.
   * @param {{scheduler?: import("./scheduler.js").Scheduler, now?: () => number}} options `now` is the clock of `removeAt`.
   */
  constructor(client, { scheduler = systemScheduler, now = () => performance.now() } = {}) {
    super();
    this.#client = client;
    this.#now = now;
    this.#sweeper = new Timer(scheduler);
    this.#change = new Timer(scheduler);
    this.viewport = new Viewport({
      now, after: scheduler.after,
      send: (params) => client.request("positions.view", params),
      cells: (topics) => this.#cells(topics),
      update: (topic, update) => this.#update(topic, update),
      problem: (error) => {
        this.problem = error;
        this.changed();
      },
      // The next `connect()` shows the view again, whose cells start it.
      stopped: () => this.#sweeper.clear(),
    });
    client.viewport?.stop();
    client.viewport = this.viewport;
    if (client.isReady) this.viewport.connected();
  }

  /** The runners, as the server last sent them. */
  get runners() {
    return [...this.entries.values()].map(({ runner }) => runner);
  }

  /**
   * Shows a part of the map; call it again when the map moves.
   * @param {[south: number, west: number, north: number, east: number]} box Degrees.
   * @param {number} zoom Zoom of the map, 0 to 24.
   * @param {boolean} [isSettled] False while the map moves: the view is then sent only when cells come into view.
   */
  show(box, zoom, isSettled = true) {
    // A timer would keep a Node.js process alive that has closed its client.
    if (this.#client.state !== "closed") this.#sweepLater();
    this.viewport.show(box, zoom, isSettled);
  }

  /** Ends the view: nothing is sent any more, and nothing is known. */
  hide() {
    this.viewport.lookAway();
    this.#forget();
  }

  /** Nobody sees the map for now: nothing is sent until `resume()`, and what is known stays. */
  suspend() {
    this.viewport.suspend();
  }

  resume() {
    this.viewport.resume();
  }

  /** Ends the view, and all timers. */
  close() {
    const isCurrent = this.#client.viewport === this.viewport;
    this.viewport.close(isCurrent);
    if (isCurrent) this.#client.viewport = null;
    this.#forget();
    this.#change.clear();
  }

  /**
   * Seconds a runner's session has taken by now: `elapsed` was true at `at` and grows by `rate`. While the connection is lost it stays
   * at the time of the server's last message, because it is not known whether the runner goes on.
   */
  elapsed(runner) {
    if (runner.state === "paused" || runner.state === "finished") return runner.elapsed;
    const { state, clock, lastMessageAt } = this.#client;
    const age = state === "live" ? clock.age(runner.at) : clock.age(runner.at, lastMessageAt);
    return runner.elapsed + age * (runner.rate ?? 1);
  }

  // MARK: For subclasses

  /**
   * The runner as it is kept: a subclass may add members.
   * @param {any} runner
   */
  described(runner) {
    return runner;
  }

  /**
   * The entry of a runner that has come into view: a subclass may add members.
   * @param {LiveRunner} runner
   * @param {string} topic
   * @param {number} _now
   * @returns {LiveEntry}
   */
  makeEntry(runner, topic, _now) {
    return { runner, topic, removeAt: null };
  }

  /** Called before `entry.runner` is replaced by `runner`. */
  moveEntry(_entry, _runner, _now) {}

  /** Called for each entry twice a second. */
  sweepEntry(_entry, _now) {}

  /** Takes a runner that a topic has sent. */
  upsert(topic, sent, now) {
    const runner = this.described(sent);
    const entry = this.entries.get(runner.session);
    if (!entry) {
      this.entries.set(runner.session, this.makeEntry(runner, topic, now));
      return;
    }
    const before = entry.runner.state;
    this.moveEntry(entry, runner, now);
    entry.runner = runner;
    entry.topic = topic;
    entry.removeAt = runner.state === "finished" ? now + finishedShownMilliseconds : null;
    if (before !== runner.state) this.dispatchEvent(new CustomEvent("state", { detail: { runner, before } }));
  }

  /** Emits `change` soon, once for all changes of a frame. */
  changed() {
    if (!this.#change.isSet) this.#change.set(changeMilliseconds, () => this.dispatchEvent(new Event("change")));
  }

  #forget() {
    this.#sweeper.clear();
    this.entries.clear();
    this.clusters.clear();
    this.isKnown = false;
  }

  // MARK: What arrives

  /** Sets the cells of the view. Runners in none of them are removed immediately. */
  #cells(topics) {
    const [first] = topics;
    const zoom = zoomOf(first);
    const now = this.#now();
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
    else this.#sweepLater();
    this.changed();
  }

  #update(topic, { full, left, runners, clusters }) {
    const now = this.#now();
    if (clusters) this.clusters.set(topic, clusters);
    else if (full) this.clusters.delete(topic);
    for (const leaver of left) this.#left(topic, leaver, now);
    for (const runner of runners) this.upsert(topic, { ...runner, at: milliseconds(runner.at) }, now);
    if (full) this.#keepOnly(topic, runners);
    if (this.viewport.awaited.size === 0) this.#allKnown();
    this.changed();
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
    for (const [session, entry] of this.entries) {
      // The counts of a crowded cell include runners that move into it.
      const isHere = entry.topic === topic
        || (isCounted && entry.topic === null && cellTopic(entry.runner.lat, entry.runner.lon, zoomOf(topic)) === topic);
      if (isHere && !present.has(session)) this.entries.delete(session);
    }
  }

  #allKnown() {
    this.isKnown = true;
    for (const session of this.#recut) if (this.entries.get(session)?.topic === null) this.entries.delete(session);
    this.#recut.clear();
  }

  #sweepLater() {
    if (!this.#sweeper.isSet) this.#sweeper.set(sweepEveryMilliseconds, () => this.#sweep());
  }

  #sweep() {
    const now = this.#now();
    let removed = false;
    for (const [session, entry] of this.entries) {
      this.sweepEntry(entry, now);
      if (entry.removeAt !== null && entry.removeAt < now) removed = this.entries.delete(session) || removed;
    }
    if (removed) this.changed();
    this.#sweepLater();
  }
}

const zoomOf = (topic) => Number(topic?.split("/")[1]);
