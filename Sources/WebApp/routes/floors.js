// The floor plans of the buildings on a route. No DOM.

import { buildingsOf } from "./buildings.js";

/** Buildings of one route whose plans are loaded. */
const buildingsMax = 8;
/** A plan with more rooms would cost more than it shows. */
const roomsMax = 2_000;

/** The number of a level, to order levels by; those without one come first. */
const heightOf = (level) => (Number.isFinite(Number(level)) ? Number(level) : -Infinity);

/** Levels of a route, of its points and legs, each once. */
function levelsOf({ points, legs }) {
  return new Set([...points.map(({ level }) => level), ...legs.flatMap(({ fromLevel, toLevel }) => [fromLevel, toLevel])]
    .filter((level) => level !== undefined && level !== null));
}

/** The plans of some buildings, by level. */
export class Floors {
  /** `[{building, floors}]`, as the server sent them. */
  loaded;

  #net; #campusMap;
  #route = { points: [], legs: [] };

  constructor({ net, campusMap }, loaded = []) {
    this.#net = net;
    this.#campusMap = campusMap;
    this.loaded = loaded;
  }

  /** All levels with a plan, and those of the route, the highest first. */
  get levels() {
    const levels = levelsOf(this.#route);
    for (const { floors } of this.loaded) for (const { level } of floors) levels.add(level);
    return [...levels].sort((one, other) => heightOf(other) - heightOf(one));
  }

  /** The level to show first: where the route goes inside, or the lowest. */
  get firstLevel() {
    const inside = this.#route.points.find(({ level }) => level !== undefined && level !== null);
    return inside?.level ?? this.levels.at(-1) ?? null;
  }

  /** The rooms and doors on a level, of all buildings. */
  plan(level) {
    const floors = this.loaded.flatMap(({ floors: all }) => all.filter((floor) => floor.level === level));
    return { rooms: floors.flatMap(({ rooms }) => rooms ?? []).slice(0, roomsMax), doors: floors.flatMap(({ doors }) => doors ?? []) };
  }

  /** Loads the plans of the buildings of a route. A building without a plan, or whose plan cannot be loaded, has none. */
  async load(route) {
    this.#route = route;
    const { features } = await this.#campusMap().catch(() => ({ features: [] }));
    const wanted = buildingsOf(route, features).slice(0, buildingsMax);
    const missing = wanted.filter((id) => !this.loaded.some(({ building }) => building === id));
    const replies = await Promise.allSettled(missing.map((building) => this.#net.request("places.floors", { building })));
    for (const [index, { status, value }] of /** @type {any[]} */ (replies).entries()) {
      if (status === "fulfilled") this.loaded.push({ building: missing[index], floors: value.floors ?? [] });
    }
    // Without the drawing of the campus, the plans that are there stay.
    if (features.length > 0) this.loaded = this.loaded.filter(({ building }) => wanted.includes(building));
  }

  /** Shows another route with the plans that are there. */
  use(route) {
    this.#route = route;
  }
}
