// The viewport that the map subscribes to (`positions.view`), and the publications that come back. No DOM and no network of
// its own: what it needs comes in. Both forms of positions become the same updates here.

import { AreaDecoder, readFrame } from "./positions.js";
import { fromUnit } from "./mercator.js";

/** At most five views a second while a map moves. */
const everyMilliseconds = 200;
/** A snapshot that does not come: the server sends one to whom it left something out, as soon as there is room. */
const snapshotMillisecondsMax = 30_000;
const retryMilliseconds = 2_000;
const anewMillisecondsMin = 1_000;
const anewMillisecondsMax = 60_000;
/** After so many unreadable frames, each of which made the page send its view again, positions come as JSON. */
const unreadableMax = 3;
/** Its cells are some kilometres wide: a campus is a few of them. */
const campusZoom = 13;
/** @type {{box: number[] | null, zoom?: number}} */
const noBox = { box: null };

/** Cuts a box of `[south, west, north, east]` to what there is of the world; null when nothing is left. */
export function boxOnEarth([south, west, north, east]) {
  const cut = (value, limit) => Number(Math.max(-limit, Math.min(limit, value)).toFixed(6));
  const box = [cut(south, 90), cut(west, 180), cut(north, 90), cut(east, 180)];
  return box[0] < box[2] && box[1] < box[3] ? box : null;
}

/** Whether a runner is within `[south, west, north, east]`. */
export function isInBox({ lat, lon }, [south, west, north, east]) {
  return lat >= south && lat <= north && lon >= west && lon <= east;
}

/**
 * The view that shows the whole campus; the world until the campus is known.
 * @returns {{box: [number, number, number, number], zoom: number}}
 */
export function wholeCampus(campus) {
  const bounds = campus?.bounds;
  return bounds ? { box: [bounds.south, bounds.west, bounds.north, bounds.east], zoom: campusZoom }
    : { box: [-90, -180, 90, 180], zoom: 0 };
}

/**
 * One connection's view. `send(params)` resolves with the result of `positions.view` and rejects with a RequestError.
 * `cells(topics)` is called with the cells of a new view: what is known of others is to be forgotten. `update(topic, update)` is
 * called with what is new in one of them: `{full, left, runners}` with times in milliseconds, where `full` means that `runners` is
 * everyone. Where there is a crowd on a wide view, an update is full without runners and has `clusters`, `{index, count, lat, lon}` each.
 * `problem(error)` is called when the server refuses the view, and `stopped()` by `stop()`.
 */
export class Viewport {
  /** The cells in view, as topics; empty before the first reply. */
  topics = new Set();
  /** Topics whose snapshot has not come, with the time since when. */
  awaited = new Map();
  /** What has happened, for tests and measurements. */
  counts = { views: 0, messages: 0, bytes: 0, snapshots: 0, updates: 0, gaps: 0, troubles: 0 };

  #on;
  #now;
  #after;
  #areas = new Map();
  #encoding = "binary";
  #wanted = noBox;
  /** The view that was sent last; null when it has to be sent again. */
  #told = null;
  #toldAt = -Infinity;
  #isSuspended = false;
  #isBusy = false;
  #isAnew = false;
  #isConnected = false;
  /** Connections so far: replies of earlier ones are not waited for. */
  #connections = 0;
  #sendTimer = null;
  #anewTimer = null;
  #watchTimer = null;
  #retryTimer = null;
  #troubles = 0;
  #unreadable = 0;
  #troubledAt = -Infinity;

  /** `now()` in ms; `after(ms, run)` gives a function that cancels it. */
  constructor({
    send, cells, update, problem = (_error) => {}, stopped = () => {}, now = () => performance.now(), after = afterTimeout,
  }) {
    this.#on = { send, cells, update, problem, stopped };
    this.#now = now;
    this.#after = after;
  }

  /**
   * The map shows `box` (`[south, west, north, east]`) at `zoom`. While it moves, `isSettled` is false: the view is sent only
   * when cells come into view.
   */
  show(box, zoom, isSettled = true) {
    const onEarth = boxOnEarth(box);
    const wanted = onEarth ? { box: onEarth, zoom: Math.round(zoom * 100) / 100 } : noBox;
    if (!isSettled && this.#wanted === this.#told && this.#covers(wanted)) return;
    if (isSame(wanted, this.#wanted)) return;
    this.#wanted = wanted;
    this.#sendSoon();
  }

  /** No map is shown. */
  lookAway() {
    this.#wanted = noBox;
    this.#sendSoon();
  }

  /** Nobody sees the map for now, which still shows `box`: nothing comes until `resume()`, and what is known stays. */
  suspend() {
    this.#isSuspended = true;
    this.#sendSoon();
  }

  resume() {
    this.#isSuspended = false;
    this.#sendSoon();
  }

  /** The connection is new, or somebody signed in on it: the server knows of no view, or sees another one asking. */
  connected() {
    // The snapshots of a view whose reply is not awaited any more may get lost.
    const isAnew = this.#isBusy;
    this.disconnected();
    this.#isConnected = true;
    this.#isAnew = isAnew;
    this.#toldAt = -Infinity;
    if (this.awaited.size > 0) this.#watch();
    this.#sendSoon();
  }

  /** The connection is gone. What is known stays. */
  disconnected() {
    this.#connections += 1;
    this.#isConnected = this.#isBusy = this.#isAnew = false;
    this.#told = null;
  }

  /** The client was closed: stops all timers. What is known stays, and `connected()` sends the view again. */
  stop() {
    this.disconnected();
    this.#clearTimers();
    this.#on.stopped();
  }

  /** Ends the view and all timers. `isCurrent`: whether the server's view is still this one. */
  close(isCurrent = true) {
    this.#clearTimers();
    if (isCurrent && this.#isConnected) this.#on.send(noBox).catch(() => {});
    this.disconnected();
    this.#forget();
  }

  #clearTimers() {
    for (const cancel of [this.#sendTimer, this.#anewTimer, this.#watchTimer, this.#retryTimer]) cancel?.();
    this.#sendTimer = this.#anewTimer = this.#watchTimer = this.#retryTimer = null;
  }

  // MARK: Sending the view

  get #target() {
    return this.#isSuspended ? noBox : this.#wanted;
  }

  #sendSoon() {
    if (!this.#isConnected || this.#isBusy || this.#sendTimer) return;
    const wait = this.#toldAt + everyMilliseconds - this.#now();
    if (wait <= 0) {
      this.#send();
      return;
    }
    this.#sendTimer = this.#after(wait, () => {
      this.#sendTimer = null;
      this.#send();
    });
  }

  async #send() {
    const target = this.#target;
    if (!this.#isConnected || this.#isBusy || isSame(target, this.#told)
      || (this.#told === null && target.box === null && this.topics.size === 0)) return;
    const connection = this.#connections;
    this.#isBusy = true;
    this.#told = target;
    this.#toldAt = this.#now();
    this.counts.views += 1;
    try {
      if (this.#isAnew) {
        // Only cells that come into view get a snapshot.
        await this.#on.send(noBox);
        if (connection !== this.#connections) return;
        this.#forget();
        this.#isAnew = false;
      }
      const reply = await this.#on.send(target.box ? { ...target, encoding: this.#encoding } : noBox);
      if (connection !== this.#connections) return;
      this.#take(Array.isArray(reply?.topics) ? reply.topics : []);
    } catch (error) {
      if (connection !== this.#connections) return;
      this.#told = null;
      this.#refused(error, target);
    } finally {
      if (connection === this.#connections) this.#isBusy = false;
    }
    if (this.#told !== null && !isSame(this.#told, this.#target)) this.#sendSoon();
  }

  #refused(error, target) {
    this.#on.problem(error);
    if (!error.isTransient) {
      // The same again would be refused again.
      this.#told = target;
      return;
    }
    this.#toldAt = this.#now() + Math.max(retryMilliseconds, (error.data?.retryAfter ?? 0) * 1000);
    this.#retryTimer?.();
    this.#retryTimer = this.#after(this.#toldAt - this.#now(), () => {
      this.#retryTimer = null;
      this.#sendSoon();
    });
  }

  #take(topics) {
    const now = new Set(topics);
    for (const topic of this.topics) {
      if (now.has(topic)) continue;
      this.#areas.delete(topic);
      this.awaited.delete(topic);
    }
    for (const topic of now) {
      if (this.topics.has(topic)) continue;
      this.#areas.set(topic, new AreaDecoder());
      this.#await(topic);
    }
    this.topics = now;
    // While suspended the map keeps what it shows.
    if (now.size > 0 || this.#wanted.box === null) this.#on.cells(now);
  }

  #forget() {
    this.topics = new Set();
    this.awaited.clear();
    this.#areas.clear();
  }

  /**
   * Whether all that `wanted` shows is sent already.
   * @param {{box: number[] | null, zoom?: number}} view
   */
  #covers({ box, zoom }) {
    if (!box || this.topics.size === 0 || zoom !== this.#told?.zoom) return false;
    let [west, north, east, south, level] = [Infinity, Infinity, -Infinity, -Infinity, 0];
    for (const topic of this.topics) {
      const [, z, x, y] = topic.split("/").map(Number);
      [west, north, east, south, level] = [Math.min(west, x), Math.min(north, y), Math.max(east, x + 1), Math.max(south, y + 1), z];
    }
    const first = fromUnit(west / 2 ** level, north / 2 ** level);
    const last = fromUnit(east / 2 ** level, south / 2 ** level);
    return box[0] >= last.lat && box[1] >= first.lon && box[2] <= first.lat && box[3] <= last.lon;
  }

  // MARK: What comes

  /** A binary message. */
  frame(buffer) {
    this.counts.messages += 1;
    this.counts.bytes += buffer.byteLength;
    let frame;
    let update;
    try {
      frame = readFrame(buffer);
      // Of a later version: the server speaks JSON as well.
      if (!frame) {
        this.#unreadable = unreadableMax;
        this.#cannotRead();
        return;
      }
      const area = this.#areas.get(frame.area);
      // It left the view meanwhile.
      if (!area) return;
      update = area.apply(frame);
    } catch {
      if (frame) this.#areas.set(frame.area, new AreaDecoder());
      this.#cannotRead();
      return;
    }
    if (update) {
      this.#apply(frame.area, update);
    } else if (!this.awaited.has(frame.area)) {
      this.counts.gaps += 1;
      this.#await(frame.area);
    }
  }

  /** A push of a cell, as JSON. */
  push(topic, data) {
    if (!this.topics.has(topic)) return;
    if (data?.type === "counts") {
      this.#apply(topic, { full: true, left: [], runners: [], clusters: objects(data.clusters) });
      return;
    }
    if (data?.type !== "positions") return;
    const full = data.full === true;
    if (!full && this.awaited.has(topic)) return;
    const runners = objects(data.runners).map((runner) => ({ ...runner, at: Date.parse(runner.at) }));
    this.#apply(topic, { full, left: objects(data.left), runners });
  }

  #apply(topic, update) {
    this.counts.updates += update.runners.length;
    if (update.full) {
      this.counts.snapshots += 1;
      this.awaited.delete(topic);
    }
    this.#on.update(topic, update);
  }

  #await(topic) {
    this.awaited.set(topic, this.#now());
    this.#watch();
  }

  /** Sends the view again when a snapshot does not come. */
  #watch() {
    if (this.#watchTimer) return;
    this.#watchTimer = this.#after(snapshotMillisecondsMax, () => {
      this.#watchTimer = null;
      if (this.awaited.size === 0) return;
      const oldest = Math.min(...this.awaited.values());
      if (this.#now() - oldest >= snapshotMillisecondsMax) this.#viewAnew();
      this.#watch();
    });
  }

  #cannotRead() {
    if (this.#anewTimer) return;
    this.#unreadable += 1;
    if (this.#unreadable > unreadableMax) this.#encoding = "json";
    this.#viewAnew();
  }

  /** Gives the view up and asks for it again: soon at first, then ever later. */
  #viewAnew() {
    if (this.#anewTimer) return;
    const now = this.#now();
    if (now - this.#troubledAt > 2 * anewMillisecondsMax) this.#troubles = 0;
    this.#troubledAt = now;
    this.counts.troubles += 1;
    const wait = Math.min(anewMillisecondsMax, anewMillisecondsMin * 2 ** this.#troubles);
    this.#troubles += 1;
    this.#anewTimer = this.#after(wait, () => {
      this.#anewTimer = null;
      this.#isAnew = true;
      this.#told = null;
      this.#sendSoon();
    });
  }
}

/** The objects of a list; what the server sends is input. */
function objects(list) {
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}

function isSame(a, b) {
  return a === b || (a !== null && b !== null && a.zoom === b.zoom && String(a.box) === String(b.box));
}

function afterTimeout(milliseconds, run) {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
