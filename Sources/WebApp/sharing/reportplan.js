// When this device reports its position. Pure: times in ms are arguments.

import { metresBetween } from "../map/motion.js";

const movingMilliseconds = 1_000;
/** Hidden pages and tired batteries: rarely enough to last, often enough to be current. */
const sparingMilliseconds = 10_000;
/** Well under the minute after which the server calls a position old. */
const stillMilliseconds = 30_000;
const movingSpeedMin = 0.6;
const movedMetresMin = 8;
const movedMetresMax = 50;
const gpsMetresBelow = 50;
const accuracyMetresMax = 100_000;
/** The server takes none that are older than 15 minutes. */
const tooOldMilliseconds = 10 * 60_000;
const lowBatteryLevel = 0.15;

/**
 * Settings of privacy as they hold while changes of them wait in `writes`: without what waits to be turned off, for which nothing may be
 * reported any more, and without what waits to be turned on, which the server does not store yet.
 */
export function settingsInForce(writes, settings) {
  const chosen = writes.shown("privacy.settings", {}, settings);
  const isTurnedOn = (name) => writes.find("privacy.saveSettings", name)?.[name] === true;
  return Object.fromEntries(Object.entries(chosen).map(([name, value]) => [name, value === true && isTurnedOn(name) ? false : value]));
}

/** Nobody but a satellite receiver is that exact. */
export function sourceOf(accuracy) {
  return accuracy < gpsMetresBelow ? "gps" : "wifi";
}

/** Whether a fix shows that its owner moves, compared with the last report. */
export function isMoving(fix, told) {
  if (fix.speed >= movingSpeedMin) return true;
  return metresBetween(told, fix) > Math.max(movedMetresMin, Math.min(movedMetresMax, fix.accuracy / 2));
}

/** Milliseconds until `fix` may be reported, 0 for now. `told` is the last report, `{lat, lon, at}` with the local time, or null. */
export function waitFor(fix, told, now, { isHidden = false, isSparing = false } = {}) {
  if (!told) return 0;
  const pause = !isMoving(fix, told) ? stillMilliseconds : isHidden || isSparing ? sparingMilliseconds : movingMilliseconds;
  // A clock that was put back is no reason to be silent.
  return told.at > now ? 0 : Math.max(0, told.at + pause - now);
}

/** When a device that lies still, and so sends no fix, is asked again. */
export const askMilliseconds = stillMilliseconds;

/** Whether to save the battery; `null` if the browser does not expose its level. */
export function isLow(battery) {
  return Boolean(battery) && !battery.charging && battery.level <= lowBatteryLevel;
}

/** `location.report` for a fix at `now`; null for one that says nothing, or only where the device was long ago. */
export function reportOf(fix, toServer, now) {
  if (![fix.lat, fix.lon, fix.accuracy].every(Number.isFinite) || now - fix.time > tooOldMilliseconds) return null;
  const accuracy = Math.min(accuracyMetresMax, Math.max(0.1, fix.accuracy));
  const report = { lat: fix.lat, lon: fix.lon, accuracy, source: sourceOf(accuracy), at: toServer(fix.time) };
  if (Number.isFinite(fix.speed) && fix.speed >= 0) report.speed = fix.speed;
  // While it stands still a device's heading is noise.
  if (Number.isFinite(fix.heading) && fix.speed >= movingSpeedMin) report.heading = fix.heading;
  return report;
}

/** Longer than a page in the background, which browsers let run once a minute, is silent. */
const silentMilliseconds = 2 * 60_000;

/**
 * Whether a device of the owner seems to report: `{silent, age, told}`, the age in seconds, null when it is not known. `told` is what
 * others get of their shares now (`Sharing.toldState`), wherever it came from; `mine` is what this server has (`MyLocation`), and another
 * one may have more. Null while the server has sent nothing about it.
 */
export function tellingOf(mine, serverNow, told = null) {
  const milliseconds = mine?.location ? Math.max(0, serverNow - Date.parse(mine.location.at)) : null;
  const isSilent = milliseconds === null || milliseconds > silentMilliseconds;
  const age = milliseconds === null ? null : milliseconds / 1000;
  if (told === "live" || told === "hidden") return { silent: false, age: isSilent ? null : age, told };
  if (told !== null) return { silent: true, age: told === "none" ? null : age, told };
  return mine ? { silent: isSilent, age, told } : null;
}

/** Time for which others see a position that no device reports any more. */
const seenMilliseconds = 15 * 60_000;

/**
 * The view of others while the owner's device reports nothing: `last` (their last position, with its age), `hidden`, `none`, or null while
 * that is not known. `mine` and `told` are those of `tellingOf`; without a connection another device may have reported one since.
 */
export function seenOf(mine, { told, isLive, serverNow }) {
  if (told === "none") return isLive ? "none" : null;
  if (told !== null) return told === "hidden" ? "hidden" : "last";
  if (!mine?.location || serverNow - Date.parse(mine.location.at) > seenMilliseconds) return null;
  return mine.hidden ? "hidden" : "last";
}

/**
 * The state of this device's reports: `off` (there is nobody to report to), `tracking` (a session's points are the reports), `pinned`,
 * `elsewhere` (a share was begun on another device of the owner), `stopping` (stopped shares have to end first), `unsure` (whether the
 * shares kept here still work is not known yet), or `tell` (this device reports).
 */
export function dutyOf({ isSharing, isUnsure = false, isCounted, isRecording, isPinned, isHere, isStopping }) {
  if (isStopping) return "stopping";
  if (!isSharing && !isCounted) return isUnsure ? "unsure" : "off";
  if (isRecording) return "tracking";
  if (isPinned) return "pinned";
  return isHere || !isSharing ? "tell" : "elsewhere";
}

/** Accuracy of a pin: a finger on the map is not exact to the metre. */
const pinMetres = { min: 5, max: 500 };

/** The report of a pin. */
export function pinReport({ lat, lon, accuracy }) {
  return { lat, lon, accuracy: Math.min(pinMetres.max, Math.max(pinMetres.min, accuracy)), source: "manual" };
}

/** Wait that an error of the server names, in ms; 0 when it names none. */
export const waitOf = (error) => (error.data?.retryAfter ?? 0) * 1000;
