// The order of changes that wait: which of them a later one replaces, and where it stands among them. Pure.

import { showsMore, waitingMethods } from "./waitingmethods.js";

/** The object of a change: changes of one object are sent in order, one after the other. */
export const objectOf = ({ method, subject }) => `${method.split(".")[0]} ${waitingMethods[method].object ?? subject}`;

const isSame = (one, other) => one.method === other.method && one.subject === other.subject;

/** Whether a change that waits makes another one pointless that was made before it. */
export function isReplaced(one, by) {
  if (one.subject !== by.subject) return false;
  const { replaces = [], isRepeatedAlone = false } = waitingMethods[by.method];
  const replaced = typeof replaces === "function" ? replaces(by.shown) : replaces;
  if (one.method !== by.method && !replaced.includes(one.method)) return false;
  // A change that shows less is sent even if one that shows more waits too long after it.
  if (waitingMethods[one.method].showsMore && !showsMore(one) && showsMore(by)) return false;
  return !(one.isTried && one.method === by.method && isRepeatedAlone);
}

/** The changes that wait with a later one, which was made before those with the ids of `since`. */
export function withLater(waiting, change, since = new Set()) {
  const isBefore = ({ id }) => !since.has(id);
  return waiting.filter((one) => !isBefore(one)).reduce(withLast, withLast(waiting.filter(isBefore), change));
}

/** The value at the server once a change is done, as a list of one; empty where it matters to none after it. */
function valuesOf({ method, params, shown }) {
  const { value } = waitingMethods[method];
  return value ? [value(params, shown ?? {})] : [];
}

/** A change with what the server may have instead of what it had before. */
function withPerhaps(change, values) {
  const texts = new Set([...change.shown?.perhaps ?? [], ...values].map((value) => JSON.stringify(value)));
  return texts.size === 0 ? change : { ...change, shown: { ...change.shown, perhaps: [...texts].map((text) => JSON.parse(text)) } };
}

function withLast(waiting, given) {
  const same = waiting.filter((one) => isSame(one, given));
  const last = same.at(-1);
  // The value at the server before both of them, as far as it is known.
  const before = last?.shown?.before;
  const based = before === undefined ? given : { ...given, shown: { ...given.shown, before } };
  const change = withPerhaps(based, [...last?.shown?.perhaps ?? [], ...same.filter(({ isSent }) => isSent).flatMap(valuesOf)]);
  const isLeft = (one) => !isReplaced(one, change);
  const isTried = waiting.some((one) => one.isTried && isSame(one, change) && !isLeft(one));
  const added = { ...change, ...(isTried && { isTried }) };
  if (!last || !waitingMethods[change.method].keepsPlace) return [...waiting.filter(isLeft), added];
  const end = waiting.indexOf(last) + 1;
  return [...waiting.slice(0, end).filter(isLeft), added, ...waiting.slice(end).filter(isLeft)];
}

/** The changes that wait with one that was sent before them, and perhaps not done. */
export function withEarlier(waiting, given) {
  const change = { ...given, isTried: true, isSent: true };
  const later = waiting.map((one) => (isSame(one, change) ? withPerhaps(one, valuesOf(change)) : one));
  const by = later.findLast((one) => isReplaced(change, one));
  if (by) return later.map((one) => (one === by && isSame(one, change) ? { ...one, isTried: true } : one));
  const first = later.findIndex((one) => objectOf(one) === objectOf(change));
  return first < 0 ? [...later, change] : [...later.slice(0, first), change, ...later.slice(first)];
}

/** Those of the changes that wait which must not be done without one that was refused. */
export function needing(waiting, refused) {
  const { neededBy = [] } = waitingMethods[refused.method];
  // Changed once more, it may be right now.
  if (waiting.some((one) => one.id !== refused.id && isSame(one, refused))) return [];
  return waiting.filter(({ method, subject }) => subject === refused.subject && neededBy.includes(method));
}

/**
 * The changes that wait after one was done: those that were made of the revision before it are of the one that it made. A revision that
 * somebody else made between the two is a conflict as before.
 */
function withRevision(waiting, { method, subject }, reply) {
  const before = reply?.revision - 1;
  const isNext = (one) => one.subject === subject && waitingMethods[one.method].revises && one.params.revision === before;
  if (!waitingMethods[method].revises || !waiting.some(isNext)) return waiting;
  return waiting.map((one) => (isNext(one) ? { ...one, params: { ...one.params, revision: reply.revision } } : one));
}

/** The changes that wait after one was done: what the server had before those of the same thing is what it made. */
function withBefore(waiting, change) {
  const [before] = valuesOf(change);
  const isNext = (one) => one.id !== change.id && isSame(one, change);
  if (before === undefined || !waiting.some(isNext)) return waiting;
  return waiting.map((one) => (isNext(one) ? { ...one, shown: { ...one.shown, before, perhaps: [] } } : one));
}

/** Whether nothing is left of a change once another one is done. */
const isEnded = (one, by) => one.subject === by.subject && (waitingMethods[by.method].ends ?? []).includes(one.method);

/** The first change to send of those that wait and may be sent: a deletion before what is deleted with it. */
export function firstToSend(waiting, maySend) {
  const first = waiting.find(maySend);
  return first && (waiting.find((one) => isEnded(first, one)) ?? first);
}

/** The changes that wait after one was done: the same list when it concerns none of them. */
export function withDone(waiting, change, reply) {
  const left = withBefore(withRevision(waiting, change, reply), change);
  return left.some((one) => isEnded(one, change)) ? left.filter((one) => !isEnded(one, change)) : left;
}
