// Sessions of this device that the server does not have yet, for the question whether to log out. Pure.

import { count } from "../kit/format.js";

/** What this device has not uploaded: points, and sessions that are stopped or refused, or of which another tab keeps entries. */
export function unsentRuns({ unsent, waiting, waitingSessions, refusedSessions, record }) {
  const stopped = new Set([...waitingSessions, ...refusedSessions].map(({ clientId }) => clientId)).size;
  const points = unsent + waiting.points;
  const texts = [points > 0 && `${count(points, "point")}`, stopped > 0 && `${count(stopped, "stopped session")}`].filter(Boolean);
  return { keeps: record !== null || points > 0 || waiting.entries > 0 || stopped > 0, text: texts.join(" and ") };
}
