// Places of the drawing of the campus: for a device without a network, and for a tap on the map. Pure.

import { metresBetween } from "../map/motion.js";

/** Metres a second, as the server estimates a way without a route. */
const walkingSpeed = 1.34;
const resultsMax = 20;
/** A place that is no farther from the middle of the building of its name stands for it. */
const samePlaceMetresMax = 60;

/** The named buildings, places and zones of the drawing as destinations, with their `geometry`. */
export function drawnDestinations({ features }) {
  return features.flatMap(({ properties, geometry }) => {
    const { kind, id, name, class: className } = properties ?? {};
    if (!["building", "place", "zone"].includes(kind) || !id || !name) return [];
    const middle = middleOf(geometry);
    return middle ? [{ id: `${kind}/${id}`, kind, name, ...(className && { class: className }), ...middle, geometry }] : [];
  });
}

/** Letters without accents and capitals. */
export const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Destinations with all words of `text` in their names, those that begin with it first. */
export function searchDrawing(destinations, text, { kinds = null, class: className = null } = {}) {
  const wanted = folded(text.trim());
  const words = wanted.split(/\s+/);
  const fits = ({ kind, class: other, name }) => (!kinds || kinds.includes(kind)) && (!className || other === className)
    && words.every((word) => folded(name).includes(word));
  const rank = ({ name }) => (folded(name).startsWith(wanted) ? 0 : 1);
  const found = destinations.filter(fits);
  const isPlaceToo = (building) => building.kind === "building" && found.some((place) => (
    place.kind === "place" && place.name === building.name && metresBetween(place, building) <= samePlaceMetresMax));
  return found.filter((one) => !isPlaceToo(one))
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name)).slice(0, resultsMax);
}

/** Places by their distance from `here`, with the time that a straight way takes. */
export function nearbyInDrawing(destinations, here, { class: className = null } = {}) {
  return destinations.filter(({ kind, class: other }) => kind === "place" && (!className || other === className))
    .map((place) => {
      const metres = metresBetween(here, place);
      return { ...place, metres, seconds: metres / walkingSpeed };
    })
    .sort((one, other) => one.metres - other.metres).slice(0, resultsMax);
}

/** What people look for most often: these are first among kinds that are equally frequent. */
const soughtClasses = ["cafe", "restaurant", "library", "lecture_hall", "toilets", "kiosk", "gym", "atm", "bicycle_parking", "bus_stop"];

/** The kinds of places on the campus, the most frequent first. */
export function classesOf(destinations) {
  const counts = new Map();
  for (const { kind, class: name } of destinations) if (kind === "place" && name) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rank = (name) => (soughtClasses.includes(name) ? soughtClasses.indexOf(name) : soughtClasses.length);
  return [...counts].sort(([one, many], [other, more]) => more - many || rank(one) - rank(other) || one.localeCompare(other))
    .map(([name]) => name);
}

/** The place within `metres` of the point, or else the building around it, or null. */
export function destinationAt(destinations, point, metres) {
  const near = destinations.filter(({ kind }) => kind === "place").map((place) => ({ place, away: metresBetween(point, place) }))
    .filter(({ away }) => away <= metres).sort((one, other) => one.away - other.away);
  if (near.length > 0) return near[0].place;
  return destinations.find(({ kind, geometry }) => kind === "building" && polygonsOf(geometry).some((rings) => isInside(rings, point)))
    ?? null;
}

function polygonsOf({ type, coordinates }) {
  return type === "MultiPolygon" ? coordinates : type === "Polygon" ? [coordinates] : [];
}

/** Whether a point is in a polygon: by the number of edges to its east, of the outline and of holes alike. */
function isInside(rings, { lat, lon }) {
  let isIn = false;
  for (const ring of rings) {
    for (let index = 0, before = ring.length - 1; index < ring.length; before = index, index += 1) {
      const [[x, y], [otherX, otherY]] = [ring[index], ring[before]];
      if (y > lat !== otherY > lat && lon < ((otherX - x) * (lat - y)) / (otherY - y) + x) isIn = !isIn;
    }
  }
  return isIn;
}

/** The middle of a geometry's box, `{lat, lon}`; null without points. */
function middleOf(geometry) {
  if (!geometry?.coordinates) return null;
  const numbers = geometry.coordinates.flat(Infinity);
  if (numbers.length < 2) return null;
  const [lons, lats] = [numbers.filter((_, index) => index % 2 === 0), numbers.filter((_, index) => index % 2 === 1)];
  const middle = (values) => (values.reduce((a, b) => Math.min(a, b)) + values.reduce((a, b) => Math.max(a, b))) / 2;
  return { lat: middle(lats), lon: middle(lons) };
}
