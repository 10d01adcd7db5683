// What the live map will show when it is there: the whole campus in the part that panels leave free. Pure.

import { fromUnit, toUnit } from "../client/mercator.js";
import { zoomMax, zoomMin, zoomSnap } from "../map/zoomsteps.js";

/** Part of a step: Leaflet rounds a zoom down to a step, but up to the next one if less than this is missing. */
const snapTolerance = 0.01;
/** Of the world at zoom 0. */
const worldPixels = 256;

/** The part of the map that is asked for beyond each of its edges: as far as the canvas reaches. */
export const viewPadding = 0.2;

/**
 * `{box, zoom}` of a map of `size` pixels that is fitted to `bounds` as Leaflet does it, with its options of padding. `box` has what is
 * asked for beyond the map's edges, too.
 * @param {{south: number, west: number, north: number, east: number}} bounds
 * @returns {{box: [south: number, west: number, north: number, east: number], zoom: number}}
 */
export function firstView({ south, west, north, east }, { width, height }, { paddingTopLeft, paddingBottomRight }) {
  const [left, top] = paddingTopLeft;
  const [right, bottom] = paddingBottomRight;
  const first = toUnit(north, west);
  const last = toUnit(south, east);
  const scale = Math.min((width - left - right) / (last.x - first.x), (height - top - bottom) / (last.y - first.y));
  const zoom = snapped(Math.log2(Math.max(1, scale) / worldPixels));
  const pixels = worldPixels * 2 ** zoom;
  const x = (first.x + last.x) / 2 + (right - left) / 2 / pixels;
  const y = (first.y + last.y) / 2 + (bottom - top) / 2 / pixels;
  const northWest = fromUnit(x - width / 2 / pixels, y - height / 2 / pixels);
  const southEast = fromUnit(x + width / 2 / pixels, y + height / 2 / pixels);
  const beyond = { lat: (northWest.lat - southEast.lat) * viewPadding, lon: (southEast.lon - northWest.lon) * viewPadding };
  return {
    box: [southEast.lat - beyond.lat, northWest.lon - beyond.lon, northWest.lat + beyond.lat, southEast.lon + beyond.lon], zoom,
  };
}

function snapped(zoom) {
  const tolerance = zoomSnap * snapTolerance;
  const near = Math.round(zoom / tolerance) * tolerance;
  return Math.min(zoomMax, Math.max(zoomMin, Math.floor(near / zoomSnap) * zoomSnap));
}
