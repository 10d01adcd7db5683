// Web Mercator on a unit square: what Leaflet's default projection is, without a zoom. Pure.

/** Metres around the equator; a unit of the square is as much times the cosine of the latitude. */
const equatorMetres = 40_075_017;
const radians = Math.PI / 180;

/** `{x, y}` in 0...1 for degrees; multiply by `worldSize(zoom)` for Leaflet's world pixels. */
export function toUnit(lat, lon) {
  const sine = Math.sin(Math.max(-85.0511, Math.min(85.0511, lat)) * radians);
  return { x: (lon + 180) / 360, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** `{lat, lon}` in degrees of a point of the unit square. */
export function fromUnit(x, y) {
  return { lat: Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / radians, lon: x * 360 - 180 };
}

/** Metres that a unit of the square is long at a latitude. */
export function unitMetres(lat) {
  return equatorMetres * Math.cos(lat * radians);
}

/** Pixels around the world at a zoom. */
export function worldSize(zoom) {
  return 256 * 2 ** zoom;
}

/** The topic of the cell that holds a position, such as `cell/17/33614/48629`: cells are the tiles of web maps. */
export function cellTopic(lat, lon, zoom) {
  const { x, y } = toUnit(lat, lon);
  const count = 2 ** zoom;
  const index = (value) => Math.max(0, Math.min(count - 1, Math.floor(value * count)));
  return `cell/${zoom}/${index(x)}/${index(y)}`;
}
