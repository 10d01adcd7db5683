// The reader's position on the live map, and the sentences about it. Pure.

import { ago, distanceText } from "../kit/format.js";
import { sourceOf } from "../sharing/reportplan.js";
import { metresText, sourceName } from "../sharing/words.js";

/** The server's position counts before this device's when it is newer by this. */
const newerMilliseconds = 5_000;

/**
 * The reader's position as `{lat, lon, accuracy, source, time}`, with the server's time in ms; null while it is not known. `location` is
 * the server's or null, `fixes` are this device's, some of them null, and `clockOffset` is the server's time minus the device's in ms.
 */
export function latestPosition({ location, isPinned, fixes, clockOffset }) {
  const fix = fixes.filter(Boolean).sort((one, other) => other.time - one.time)[0] ?? null;
  const fixTime = fix ? fix.time + clockOffset : -Infinity;
  if (location) {
    const time = Date.parse(location.at);
    if (isPinned || !fix || time > fixTime + newerMilliseconds) return { ...location, time };
  }
  return fix ? { lat: fix.lat, lon: fix.lon, accuracy: fix.accuracy, source: sourceOf(fix.accuracy), time: fixTime } : null;
}

/** Where the reader is, without a full stop; `away` is the distance to the campus in metres, or null near it. */
export function whereText({ accuracy, source }, away) {
  if (away !== null) return `You're ${distanceText(away)} from campus`;
  return `You (${[`±${metresText(accuracy ?? 1)}`, sourceName(source)].filter(Boolean).join(", ")})`;
}

/** The note's sentences: `seconds` is the position's age, which is given near the campus. */
export function noteText({ here, away, seconds, isHidden, isUnseen }) {
  const where = whereText(here, away);
  const text = away === null ? `${where}, ${ago(seconds)}` : where;
  if (isHidden) return `${text}. Nobody sees you here.`;
  return isUnseen ? `${text}. Only you see it.` : `${text}.`;
}
