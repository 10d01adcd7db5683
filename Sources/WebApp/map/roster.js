// The runners of the map, with their motion and trails, and the names that the account knows. No DOM.

import { LivePositions } from "../client/livepositions.js";
import { milliseconds } from "../client/clock.js";
import { cellTopic } from "../client/mercator.js";
import { nobodyKnown } from "../kit/known.js";
import { Glide, Trail } from "./motion.js";

/** Time without a view after which the map's topics are dropped, so that a change of pages keeps them. */
const lookAwayAfterMilliseconds = 2_000;
const suspendAfterMilliseconds = 5_000;
/** In place of a cell's topic. */
const pinned = "pinned";
const kept = "kept";

/** The runners in view; each entry has a `glide` and a `trail` as well. */
export class Roster extends LivePositions {
  /** Time of the device when runners that it kept were current, in ms; null while none of them is shown. */
  keptAt = null;

  #animate;
  #known;
  #watch = null;
  #lookAwayTimer = 0;
  #suspendTimer = 0;

  /** `animate()` returns whether motion may be shown; `known` has the names of people whom the account knows. */
  constructor(net, animate = () => true, known = nobodyKnown) {
    super(net);
    this.#animate = animate;
    this.#known = known;
    known.addEventListener("change", () => {
      for (const entry of this.entries.values()) entry.runner = this.described(entry.runner);
      this.changed();
    });
  }

  /**
   * Starts to look at a part of the map: `look(box, zoom, isSettled)` says at which (`[south, west, north, east]`), and again when
   * the map moves; `close()` ends it. The last to start is the one who looks.
   */
  watch() {
    clearTimeout(this.#lookAwayTimer);
    const watch = {
      look: (box, zoom, isSettled = true) => { if (this.#watch === watch) this.show(box, zoom, isSettled); },
      close: () => {
        if (this.#watch !== watch) return;
        this.#watch = null;
        this.#lookAwayTimer = setTimeout(() => this.hide(), lookAwayAfterMilliseconds);
      },
    };
    this.#watch = watch;
    return watch;
  }

  /** Shows runners that this browser kept until the server sends those of the view, each for its `lifetime(runner)`, in ms. */
  restore(runners, { at, lifetime }) {
    const now = performance.now();
    this.keptAt = at;
    for (const runner of runners) {
      if (this.entries.has(runner.session)) continue;
      this.upsert(kept, runner, now);
      this.entries.get(runner.session).removeAt = now + lifetime(runner);
    }
    this.changed();
  }

  /** Of a runner that was kept it is not known how the session went on. */
  elapsed(runner) {
    return runner.isKept ? runner.elapsed : super.elapsed(runner);
  }

  /** Whether anybody sees the page: positions for nobody are not sent. */
  setVisible(isVisible) {
    clearTimeout(this.#suspendTimer);
    if (isVisible) this.resume();
    else this.#suspendTimer = setTimeout(() => this.suspend(), suspendAfterMilliseconds);
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
    if (isCounted) this.upsert(pinned, { ...runner, at: milliseconds(runner.at) }, performance.now());
    else this.unpin(runner.session);
  }

  unpin(session) {
    if (this.entries.get(session)?.topic === pinned) this.entries.delete(session);
  }

  /** With the name that the account knows. Frames have usernames: all viewers of a cell get the same. */
  described(runner) {
    const username = runner.username ?? runner.name;
    return { ...runner, username, name: this.#known.nameOf(username) };
  }

  makeEntry(runner, topic, now) {
    const entry = { ...super.makeEntry(runner, topic, now), glide: new Glide(runner, now), trail: new Trail() };
    entry.trail.add(runner, now, runner.rate ?? 1);
    return entry;
  }

  moveEntry(entry, runner, now) {
    const rate = runner.rate ?? 1;
    // A missed part of the route must not be drawn as a straight line.
    if (isElsewhere(entry.runner, runner) && entry.glide.moveTo(runner, now, { animate: this.#animate(), rate })) entry.trail.clear();
    entry.trail.add(runner, now, rate);
  }

  sweepEntry(entry, now) {
    entry.trail.prune(now, entry.runner.rate ?? 1);
  }
}

function isElsewhere(a, b) {
  return a.lat !== b.lat || a.lon !== b.lon;
}
