// The visible part of the live map.

import { isInBox } from "../client/viewport.js";

/** The visible part of a map; everything while there is no map. */
export class SeenArea {
  /** `[south, west, north, east]`, or null while there is no map. */
  box = null;
  #view = null;

  /** Reads the visible part of the map; returns its Leaflet bounds. */
  read(view) {
    const bounds = view.map.getBounds();
    this.#view = view;
    this.box = boxOf(bounds);
    return bounds;
  }

  /** Whether a position `{lat, lon}` is in it. */
  has(position) {
    return this.box === null || isInBox(position, this.box);
  }

  /** Whether the whole campus is in it: then nobody in view is nobody at all. */
  get hasCampus() {
    if (this.box === null || !this.#view.bounds) return true;
    return this.#view.map.getBounds().contains(this.#view.bounds);
  }
}

/** Leaflet bounds as `[south, west, north, east]`. */
export function boxOf(bounds) {
  return [bounds.getSouth(), bounds.getWest(), bounds.getNorth(), bounds.getEast()];
}
