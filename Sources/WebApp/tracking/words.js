// Sentences of the track page. Pure.

import { count, hms, km } from "../kit/format.js";

/** What still waits for the server: `points` is their number, `session` a session that waits as a whole, or null. */
export function waitingText({ points, session, isLive }) {
  const left = points > 0 ? `${count(points, "point")} left to upload` : "Waiting to upload";
  return `${session ? savedText(session) : ""}${left}${isLive ? "." : ". It uploads automatically when you're back online."}`;
}

function savedText({ title, points, distance, elapsed }) {
  return `“${title}” (${points > 0 ? `${km(distance)} km, ` : ""}${hms(elapsed)}) is saved on this device. `;
}
