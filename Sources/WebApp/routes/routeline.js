// A route in pieces that are drawn alike. Pure.

import { isVertical } from "./progress.js";

/** Whether a piece of the line is on the level that is shown. Outdoors the line is on all of them. */
function isOn(level, from, to) {
  const levels = [from.level, to.level].filter((one) => one !== undefined && one !== null);
  return level === null || levels.length === 0 || levels.includes(level);
}

/**
 * The pieces of a route, `[{points: [[lat, lon], …], isUncertain, isHere}]`, each with the last point of the one before: `isHere` is
 * whether the piece is on the `level` that is shown, or outdoors.
 */
export function piecesOf({ points, uncertain = [] }, level = null) {
  const isUncertainAt = (index) => uncertain.some(([first, last]) => index >= first && index < last);
  const pieces = [];
  for (let index = 0; index + 1 < points.length; index += 1) {
    const [from, to] = [points[index], points[index + 1]];
    const kind = { isUncertain: isUncertainAt(index), isHere: isOn(level, from, to) };
    const last = pieces.at(-1);
    if (last && last.isUncertain === kind.isUncertain && last.isHere === kind.isHere) last.points.push([to.lat, to.lon]);
    else pieces.push({ ...kind, points: [[from.lat, from.lon], [to.lat, to.lon]] });
  }
  return pieces;
}

/** The lines of the crowd along a route, `[{points, people}]`. */
export function crowdPieces({ points, crowd = [] }) {
  return crowd.map(({ first, last, people }) => ({ people, points: points.slice(first, last + 1).map(({ lat, lon }) => [lat, lon]) }))
    .filter(({ points: line }) => line.length > 1);
}

/**
 * Where a route changes its level, `[{lat, lon, kind, level, isHere}]`: lifts, stairs and escalators with the level they lead to. `isHere`
 * is whether they begin on the level that is shown.
 */
export function levelChanges({ points, legs }, level = null) {
  return legs.filter(isVertical).map(({ kind, first, fromLevel, toLevel }) => (
    { lat: points[first].lat, lon: points[first].lon, kind, level: toLevel, isHere: level === null || fromLevel === level }));
}
