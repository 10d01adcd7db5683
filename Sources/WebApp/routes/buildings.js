// The buildings that a route goes through, by the drawing of the campus. Pure.

/** Whether a point is within a ring of `[lon, lat]`: a line to the east crosses it an odd number of times. */
function isInside(ring, { lat, lon }) {
  let isWithin = false;
  for (let index = 0; index < ring.length; index += 1) {
    const [[x, y], [lastX, lastY]] = [ring[index], ring[index === 0 ? ring.length - 1 : index - 1]];
    if ((y > lat) !== (lastY > lat) && lon < x + ((lat - y) / (lastY - y)) * (lastX - x)) isWithin = !isWithin;
  }
  return isWithin;
}

/** Outer rings of a GeoJSON polygon or multipolygon. */
function outlines(geometry) {
  if (geometry?.type === "Polygon") return geometry.coordinates.slice(0, 1);
  return geometry?.type === "MultiPolygon" ? geometry.coordinates.map(([outer]) => outer) : [];
}

/** The ids of the buildings that a route goes through, and of the one where it ends, in the order of `features`, which are the campus'. */
export function buildingsOf({ points }, features) {
  const seen = points.filter(({ level }, index) => (level !== undefined && level !== null) || index === points.length - 1);
  return features.filter(({ properties, geometry }) => properties?.kind === "building" && properties.id !== undefined
    && outlines(geometry).some((ring) => seen.some((point) => isInside(ring, point))))
    .map(({ properties }) => properties.id);
}
