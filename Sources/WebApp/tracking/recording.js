// The record of one session as this device knows it, and how it changes. Pure: times are server ms, given by the caller.

import { metresBetween } from "../map/motion.js";

/** A fix that is less exact adds no distance. */
export const accuracyMetresMax = 50;
const kilometre = 1000;
const stepMetresMin = 3;
const speedMax = { run: 12, cycle: 25 };

/** A session that starts at `startedAt` (server ms); `isTimeOnly` for one without positions. */
export function newRecording({ clientId, account, activity, title, audience, startedAt, isTimeOnly = false }) {
  return {
    clientId, account, activity, title, audience, startedAt, isTimeOnly, kilometres: [], id: null, state: "running", pausedAt: null,
    pausedMilliseconds: 0,
    nextSeq: 1, lastTime: startedAt - 1, counted: null, localDistance: 0, acknowledgedDistance: 0, server: null, refused: {}, problem: null,
  };
}

/** A session the server knows and this device takes over; `seqGap` keeps clear of numbers that are still on their way, also
 * from a device that took it over before: hence counted from the highest number, not from how many points there are. */
export function adoptedRecording(session, account, seqGap = 10_000) {
  return {
    ...newRecording({
      clientId: session.clientId, account, activity: session.activity, title: session.title, audience: session.audience,
      startedAt: Date.parse(session.startedAt),
    }),
    id: session.id, server: session, kilometres: unknownKilometres(session.distance), state: session.state,
    pausedAt: session.state === "paused" ? Date.parse(session.startedAt) + session.elapsed * 1000 : null,
    nextSeq: (session.lastSeq ?? session.points ?? 0) + seqGap,
  };
}

/** Full kilometres of which only the number is known: `null` for each. */
export function unknownKilometres(metres) {
  return Array(Math.floor(Math.max(0, metres || 0) / kilometre)).fill(null);
}

/** m/s of the newest full kilometre; null while it is not known. */
export function lastKilometreSpeed({ kilometres }) {
  const end = kilometres.at(-1) ?? null;
  const start = kilometres.length > 1 ? kilometres.at(-2) : 0;
  return end === null || start === null || end <= start ? null : kilometre / (end - start);
}

/** Seconds the session has run at `now`, pauses left out. */
export function elapsedSeconds(record, now) {
  const end = record.pausedAt ?? now;
  return Math.max(0, (end - record.startedAt - record.pausedMilliseconds) / 1000);
}

/** Takes a fix; the point to send, or null when it must not be (not running, older than the last). Changes `record`. */
export function takeFix(record, fix, time) {
  if (record.state !== "running" || time <= record.lastTime || time < record.startedAt) return null;
  record.lastTime = time;
  const position = { lat: fix.lat, lon: fix.lon, time };
  if (!(fix.accuracy > accuracyMetresMax)) {
    const metres = record.counted ? metresBetween(record.counted, position) : 0;
    const seconds = record.counted ? (time - record.counted.time) / 1000 : 0;
    if (!record.counted) record.counted = position;
    else if (metres >= stepMetresMin) {
      if (metres <= seconds * speedMax[record.activity]) record.localDistance += metres;
      record.counted = position;
    }
  }
  const passed = Math.floor(distanceShown(record).metres / kilometre);
  while (record.kilometres.length < passed) record.kilometres.push(elapsedSeconds(record, time));
  const point = { seq: record.nextSeq, lat: fix.lat, lon: fix.lon, time: new Date(time).toISOString() };
  record.nextSeq += 1;
  for (const name of ["accuracy", "altitude", "speed", "heading"]) if (Number.isFinite(fix[name])) point[name] = fix[name];
  return point;
}

/** Pauses at `now`. */
export function pause(record, now) {
  Object.assign(record, { state: "paused", pausedAt: now, counted: null });
}

/** Goes on at `now`. */
export function resume(record, now) {
  if (record.pausedAt !== null) record.pausedMilliseconds += Math.max(0, now - record.pausedAt);
  Object.assign(record, { state: "running", pausedAt: null, counted: null });
}

/** Metres to show: the server's figure, plus this device's estimate of the distance since. `isEstimate` when it has such a part. */
export function distanceShown(record) {
  const since = Math.max(0, record.localDistance - record.acknowledgedDistance);
  return { metres: (record.server?.distance ?? 0) + since, isEstimate: since > 0 };
}

/**
 * Takes the server's word after a reply; an answer to points has of the session only what changes. `localAtSend` is the local
 * distance up to the last point of the request.
 */
export function acknowledge(record, session, localAtSend = null) {
  if (session) {
    record.server = { ...record.server, ...session };
    record.id = record.server.id ?? record.id;
    record.audience = record.server.audience ?? record.audience;
    record.title = record.server.title ?? record.title;
  }
  if (localAtSend !== null) record.acknowledgedDistance = Math.max(record.acknowledgedDistance, localAtSend);
}

/** A stopped session as far as this device knows it: like the server's session, with `clientId`. */
export function summary(record) {
  return {
    clientId: record.clientId, title: record.title, activity: record.activity, endedAt: record.pausedAt,
    distance: distanceShown(record).metres, elapsed: elapsedSeconds(record, record.pausedAt ?? record.startedAt),
    points: record.isTimeOnly ? 0 : record.nextSeq - 1,
  };
}

/** A time in ms as the server's requests have it. */
export function iso(milliseconds) {
  return new Date(Math.round(milliseconds)).toISOString();
}
