// One session's whole route as a line with pieces (a pause, a gap or a jump begins a new one).

/** A route on a Leaflet map; `colour` is CSS. */
export class RouteLine {
  #pieces = [];
  #halo;
  #line;

  constructor(L, map, { colour, halo }) {
    const shared = { smoothFactor: 1, interactive: false, lineCap: "round", lineJoin: "round" };
    this.#halo = L.polyline([], { ...shared, color: halo, weight: 8, opacity: 0.85 }).addTo(map);
    this.#line = L.polyline([], { ...shared, color: colour, weight: 4.5, opacity: 0.95 }).addTo(map);
  }

  /** Replaces everything: `[[[lat, lon], …], …]`. */
  set(pieces) {
    this.#pieces = (pieces ?? []).map((piece) => [...piece]);
    this.#draw();
  }

  /** Adds points to the last piece, or to a new one. */
  append(points, startsPiece) {
    if (!points || points.length === 0) return;
    if (startsPiece || this.#pieces.length === 0) this.#pieces.push([]);
    this.#pieces[this.#pieces.length - 1].push(...points);
    this.#draw();
  }

  setColours({ colour, halo }) {
    this.#line.setStyle({ color: colour });
    this.#halo.setStyle({ color: halo });
  }

  /** The last point, or null. */
  get end() {
    return this.#pieces[this.#pieces.length - 1]?.at(-1) ?? null;
  }

  get start() {
    return this.#pieces[0]?.[0] ?? null;
  }

  /** Leaflet bounds; not valid while empty. */
  get bounds() {
    return this.#line.getBounds();
  }

  remove() {
    this.#halo.remove();
    this.#line.remove();
  }

  #draw() {
    this.#halo.setLatLngs(this.#pieces);
    this.#line.setLatLngs(this.#pieces);
  }
}
