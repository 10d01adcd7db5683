// Where the reader is, for distances and ways. Nothing here asks for permission but `askPosition`.

import { geolocationProblem, positionNow } from "../kit/geolocation.js";

/** A position that is older says little about where somebody walks. */
const ageMillisecondsMax = 5 * 60_000;
/** Steps of a coordinate that are sent: about a metre. */
const degreeSteps = 1e5;

/** The position that a person asked for on a page of places, for the others. */
let asked = null;

/** `{lat, lon, accuracy?}` that the app knows, or that the browser gives without a question; null without one. */
export async function knownPosition({ reporter, tracker }) {
  const isRecent = (fix) => Boolean(fix) && Date.now() - fix.time < ageMillisecondsMax;
  const fix = [asked, reporter?.fix, tracker?.fix].filter(isRecent).sort((one, other) => other.time - one.time)[0];
  if (fix) return asPosition(fix);
  if (geolocationProblem() || !(await isAllowed())) return null;
  try {
    return await askPosition();
  } catch {
    return null;
  }
}

/** The position of this device. The browser may ask the person. Rejects with a sentence. */
export async function askPosition() {
  asked = await positionNow();
  return asPosition(asked);
}

function asPosition({ lat, lon, accuracy }) {
  const round = (degrees) => Math.round(degrees * degreeSteps) / degreeSteps;
  return { lat: round(lat), lon: round(lon), accuracy };
}

async function isAllowed() {
  try {
    return (await navigator.permissions.query({ name: "geolocation" })).state === "granted";
  } catch {
    return false;
  }
}
