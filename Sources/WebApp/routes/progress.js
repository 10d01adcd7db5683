// How far a person is on a route: the current leg, what comes next, and what is left. Pure.

/** So near to the end of a leg, what comes next is the instruction. */
export const soonMetres = 25;
/** So near to the destination, a person has arrived. */
const arrivedMetres = 12;
/** A position that may be wrong by more does not arrive. */
const arrivedAccuracyMax = 50;
const epsilonMetres = 0.5;

/** Lifts, stairs and escalators to another level: only the person knows when they are done. */
export const isVertical = ({ kind, fromLevel, toLevel }) => (
  kind !== "path" && fromLevel !== undefined && toLevel !== undefined && fromLevel !== toLevel);

/**
 * The progress at so many metres `along` the path: `{leg, toNext, metres, seconds}`: the index of the current leg, metres to its end, and
 * metres and seconds to the destination. `preferred` is the leg where the person was last, which counts where several legs meet.
 */
export function progressAt({ legs, seconds }, path, along, preferred = null) {
  const starts = legs.map(({ first }) => path.lengths[first] ?? 0);
  const ends = legs.map(({ last }) => path.lengths[last] ?? path.length);
  const isWithin = (index) => along >= starts[index] - epsilonMetres && along <= ends[index] + epsilonMetres;
  const next = legs.findIndex((_, index) => ends[index] > along + epsilonMetres);
  const leg = preferred !== null && preferred < legs.length && isWithin(preferred) ? preferred : next < 0 ? legs.length - 1 : next;
  const toNext = Math.max(0, (ends[leg] ?? 0) - along);
  const metres = Math.max(0, path.length - along);
  if (leg < 0) return { leg: 0, toNext: 0, metres, seconds };
  const length = ends[leg] - starts[leg];
  const share = length > 0 ? Math.min(1, toNext / length) : 1;
  const left = legs.slice(leg + 1).reduce((sum, one) => sum + one.seconds, share * legs[leg].seconds);
  return { leg, toNext, metres, seconds: left };
}

/** The index of the leg that the person does next, or is on: near the end of a leg the next one, unless the person has to change level. */
export function shownLeg({ legs }, { leg, toNext }) {
  const current = legs[leg];
  return current && leg + 1 < legs.length && toNext <= soonMetres && !isVertical(current) ? leg + 1 : leg;
}

/**
 * Whether the person is at the destination, by a position of that accuracy in metres. A lift or stairs at the end are done by hand.
 */
export function hasArrived({ legs }, { leg, metres }, accuracy = 0) {
  const error = accuracy ?? 0;
  const isLast = leg >= legs.length - 1 && !isVertical(legs[leg] ?? {});
  return isLast && error <= arrivedAccuracyMax && metres <= Math.max(arrivedMetres, Math.min(error, 2 * arrivedMetres));
}
