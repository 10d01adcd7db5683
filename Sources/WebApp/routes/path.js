// The line of a route, measured along. Pure.

const metresPerDegree = 111_195;
/** A position on another level is so far from the route, although the plan shows it on the line. */
const otherLevelMetres = 60;
/** A route may pass a point twice: of two parts the one that follows on from the last position counts, by so many metres for each along. */
const jumpShare = 0.05;

/** The points of a route on the flat around the first of them. `lengths` are the metres from the start to each point. */
export class RoutePath {
  points;
  lengths = [0];

  #origin;
  #scale;
  #flat;

  /** @param {{lat: number, lon: number, level?: string}[]} points */
  constructor(points) {
    this.points = points;
    this.#origin = points[0] ?? { lat: 0, lon: 0 };
    this.#scale = Math.cos((this.#origin.lat * Math.PI) / 180);
    this.#flat = points.map((point) => this.#onPlane(point));
    for (let index = 1; index < points.length; index += 1) {
      const [[x, y], [fromX, fromY]] = [this.#flat[index], this.#flat[index - 1]];
      this.lengths.push(this.lengths[index - 1] + Math.hypot(x - fromX, y - fromY));
    }
  }

  /** Metres from the start to the destination. */
  get length() { return this.lengths.at(-1); }

  /** Metres between two points of the line, by their indexes. */
  between(first, last) {
    const at = (index) => this.lengths[Math.max(0, Math.min(this.lengths.length - 1, index))];
    return at(last) - at(first);
  }

  /**
   * The place on the line that is nearest to a position, `{along, away, index}`: metres from the start, metres from the line, and the
   * point before it. `near` is the metres along of the last position, or null. `first` and `last` are the points of the part that counts.
   */
  nearest({ lat, lon, level = null }, near = null, [first, last] = [0, this.points.length - 1]) {
    const [x, y] = this.#onPlane({ lat, lon });
    let best = { along: 0, away: Infinity, index: 0 };
    let least = Infinity;
    for (let index = first; index < Math.max(Math.min(first + 1, this.points.length), last); index += 1) {
      const [fromX, fromY] = this.#flat[index];
      const [toX, toY] = last > first ? this.#flat[index + 1] : this.#flat[index];
      const squared = (toX - fromX) ** 2 + (toY - fromY) ** 2;
      const share = squared === 0 ? 0 : Math.max(0, Math.min(1, ((x - fromX) * (toX - fromX) + (y - fromY) * (toY - fromY)) / squared));
      const flat = Math.hypot(fromX + share * (toX - fromX) - x, fromY + share * (toY - fromY) - y);
      const away = this.#isOnLevel(index, level) ? flat : Math.max(flat, otherLevelMetres);
      const along = this.lengths[index] + share * Math.sqrt(squared);
      const cost = away + (near === null ? 0 : jumpShare * Math.abs(along - near));
      if (cost >= least) continue;
      least = cost;
      best = { along, away, index };
    }
    return best;
  }

  /**
   * The point so many metres from the start, `{lat, lon, level}`; the level is null outdoors. `first` is the index of the first point that
   * counts: in a lift, several are as far from the start.
   */
  at(along, first = 0) {
    let index = Math.max(0, Math.min(first, this.points.length - 2));
    while (index < this.points.length - 2 && this.lengths[index + 1] < along) index += 1;
    const [from, to] = [this.points[index], this.points[index + 1] ?? this.points[index]];
    const length = this.between(index, index + 1);
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, (along - this.lengths[index]) / length));
    const level = (share > 0 ? to.level ?? from.level : from.level) ?? null;
    return { lat: from.lat + share * (to.lat - from.lat), lon: from.lon + share * (to.lon - from.lon), level };
  }

  #onPlane({ lat, lon }) {
    return [(lon - this.#origin.lon) * metresPerDegree * this.#scale, (lat - this.#origin.lat) * metresPerDegree];
  }

  /** Whether a piece is on the level. A piece outdoors fits each level, because doors are on all of them. */
  #isOnLevel(index, level) {
    if (level === null) return true;
    const levels = [this.points[index]?.level, this.points[index + 1]?.level].filter((one) => one !== undefined && one !== null);
    return levels.length === 0 || levels.includes(level);
  }
}

/** Whether a route is what is left of another: its points are the last ones of it. The first may be another, where the person is. */
export function isSameWay(rest, { points }) {
  const [one, other] = [rest, points].map((list) => list.slice(-Math.min(rest.length, points.length) + 1));
  return one.length > 0 && Math.abs(rest.length - points.length) <= 1
    && one.every(({ lat, lon, level }, index) => lat === other[index].lat && lon === other[index].lon && level === other[index].level);
}
