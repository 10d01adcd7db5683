// Web Mercator on a unit square: what Leaflet's default projection is, without a zoom. Pure.

/** `{x, y}` in 0...1 for degrees; multiply by `worldSize(zoom)` for Leaflet's world pixels. */
export function toUnit(lat, lon) {
  const sine = Math.sin((Math.max(-85.0511, Math.min(85.0511, lat)) * Math.PI) / 180);
  return { x: (lon + 180) / 360, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** Pixels around the world at a zoom. */
export function worldSize(zoom) {
  return 256 * 2 ** zoom;
}
