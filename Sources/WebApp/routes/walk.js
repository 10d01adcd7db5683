// The page of a walk: the next instruction large, the way on the map, and everything that changes on it.

import "./icons.js";
import { announce, h, refocus } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { ScreenWake, watchPosition } from "../kit/geolocation.js";
import { makeSheet } from "../kit/sheet.js";
import { loadStyles } from "../kit/styles.js";
import { mapButton } from "../map/tools.js";
import { addressOf, endsOf } from "./ends.js";
import { Floors } from "./floors.js";
import { KeptWalk } from "./keptwalk.js";
import { makeLevelSwitch } from "./levelswitch.js";
import { LiveWalk } from "./livewalk.js";
import { nameNow, nameOf, notePeople } from "./names.js";
import { keptPreferences, wirePreferences } from "./preferences.js";
import { RouteMap } from "./routemap.js";
import { WalkPanel } from "./walkpanel.js";
import { arrivedText, levelText, levelWords } from "./words.js";

await loadStyles("/app/routes/routes.css");

const tickMilliseconds = 1_000;
/** Nearer than this, the map shows the next steps; a whole campus would show nothing of them. */
const walkZoom = 18.5;

/** Shows `/walk`: the walk that this browser keeps, or one to the destination `to` of the query. */
export function show(root, { query }, app) {
  const page = new WalkPage(app, endsOf(query));
  root.append(page.element);
  page.start();
  return () => page.close();
}

class WalkPage {
  element;

  #app; #net; #ends; #walk; #map; #sheet; #panel; #levels; #floors;
  #wake = new ScreenWake();
  #ending = new AbortController();
  #ticker = setInterval(() => this.#draw(), tickMilliseconds);
  #stopWatching = () => {};
  #stopInspection;
  #trouble = null;
  /** Whether the map moves with the person. */
  #follows = true;
  #hasBegun = false;
  /** What the map shows, to change it only when that changes. */
  #drawnRoute = null;
  #drawnLevel = undefined;
  /** The level that the person looks at, or null for their own; and their own when they chose it. */
  #seenLevel = null;
  #ownLevel = null;
  #drawnState = null;
  #recentre = mapButton({ id: "walk-recentre", label: "Centre on my place", iconName: "target", onclick: () => this.#goHere() });
  #whole = mapButton({ id: "walk-whole", label: "Show the whole route", iconName: "fit", onclick: () => {
    this.#follows = false;
    this.#map.fit();
  } });

  constructor(app, ends) {
    this.#app = app;
    this.#net = app.net;
    this.#ends = ends;
    this.#floors = new Floors(app);
    this.#panel = new WalkPanel({
      next: () => this.#walk.step(1), back: () => this.#walk.step(-1),
      useDevice: () => this.#walk.useDevice(), end: () => this.#end(), again: () => this.#begin(),
      setLevel: (level) => this.#setLevel(level),
      chooseStart: () => app.router.go(addressOf("/route", { from: this.#walk?.from ?? ends.from, to: this.#walk?.to ?? ends.to })),
    });
    this.#sheet = makeSheet({ label: "Your walk", initial: "half", header: null });
    this.#sheet.body.classList.add("route-body");
    this.#sheet.body.append(this.#panel.head, this.#panel.body);
    this.#sheet.element.append(this.#panel.foot);
    // Lowered, the panel shows the instruction.
    new MutationObserver(() => { if (this.#sheet.stop === "peek") this.#sheet.body.scrollTop = 0; })
      .observe(this.#sheet.element, { attributeFilter: ["data-sheet"] });
    this.#map = new RouteMap(app, { label: "Map of your walk", sheet: () => this.#sheet.element });
    this.#map.whenDragged(() => { this.#follows = false; });
    // The walk may have begun before the map was there.
    this.#map.ready.then(() => { if (this.#follows && this.#walk?.state === "walking") this.#goHere(); });
    this.#levels = makeLevelSwitch({ label: "Level on the map", changed: (level) => this.#lookAt(level) });
    this.element = h("div", { class: "stage route-stage walk-stage" },
      this.#map.element, h("div", { class: "map-tools" }, this.#recentre, this.#whole), this.#levels.element, this.#sheet.element);
    this.#stopInspection = app.inspection.register({ route: () => this.#reading() });
  }

  start() {
    const { signal } = this.#ending;
    const store = new KeptWalk();
    const parts = { net: this.#net, store };
    this.#walk = LiveWalk.kept(parts, this.#ends.to);
    if (!this.#walk && !this.#ends.to) {
      this.#panel.drawNone();
      for (const button of [this.#recentre, this.#whole]) button.hidden = true;
      this.#map.ready.then(() => this.#map.fitCampus());
      return;
    }
    const isKept = this.#walk !== null;
    this.#walk ??= new LiveWalk(parts, { ...this.#ends, name: nameNow(this.#ends.to), preferences: wirePreferences(keptPreferences()) });
    this.#hasBegun = isKept;
    this.#floors = new Floors(this.#app, this.#walk.floors);
    this.#walk.addEventListener("change", () => this.#draw(), { signal });
    this.#walk.addEventListener("news", ({ detail }) => this.#tellNews(detail), { signal });
    this.#net.addEventListener("state", () => this.#draw(), { signal });
    addEventListener("pagehide", () => this.#walk.keep(), { signal });
    this.#watch();
    this.#learnName();
    if (!isKept && this.#ends.from.kind !== "me") this.#begin();
    this.#draw();
  }

  close() {
    this.#ending.abort();
    clearInterval(this.#ticker);
    this.#stopWatching();
    this.#wake.keep(false);
    this.#walk?.close();
    this.#map.close();
    this.#stopInspection();
  }

  // MARK: the walk

  #watch() {
    this.#stopWatching();
    this.#trouble = null;
    this.#stopWatching = watchPosition((fix) => this.#take(fix), (trouble) => {
      this.#trouble = trouble;
      this.#draw();
    });
  }

  #take(fix) {
    this.#trouble = null;
    this.#walk.take(fix);
    if (!this.#hasBegun && this.#walk.from.kind === "me") this.#begin(fix);
  }

  #begin(position = null) {
    this.#hasBegun = true;
    if (this.#walk.from.kind === "me" && !position && !this.#walk.fix) {
      this.#hasBegun = false;
      this.#watch();
      this.#draw();
      return;
    }
    this.#walk.begin(this.#walk.from.kind === "me" ? position ?? this.#walk.fix : null);
  }

  async #learnName() {
    notePeople(this.#app.sharing?.withMe ?? [], this.#walk.to);
    const name = await nameOf(this.#net, this.#walk.to);
    if (!name || this.#ending.signal.aborted) return;
    this.#walk.name = name;
    this.#drawnRoute = null;
    this.#draw();
  }

  /** Shows a level on the map. The person stays where they are. */
  #lookAt(level) {
    this.#seenLevel = level === this.#walk.level ? null : level;
    this.#ownLevel = this.#walk.level;
    this.#draw();
    announce(`${levelText(level)}.`);
  }

  #setLevel(level) {
    this.#seenLevel = null;
    this.#walk.setLevel(level);
    announce(`You're on ${levelWords(level)}.`);
  }

  #end() {
    const { to } = this.#walk;
    this.#walk.end();
    this.#app.router.go(addressOf("/route", { from: null, to }), { replace: true });
  }

  #tellNews(text) {
    this.#panel.showNews(text, this.#walk.isGoodNews);
    this.#map.renewClosures();
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(200);
  }

  // MARK: drawing

  #draw() {
    const walk = this.#walk;
    if (!walk || this.#ending.signal.aborted) return;
    const { state, route } = walk;
    // On another level the map follows again.
    if (walk.level !== this.#ownLevel || state !== "walking") this.#seenLevel = null;
    this.#wake.keep(state === "walking" || state === "starting");
    this.#panel.draw(walk, { trouble: this.#trouble, isLive: this.#net.state === "live", isWaiting: !this.#hasBegun,
      seenLevel: this.#seenLevel });
    if (route && route !== this.#drawnRoute) this.#drawRoute(route);
    if (route) this.#drawLevel();
    this.#map.setPlace(state === "walking" ? walk.place : null);
    if (state !== this.#drawnState) this.#turned(state);
    if (this.#follows && state === "walking") this.#follow();
  }

  #turned(state) {
    this.#drawnState = state;
    if (state === "walking") this.#goHere();
    if (state !== "walking") this.#sheet.set("half");
    if (state === "arrived") announce(arrivedText(this.#walk.name));
    if (["arrived", "noRoute"].includes(state)) refocus();
  }

  async #drawRoute(route) {
    this.#drawnRoute = route;
    this.#map.setRoute({ ...route, name: this.#walk.name });
    this.#floors.use(route);
    this.#drawnLevel = undefined;
    await this.#floors.load(route);
    if (this.#ending.signal.aborted || route !== this.#walk.route) return;
    this.#walk.floors = this.#floors.loaded;
    this.#walk.keep();
    this.#drawnLevel = undefined;
    this.#drawLevel();
  }

  #drawLevel() {
    const level = this.#seenLevel ?? this.#walk.level ?? this.#floors.firstLevel;
    if (level === this.#drawnLevel) return;
    this.#drawnLevel = level;
    this.#levels.draw(this.#floors.levels, level);
    this.#map.setLevel(level, this.#floors.plan(level));
  }

  #goHere() {
    this.#follows = true;
    this.#seenLevel = null;
    const place = this.#walk?.place;
    if (place) this.#map.goTo(place, walkZoom);
  }

  /** Keeps the person on the part of the map that is free. */
  #follow() {
    const { place } = this.#walk;
    if (place && !this.#map.isInSight(place)) this.#map.goTo(place, walkZoom);
  }

  #reading() {
    const walk = this.#walk;
    return { ...this.#map.shown, state: walk?.state ?? null, leg: walk?.route ? walk.progress.leg : null, along: walk?.along ?? null,
      news: walk?.news ?? null, problem: walk?.problem ? sentence(walk.problem) : null };
  }
}
