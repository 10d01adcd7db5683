// The campus: its drawing, and its zones as the server last sent them.

import { fetchEarly } from "../connection/early.js";

const key = "campanile.campus";
/** The drawing is asked about again after so long, since admins change it; while it is the same, that costs a few bytes. */
const keptMilliseconds = 20_000;

/** Loads the drawing of the campus and keeps the zones. */
export class Campus {
  #net;
  /** The last loaded drawing, `{etag, geojson, turn}`. */
  #map = null;
  /** The request in flight, or the last one, and when it was sent. */
  #loading = null;
  #loadedAt = -Infinity;
  #turn = 0;

  constructor(net) {
    this.#net = net;
    net.addEventListener("state", () => { if (net.state === "live" && net.campus) this.#keep(); });
  }

  /** Names of what is drawn. */
  get names() {
    return (this.#map?.geojson.features ?? []).map(({ properties }) => properties?.name).filter(Boolean);
  }

  /** The campus GeoJSON; `anew` when it was changed just now. After a failure it is what was loaded before. */
  map({ anew = false } = {}) {
    if (anew || performance.now() - this.#loadedAt > keptMilliseconds) {
      this.#loadedAt = performance.now();
      this.#loading = this.#load();
    }
    return this.#loading;
  }

  /** Loads the current names of the zones: those of `hello` may be old. */
  async loadZones() {
    try {
      this.#net.campus = await this.#net.request("campus.info");
      this.#keep();
    } catch {
      // They come with the next connection.
    }
  }

  /** The campus of the last visit, for a first picture while offline; null without one. */
  last() {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  #keep() {
    localStorage.setItem(key, JSON.stringify(this.#net.campus));
  }

  async #load() {
    const turn = ++this.#turn;
    try {
      const reply = await fetchEarly("/campus/map.geojson");
      if (!reply.ok) throw new Error("Couldn't load the campus map.");
      const etag = reply.headers.get("ETag");
      if (this.#map && etag !== null && etag === this.#map.etag) return this.#map.geojson;
      const geojson = await reply.json();
      // One that was asked for later was faster.
      if (this.#map && this.#map.turn > turn) return this.#map.geojson;
      const isNews = this.#map !== null;
      this.#map = { etag, geojson, turn };
      if (isNews) this.loadZones();
    } catch (error) {
      this.#loadedAt = -Infinity;
      if (!this.#map) throw error;
    }
    return this.#map.geojson;
  }
}
