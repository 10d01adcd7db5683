// Shares of others: those for the reader, and those for everyone on campus by cells of the map. Pure: `now` is the
// server's clock in ms.

import { cellTopic, toUnit } from "../client/mercator.js";

/** As long as the server shows a position that nobody renews: without a connection it goes then, too. */
export const keptMilliseconds = 15 * 60_000;
/** As on the server. */
const peopleZoom = 16;
/** Cells of people that are looked at. */
export const cellsMax = 12;

/** The topics of people in a view, `[south, west, north, east]`, those nearest to its middle first; `{topics, isWhole}`. */
export function peopleTopics([south, west, north, east], most = cellsMax) {
  const count = 2 ** peopleZoom;
  const index = (value) => Math.max(0, Math.min(count - 1, Math.floor(value * count)));
  const [from, to] = [toUnit(north, west), toUnit(south, east)];
  const [left, right, top, bottom] = [index(from.x), index(to.x), index(from.y), index(to.y)];
  const wanted = (right - left + 1) * (bottom - top + 1);
  const [middleX, middleY] = [((from.x + to.x) / 2) * count - 0.5, ((from.y + to.y) / 2) * count - 0.5];
  const cells = [];
  // More than there are to choose from lie too far from the middle.
  const reach = most;
  for (let x = Math.max(left, Math.floor(middleX - reach)); x <= Math.min(right, Math.ceil(middleX + reach)); x += 1) {
    for (let y = Math.max(top, Math.floor(middleY - reach)); y <= Math.min(bottom, Math.ceil(middleY + reach)); y += 1) {
      cells.push({ x, y, far: Math.hypot(x - middleX, y - middleY) });
    }
  }
  cells.sort((one, other) => one.far - other.far || one.x - other.x || one.y - other.y);
  return { topics: cells.slice(0, most).map(({ x, y }) => `people/${x}/${y}`), isWhole: wanted <= most };
}

/** The topic of the cell of people that holds a place. */
export function peopleTopic(lat, lon) {
  return cellTopic(lat, lon, peopleZoom).replace(/^cell\/\d+/, "people");
}

const ends = (time) => (time === undefined || time === null ? Infinity : Date.parse(time));

/** One viewer's. */
export class Board {
  #shares = new Map();
  #cells = new Map();
  #ends = new Map();

  /** The snapshot of `share/<id>`. */
  snapshot(id, { share, state, location }, now) {
    this.#shares.set(id, {
      share: id, person: share.person, audience: share.audience, precision: share.precision, expiresAt: ends(share.expiresAt), state,
      location: location ?? null, heardAt: now, isDirect: true,
    });
  }

  /** A push on `share/<id>`; false when the share is over for the viewer, and everything of it gone. */
  push(id, { type, state, location, precision, expiresAt }, now) {
    if (type === "closed") {
      this.drop(id);
      return false;
    }
    const entry = this.#shares.get(id);
    if (type !== "location" || !entry) return true;
    // Each says all there is.
    Object.assign(entry, { state: state ?? "none", location: location ?? null, heardAt: now, ...(precision && { precision }),
      ...(expiresAt && { expiresAt: ends(expiresAt) }) });
    return true;
  }

  drop(id) {
    this.#shares.delete(id);
  }

  /** The snapshot of a cell of people, or a push. */
  cell(topic, { people, left = [], more = 0, full = false }, now) {
    const known = full ? new Map() : this.#cells.get(topic)?.people ?? new Map();
    for (const id of left) known.delete(id);
    for (const { share, person, precision, state, location } of people) {
      known.set(share, { share, person, audience: "campus", precision, state, location, heardAt: now, isDirect: false });
    }
    this.#cells.set(topic, { people: known, more });
  }

  dropCell(topic) {
    this.#cells.delete(topic);
  }

  /** When shares with everybody end, as far as that is known: `[{id, expiresAt}]`. */
  knowEnds(shares) {
    this.#ends = new Map(shares.map(({ id, expiresAt }) => [id, ends(expiresAt)]));
  }

  /** Removes positions that the reader may not see any more, also those without new messages; returns whether there were any. */
  prune(now, isLive) {
    let changed = false;
    for (const [id, entry] of this.#shares) {
      if (entry.expiresAt <= now) {
        this.#shares.delete(id);
        changed = true;
      } else if (!isLive && entry.location && now - entry.heardAt >= keptMilliseconds) {
        Object.assign(entry, { state: "none", location: null });
        changed = true;
      }
    }
    for (const { people } of this.#cells.values()) {
      for (const [id, { heardAt }] of people) {
        const isStale = !isLive && now - heardAt >= keptMilliseconds;
        if (!isStale && (this.#ends.get(id) ?? Infinity) > now) continue;
        people.delete(id);
        changed = true;
      }
    }
    return changed;
  }

  /** Number of people in view beyond those that the server sends. */
  get more() {
    return [...this.#cells.values()].reduce((sum, { more }) => sum + more, 0);
  }

  /** One entry for each person, the most exact of those with a position. */
  entries({ me = null, hidden = new Set() } = {}) {
    const rank = ({ precision, location, isDirect }) => (location ? 0 : 10)
      + Math.max(0, ["exact", "building", "zone", "campus"].indexOf(precision)) + (isDirect ? 0 : 0.5);
    const best = new Map();
    for (const entry of [...this.#shares.values(), ...[...this.#cells.values()].flatMap(({ people }) => [...people.values()])]) {
      if (entry.person.account === me || hidden.has(entry.share)) continue;
      const other = best.get(entry.person.account);
      if (!other || rank(entry) < rank(other)) best.set(entry.person.account, entry);
    }
    return [...best.values()].sort((one, other) => one.person.name.localeCompare(other.person.name));
  }

  clear() {
    this.#shares.clear();
    this.#cells.clear();
    this.#ends.clear();
  }
}

/** Entries with a place, by place: people in the same building are drawn beside each other, not on top. */
export function byPlace(entries) {
  const places = new Map();
  for (const entry of entries) {
    const { location } = entry;
    if (!Number.isFinite(location?.lat) || !Number.isFinite(location?.lon)) continue;
    const key = entry.precision === "exact" ? `share ${entry.share}`
      : `${location.place?.kind} ${location.place?.id} ${location.lat} ${location.lon}`;
    const place = places.get(key) ?? { key, location, isExact: entry.precision === "exact", entries: [] };
    place.entries.push(entry);
    places.set(key, place);
  }
  return [...places.values()];
}
