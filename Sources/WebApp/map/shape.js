// The outline of a zone: reading it from GeoJSON and from lines of text, and checking it. Pure.

const metresPerDegree = 111_195;
/** As the server has them (see Places): square metres of a zone, and positions of its outline. */
const areaMin = 5_000;
const areaMax = 25_000_000;
export const pointsMax = 999;

/** Steps of a coordinate that are kept: about a decimetre. */
const degreeSteps = 1e6;
export const rounded = (degrees) => Math.round(degrees * degreeSteps) / degreeSteps;

/** `{points, isWhole}` of a GeoJSON geometry: its first outline as `[lat, lon]`, open; not whole when it has more parts or holes. */
export function pointsOf(geometry) {
  const polygons = geometry?.type === "MultiPolygon" ? geometry.coordinates : geometry?.type === "Polygon" ? [geometry.coordinates] : [];
  const ring = polygons[0]?.[0] ?? [];
  return { points: ring.slice(0, -1).map(([lon, lat]) => [lat, lon]), isWhole: polygons.length === 1 && polygons[0].length === 1 };
}

/** The GeoJSON polygon of an open outline. */
export function polygonOf(points) {
  const ring = [...points, points[0]].map(([lat, lon]) => [lon, lat]);
  return { type: "Polygon", coordinates: [ring] };
}

/** One point a line, latitude first. */
export function textOf(points) {
  return points.map(([lat, lon]) => `${lat.toFixed(6)}, ${lon.toFixed(6)}`).join("\n");
}

/** `{points, problem}` of lines of `latitude, longitude`; a last line that repeats the first closes it and is not counted. */
export function readText(text) {
  const points = [];
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.trim().split(/[\s,;]+/).filter(Boolean);
    if (words.length === 0) continue;
    const [lat, lon] = words.map(Number);
    const isPosition = words.length === 2 && Number.isFinite(lat) && Number.isFinite(lon) && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
    if (!isPosition) {
      return { points: null, problem: `Line ${index + 1} needs a latitude and longitude, such as 51.500123, 7.998210.` };
    }
    points.push([lat, lon]);
  }
  if (points.length > 1 && isSame(points[0], points.at(-1))) points.pop();
  return { points, problem: null };
}

/** The problem of an outline, in a sentence, or null. */
export function shapeProblem(points) {
  if (points.length < 3) return "An outline needs at least three points.";
  if (points.length > pointsMax) return `An outline has at most ${pointsMax} points.`;
  if (points.some((point, index) => isSame(point, points[(index + 1) % points.length]))) {
    return "Two points in a row are the same. Remove one.";
  }
  if (isCrossed(points)) return "The outline crosses itself. Move or remove a point.";
  const area = areaOf(points);
  if (area < areaMin) return `The zone has ${Math.round(area)} m². The minimum is ${areaMin.toLocaleString("en")} m².`;
  if (area > areaMax) return "The zone is larger than 25 km². Draw a smaller one.";
  return null;
}

/** Square metres of an outline, on the flat: good enough for a campus. */
export function areaOf(points) {
  if (points.length < 3) return 0;
  const plane = points.map(flat(points[0]));
  let sum = 0;
  for (const [index, [x, y]] of plane.entries()) {
    const [nextX, nextY] = plane[(index + 1) % plane.length];
    sum += x * nextY - nextX * y;
  }
  return Math.abs(sum) / 2;
}

/** `2,400 m²`, `1.3 km²`. */
export function areaText(squareMetres) {
  return squareMetres >= 1e5 ? `${(squareMetres / 1e6).toFixed(2)} km²` : `${(Math.round(squareMetres / 10) * 10).toLocaleString("en")} m²`;
}

function flat([originLat, originLon]) {
  const scale = Math.cos((originLat * Math.PI) / 180);
  return ([lat, lon]) => [(lon - originLon) * metresPerDegree * scale, (lat - originLat) * metresPerDegree];
}

const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

/** O(points²), of at most `pointsMax`. */
function isCrossed(points) {
  const plane = points.map(flat(points[0]));
  const count = plane.length;
  for (let one = 0; one < count; one++) {
    for (let other = one + 2; other < count; other++) {
      if (one === 0 && other === count - 1) continue;
      if (cross(plane[one], plane[one + 1], plane[other], plane[(other + 1) % count])) return true;
    }
  }
  return false;
}

function cross(a, b, c, d) {
  const side = ([px, py], [qx, qy], [rx, ry]) => Math.sign((qx - px) * (ry - py) - (qy - py) * (rx - px));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}
