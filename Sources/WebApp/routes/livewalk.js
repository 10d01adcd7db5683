// One person's walk along a route: where they are on it, new routes from the server, and what happens without a network. No DOM.

import { isSameEnd, wireEnd } from "./ends.js";
import { OffRoute } from "./offroute.js";
import { RoutePath, isSameWay } from "./path.js";
import { hasArrived, progressAt } from "./progress.js";
import { isInside, legAcross, placeOn, reach } from "./storeys.js";
import { newsText, problemOnWalk } from "./words.js";

/** A new route from here is asked for so often at most. */
const moveMillisecondsMin = 10_000;
/** An older position is not where the person is now. */
const freshMilliseconds = 30_000;
const accuracyMetresMax = 100;
const noWayText = "there is no way at the moment: ask for help, or choose another destination";
/** After a step by hand a position counts again if it is as exact, and as far on. */
const exactMetres = 20;
/** A new route that begins elsewhere is asked for once more from here. */
const elsewhereMetres = 40;

/**
 * A walk. `state` is `starting`, `walking`, `arrived`, `noRoute` (see `problem`), `failed` (see `problem`) or `ended`. Emits `change`, and
 * `news` with a sentence when the route changed by itself.
 */
export class LiveWalk extends EventTarget {
  state = "starting";
  /** The sentence of a failure, or null. */
  problem = null;
  /** Whether the failure may pass. */
  isTransient = false;
  /** `RouteInfo`, or null. */
  route = null;
  path = new RoutePath([]);
  /** The last change of the route in words, or null. */
  news = null;
  isGoodNews = false;
  /** The last position of this device, `{lat, lon, accuracy, time}`, or null. */
  fix = null;
  from; to; name; preferences;
  /** Metres along the route. */
  along = 0;
  /** Floor plans that are kept with the walk. */
  floors = [];

  #net; #store; #now;
  #startedAt;
  /** This device's position at the start, or null. */
  #begunAt = null;
  #walk = null;
  #version = 0;
  #leg = null;
  #levelByHand = null;
  /** Whether the place on the route was set by hand after the last position. */
  #isByHand = false;
  #offRoute = new OffRoute();
  #movedAt = -Infinity;
  #isAsking = false;
  #subscription = null;
  #ending = new AbortController();

  constructor({ net, store, now = () => Date.now() }, { from, to, name = null, preferences = {} }) {
    super();
    this.#net = net;
    this.#store = store;
    this.#now = now;
    this.#startedAt = now();
    Object.assign(this, { from, to, name, preferences });
    net.addEventListener("state", () => { if (net.state === "live") this.#reconnected(); }, { signal: this.#ending.signal });
  }

  /** The walk that this browser kept, or null. With `to`, only one that leads there. */
  static kept({ net, store, now = () => Date.now() }, to = null) {
    const kept = store.load(net.account?.id ?? null);
    if (!kept || (to && !isSameEnd(to, kept.to))) return null;
    const walk = new LiveWalk({ net, store, now }, kept);
    walk.#restore(kept);
    return walk;
  }

  /** Whether the server is reached, so that changes on the way are known. */
  get isLive() { return this.#net.state === "live"; }

  /** `{leg, toNext, metres, seconds}`. */
  get progress() { return progressAt(this.route, this.path, this.along, this.#leg); }

  /** The person's level: set by hand, or that of the route here. Null outdoors. */
  get level() { return this.route ? this.#handLevel ?? this.#onRoute.level : null; }

  /** The level that was set by hand. Outdoors there is none. */
  get #handLevel() { return this.#isInside ? this.#levelByHand : null; }
  get #isInside() { return isInside(this.route?.legs[this.progress.leg]); }

  /** Where the place on the route comes from: `device`, `hand` or null. */
  get source() { return this.#isByHand ? "hand" : this.fix ? "device" : null; }

  get isOld() { return this.source === "device" && this.#now() - this.fix.time > freshMilliseconds; }

  /** The person's place: that of the device, or the one on the route. */
  get place() {
    if (this.fix && !this.#isByHand) return { lat: this.fix.lat, lon: this.fix.lon, accuracy: this.fix.accuracy };
    return this.route ? { ...this.#onRoute, accuracy: null } : null;
  }

  /** Whether the device has a position that is not used, or not alone, because the person has set the place or the level. */
  get hasOtherFix() {
    return (this.#isByHand || this.#handLevel !== null) && this.fix !== null && this.#now() - this.fix.time <= freshMilliseconds;
  }

  /** The place on the line where the person is. */
  get #onRoute() { return this.path.at(this.along, this.route.legs[this.progress.leg]?.first); }

  /** Asks for the route; `position` is that of this device, for a start there. */
  async begin(position = null) {
    this.#become("starting");
    this.#begunAt = position;
    const from = position ? { kind: "me" } : this.from;
    try {
      const { walk, route, message, version } = await this.#request(wireEnd(from, position));
      if (this.#isClosed) return void this.#net.request("routes.end", { walk }).catch(() => {});
      this.#subscribe(walk);
      this.#version = version;
      if (route) {
        this.#use(route);
        this.#become("walking");
      } else this.#failed({ message, isTransient: false });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Takes a position of this device. */
  take(fix) {
    this.fix = fix;
    if (this.state !== "walking" || !((fix.accuracy ?? 0) <= accuracyMetresMax)) return this.#changed();
    const { along, away, leg } = this.#reach(fix);
    // Indoors a position is easily worse than the person's word.
    if (this.#isByHand && ((fix.accuracy ?? 0) > exactMetres || away > exactMetres || along <= this.along)) return this.#changed();
    this.#isByHand = false;
    const state = this.#offRoute.take({ away, accuracy: fix.accuracy, time: fix.time });
    // A position that may be on another way is no progress on this one.
    if (state === "on") this.#goTo(along, leg);
    if (state === "off") this.#move();
    return this.#changed();
  }

  /** Trusts the position of this device again, after steps by hand. */
  useDevice() {
    this.#isByHand = false;
    this.#levelByHand = null;
    if (!this.fix) return;
    this.#placeAt(this.#reach(this.fix, null));
    this.take(this.fix);
  }

  /** Whether the person may be on a level: not outdoors, and not on the one where they are known to be. */
  canBeOn(level) {
    return this.state === "walking" && this.#isInside && level !== this.level;
  }

  /** Sets the person's level. Beside a lift or stairs that lead there, these are done. */
  setLevel(level) {
    if (!this.canBeOn(level)) return;
    const leg = legAcross(this.route, this.progress.leg, level);
    if (leg !== null) this.#stepTo(leg);
    else this.#levelByHand = level;
    this.keep();
    this.#changed();
  }

  /** Goes to the next leg, or with -1 to the one before: where no position is, or a bad one. After the last leg the person has arrived. */
  step(by) {
    const leg = this.progress.leg + by;
    if (leg < 0) return;
    if (leg >= this.route.legs.length) this.#arrive();
    else this.#stepTo(leg);
    this.#changed();
  }

  /** Tries once more after a failure. */
  again() {
    return this.begin(this.fix && !this.#isByHand ? this.#position : this.#begunAt);
  }

  /** Ends the walk. */
  end() {
    this.#release();
    this.#become("ended");
  }

  /** Keeps the walk as it is now. */
  keep() {
    if (this.state !== "walking") return;
    this.#store.save({
      account: this.#net.account?.id ?? null, startedAt: this.#startedAt, walk: this.#walk, version: this.#version, from: this.from,
      to: this.to, name: this.name, preferences: this.preferences, route: this.route, floors: this.floors, along: this.along,
      leg: this.#leg, levelByHand: this.#levelByHand, isByHand: this.#isByHand,
    });
  }

  /** Leaves the page; the walk stays kept. */
  close() {
    this.keep();
    this.#ending.abort();
    this.#subscription?.close();
  }

  get #isClosed() { return this.#ending.signal.aborted || this.state === "ended"; }

  get #position() {
    const level = this.level;
    return { ...this.place, ...(level !== null && { level }) };
  }

  // MARK: the server

  #request(from) {
    const preferences = Object.keys(this.preferences).length > 0 ? { preferences: this.preferences } : {};
    return this.#net.request("routes.walk", { from, to: wireEnd(this.to), ...preferences });
  }

  #subscribe(walk) {
    if (walk === this.#walk && this.#subscription) return;
    this.#subscription?.close();
    this.#walk = walk;
    // The server opens the topic with the walk, and refuses the request to subscribe: what it pushes arrives all the same.
    const take = (update) => this.#take(update);
    this.#subscription = this.#net.subscribe(`route/${walk}`, { push: take, error: () => {} });
  }

  #take(update) {
    if (update?.type !== "route" || !(update.version > this.#version) || !["walking", "noRoute"].includes(this.state)) return;
    this.#version = update.version;
    // The server has ended the walk, such as after some hours: it begins again from here.
    if (update.reason?.kind === "end") this.begin(this.#position);
    else if (update.route) this.#replace(update.route, update.reason);
    else this.#lose(update.reason, problemOnWalk(update.message) ?? noWayText);
  }

  /** The connection is back: changes meanwhile are in the reply, or the walk begins anew from here. */
  async #reconnected() {
    if (!["walking", "noRoute"].includes(this.state) || this.#isAsking) return;
    this.#isAsking = true;
    try {
      const reply = await this.#net.request("routes.resume", { walk: this.#walk });
      this.#take({ type: "route", ...reply });
    } catch (error) {
      if (!error.isTransient && !this.#isClosed) await this.#restart();
    } finally {
      this.#isAsking = false;
      this.#changed();
    }
  }

  /** The server knows nothing of the walk any more. The person goes on along the route while a new one is asked for. */
  async #restart() {
    try {
      const { walk, route, message, version } = await this.#request(wireEnd({ kind: "me" }, this.#position));
      if (this.#isClosed) return;
      this.#subscribe(walk);
      this.#version = version;
      if (!route) this.#lose({ kind: "other" }, message);
      else if (!isSameWay(this.#rest, route)) this.#replace(route, { kind: "other" });
    } catch (error) {
      if (!error.isTransient) this.#lose({ kind: "other" }, problemOnWalk(error.message));
    }
  }

  /** The person has left the route: asks for one from here. */
  async #move() {
    const now = this.#now();
    if (!this.isLive || this.#isAsking || now - this.#movedAt < moveMillisecondsMin) return;
    this.#movedAt = now;
    this.#isAsking = true;
    try {
      const { lat, lon, level, accuracy } = this.#position;
      const reply = await this.#net.request("routes.move", {
        walk: this.#walk, lat, lon, ...(level && { level }), ...(accuracy > 0 && { accuracy }),
      });
      if (!this.#isClosed) this.#take({ ...reply, type: "route", reason: { kind: "off" } });
    } catch (error) {
      if (error.isNotFound) await this.#restart();
      else if (!error.isTransient && !this.#isClosed) this.#lose({ kind: "off" }, problemOnWalk(error.message));
    } finally {
      this.#isAsking = false;
      this.#changed();
    }
  }

  // MARK: the route

  /** What is left of the route, in points. */
  get #rest() {
    const { index } = this.path.nearest(this.place, this.along);
    return this.route.points.slice(index + 1);
  }

  #replace(route, reason) {
    const before = this.state === "walking" ? this.progress.seconds : null;
    // On this route: the line of the new one has other levels at the same length.
    const here = this.place && this.#position;
    this.#use(route, here);
    const { away } = here ? this.path.nearest(here, this.along) : { away: 0 };
    const difference = before === null || reason?.kind === "off" ? null : this.progress.seconds - before;
    this.#say(newsText({ reason, difference }), reason?.kind === "opened");
    this.#become("walking");
    // The server knows the start only: its route may not pass here.
    if (reason?.kind !== "off" && away > elsewhereMetres + (here?.accuracy ?? 0)) this.#move();
  }

  #use(route, here = null) {
    this.route = route;
    this.path = new RoutePath(route.points);
    this.#offRoute.reset();
    this.#placeAt(here ? placeOn(route, this.path, here) : { along: 0, leg: null });
    this.problem = null;
    this.keep();
  }

  #lose(reason, message) {
    this.problem = newsText({ reason, message });
    this.isTransient = false;
    this.#say(this.problem);
    this.#become("noRoute");
  }

  #placeAt({ along, leg }) {
    this.along = along;
    this.#leg = leg;
  }

  #goTo(along, leg) {
    this.along = along;
    const before = this.#leg;
    this.#leg = leg ?? this.progress.leg;
    if (!this.#isInside) this.#levelByHand = null;
    if (hasArrived(this.route, this.progress, this.fix?.accuracy) && !this.#isByHand) this.#arrive();
    else if (this.#leg !== before) this.keep();
  }

  /** Where a position is on the route. */
  #reach(fix, along = this.along) {
    return reach(this.route, this.path, { ...fix, level: this.#handLevel }, { along, leg: this.progress.leg });
  }

  #stepTo(leg) {
    this.#isByHand = true;
    this.#levelByHand = null;
    this.#offRoute.reset();
    this.#goTo(this.path.lengths[this.route.legs[leg].first] ?? 0, leg);
  }

  #arrive() {
    this.#release();
    this.#become("arrived");
  }

  #release() {
    this.#store.clear();
    this.#subscription?.close();
    this.#subscription = null;
    if (this.#walk !== null) this.#net.request("routes.end", { walk: this.#walk }).catch(() => {});
    this.#walk = null;
  }

  #restore({ startedAt, walk, version, route, floors, along, leg, levelByHand, isByHand }) {
    this.#startedAt = startedAt;
    this.#version = version;
    this.floors = floors ?? [];
    this.#use(route);
    this.#placeAt({ along, leg });
    this.#levelByHand = levelByHand;
    this.#isByHand = isByHand;
    this.#subscribe(walk);
    this.#become("walking");
    if (this.isLive) this.#reconnected();
  }

  #failed(error) {
    if (this.#isClosed) return;
    this.problem = error.message;
    this.isTransient = error.isTransient;
    this.#become(error.isTransient ? "failed" : "noRoute");
  }

  #say(text, isGood = false) {
    this.news = text;
    this.isGoodNews = isGood;
    this.dispatchEvent(new CustomEvent("news", { detail: text }));
  }

  #become(state) {
    this.state = state;
    if (state === "walking") this.keep();
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
