// Lifts and stairs part a route into storeys. A position has no level: only the person knows when a lift or stairs are done. Pure.

import { isVertical } from "./progress.js";

/** A position that is so near to the line is on the storey where the person was last. */
const sameStoreyMetres = 20;
/** So near to a lift, the legs before and after it meet. */
const sameLegMetres = 0.5;

/** The index of the leg that a piece of the line belongs to. */
function legOf({ legs }, index) {
  const found = legs.findIndex(({ first, last }) => index >= first && index < last);
  return found < 0 ? Math.max(0, legs.length - 1) : found;
}

/** The legs of lifts and stairs before and after a leg, `[before, after]`, or -1. A lift where the person is comes after. */
function changesAround({ legs }, leg) {
  const find = (isThere) => (one, index) => isVertical(one) && isThere(index);
  return [legs.findLastIndex(find((index) => index < leg)), legs.findIndex(find((index) => index >= leg))];
}

/**
 * Where a position is on a route as far as lifts and stairs are done: `{along, away, leg}`; `leg` is null where `along` gives it. `from` is
 * `{along, leg}` of the last position, where `along` may be null.
 */
export function reach(route, path, position, { along, leg }) {
  const { legs } = route;
  const [before, after] = changesAround(route, leg);
  const [first, last] = [before < 0 ? 0 : legs[before].last, after < 0 ? path.points.length - 1 : legs[after].first];
  const lift = { along: path.lengths[last] ?? 0, leg: after };
  const own = path.nearest(position, along, [first, last]);
  if (own.away <= sameStoreyMetres + (position.accuracy ?? 0)) {
    // Where a lift begins, the leg above it is as far from the start.
    const isAtLift = after >= 0 && own.along >= lift.along - sameLegMetres;
    return { along: own.along, away: own.away, leg: isAtLift ? Math.max(leg, Math.max(0, after - 1)) : null };
  }
  const any = path.nearest(position, along);
  return after >= 0 && legOf(route, any.index) >= after ? { ...lift, away: any.away } : { along: any.along, away: any.away, leg: null };
}

/** Where a person is on another route, `{along, leg}`. Outdoors they are before its first lift or stairs. */
export function placeOn(route, path, position) {
  if ((position.level ?? null) === null) return reach(route, path, position, { along: null, leg: 0 });
  const { along, index } = path.nearest(position);
  const leg = legOf(route, index);
  const isDone = isVertical(route.legs[leg] ?? {}) && route.legs[leg].toLevel === position.level && leg + 1 < route.legs.length;
  return { along, leg: isDone ? leg + 1 : leg };
}

/** The leg to go on with for a person who says that they are on a level: across the lift or stairs beside them, or null. */
export function legAcross({ legs }, leg, level) {
  const after = [leg, leg + 1].find((index) => isVertical(legs[index] ?? {}) && legs[index].toLevel === level);
  if (after !== undefined) return after + 1 < legs.length ? after + 1 : null;
  const before = leg - 1;
  return isVertical(legs[before] ?? {}) && legs[before].fromLevel === level ? before : null;
}

/** Whether a leg is in a building, or between its levels. */
export const isInside = (leg) => Boolean(leg) && (leg.indoors === true || isVertical(leg));
