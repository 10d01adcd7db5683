// Selection of the next request, and the meaning of a reply. Pure: items in, requests out.

import { errorCodes } from "./registry.js";

export const pointsPerRequestMax = 500;

/** Ranges that the server accepts for optional members of a point; values of a browser outside them are left out. */
const optionalRanges = { accuracy: [0, 100_000], altitude: [-1_000, 20_000], speed: [0, 1_000], heading: [0, 360] };

const methods = { pause: "tracking.pause", resume: "tracking.resume", stop: "tracking.stop" };

/**
 * The next request for `items` (outbox entries in order), or null when there is nothing to send.
 * `sessionId(clientId)` is the server's id, null before the start was acknowledged.
 * Result: `{method, params, orders, clientId, kind}`; `orders` are the entries it carries.
 */
export function nextRequest(items, sessionId) {
  const first = items[0];
  if (!first) return null;
  const { clientId, kind, order } = first;
  if (kind === "start") return { method: "tracking.start", params: { ...first.params, clientId }, orders: [order], clientId, kind };
  const session = sessionId(clientId);
  // Its start was refused or is gone: nothing of it can ever be sent.
  if (session === null || session === undefined) return { method: null, params: null, orders: [order], clientId, kind };
  if (kind !== "point") return { method: methods[kind], params: { session, at: first.at }, orders: [order], clientId, kind };
  const batch = [];
  for (const item of items) {
    if (item.kind !== "point" || item.clientId !== clientId || batch.length >= pointsPerRequestMax) break;
    batch.push(item);
  }
  return { method: "tracking.points", params: { session, points: batch.map((item) => sendable(item.point)) },
    orders: batch.map((item) => item.order), clientId, kind };
}

/** The point without optional members that the server would refuse it for. */
export function sendable(point) {
  const copy = { ...point };
  for (const [name, [min, max]] of Object.entries(optionalRanges)) {
    if (!(Number.isFinite(copy[name]) && copy[name] >= min && copy[name] <= max)) delete copy[name];
  }
  return copy;
}

/** The index of the one point of `count` that an error is about (`data.field` is `points[3].lat`), or null. */
export function pointAtFault({ code, data }, count) {
  const match = code === errorCodes.invalidParams ? /^points\[(\d{1,6})\]/.exec(data?.field ?? "") : null;
  return match && Number(match[1]) < count ? Number(match[1]) : null;
}

/**
 * Reaction to an error: `retry` (send the same again, later), `signIn` (wait for the account), `done` (the
 * server is already where this request wanted it), `refuse` (it can never succeed).
 */
export function afterError(kind, { code, isTransient }) {
  if (isTransient) return "retry";
  if (code === errorCodes.unauthenticated) return "signIn";
  if (code === errorCodes.conflict && ["pause", "resume", "stop"].includes(kind)) return "done";
  return "refuse";
}
