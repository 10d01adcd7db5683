// How figures are written for people. Pure: no DOM, no clock of its own.

import { errorCodes } from "../client/registry.js";

/** Kilometres with two decimals, from metres: `1234` is `1.23`. */
export function km(metres) {
  return (Math.max(0, metres || 0) / 1000).toFixed(2);
}

/** How far something is: `340 m`, `2.4 km`, `1,204 km`, from metres. */
export function distanceText(metres) {
  if (metres < 1_000) return `${Math.round(metres / 10) * 10} m`;
  return metres < 10_000 ? `${(metres / 1_000).toFixed(1)} km` : `${Math.round(metres / 1_000).toLocaleString("en")} km`;
}

/** `HH:mm:ss` from seconds; hours may exceed 99. */
export function hms(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const part = (value) => String(value).padStart(2, "0");
  return `${part(Math.floor(whole / 3600))}:${part(Math.floor(whole / 60) % 60)}:${part(whole % 60)}`;
}

/** Metres per second with two decimals. */
export function speed(metresPerSecond) {
  return Math.max(0, metresPerSecond || 0).toFixed(2);
}

/** Distance over time in m/s; 0 before any time has passed. */
export function averageSpeed(metres, seconds) {
  return seconds > 0 ? metres / seconds : 0;
}

/** `Nov 30, 2026` in the reader's time zone, where U-5 and U-6 want month, day and year in this order. */
export function monthFirst(time) {
  const day = new Date(time);
  return `${months[day.getMonth()]} ${day.getDate()}, ${day.getFullYear()}`;
}

/** `HH:mm`, 24 hours, in the reader's time zone: for history (U-5) and for time fields. Elsewhere `timeText`. */
export function time24(time) {
  const moment = new Date(time);
  return `${String(moment.getHours()).padStart(2, "0")}:${String(moment.getMinutes()).padStart(2, "0")}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const latin = { numberingSystem: "latn", calendar: "gregory" };

/** How dates are written for readers of these languages: in the first English among them, with the hours of the first of all. */
export function dateStyle(languages) {
  const tags = (languages ?? []).filter((tag) => {
    try {
      return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
    } catch {
      return false;
    }
  });
  const { hourCycle } = new Intl.DateTimeFormat(tags[0], { hour: "numeric" }).resolvedOptions();
  return { language: tags.find((tag) => /^en(-|$)/i.test(tag)) ?? "en-GB", has24Hours: hourCycle?.startsWith("h2") ?? true };
}

/** `{day, time, date, dateAndYear}`: functions of a time, for the style of `dateStyle`. */
export function dateFormats({ language, has24Hours }) {
  const format = (options) => {
    /** @type {Intl.DateTimeFormat | null} */
    let made = null;
    return (time) => {
      made ??= new Intl.DateTimeFormat(language, { ...options, ...latin });
      return made.format(new Date(time));
    };
  };
  const date = { day: "numeric", month: "long" };
  return {
    day: format({ day: "numeric", month: "short", year: "numeric" }),
    time: format({ hour: has24Hours ? "2-digit" : "numeric", minute: "2-digit", hourCycle: has24Hours ? "h23" : "h12" }),
    date: format(date), dateAndYear: format({ ...date, year: "numeric" }),
  };
}

/** @type {ReturnType<typeof dateFormats> | null} */
let made = null;

/** The reader's formats, from the first use on: the first of the browser's formats takes longer than all other beginnings of the app. */
function formats() {
  made ??= dateFormats(dateStyle(navigator.languages));
  return made;
}

/** The date as the reader's English writes it: `Nov 30, 2026`, `30 Nov 2026`. Nobody takes the day for the month. */
export function dayText(time) {
  return formats().day(time);
}

/** A moment: `Nov 30, 2026, 6:05 PM`, `30 Nov 2026, 18:05`. */
export function momentText(time) {
  return `${dayText(time)}, ${timeText(time)}`;
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `Monday`. */
export function weekdayText(time) {
  return weekdays[new Date(time).getDay()];
}

/** `Monday, 4 May` or `Monday, May 4`, with the year when it is another than `now`'s. */
export function longDayText(time, now) {
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return `${weekdayText(time)}, ${(isThisYear ? formats().date : formats().dateAndYear)(time)}`;
}

/** The time of day as the reader writes it: `6:05 PM`, `18:05`. */
export function timeText(time) {
  // No line break between the time and AM or PM.
  return formats().time(time).replace(/\s/g, "\u00a0");
}

/** How long ago, from seconds: `now`, `3 s ago`, `4 min ago`, `2 h ago`. */
export function ago(seconds) {
  if (!Number.isFinite(seconds)) return "unknown";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 1) return "now";
  if (whole < 90) return `${whole} s ago`;
  if (whole < 5400) return `${Math.round(whole / 60)} min ago`;
  if (whole < 172800) return `${Math.round(whole / 3600)} h ago`;
  return `${Math.round(whole / 86400)} days ago`;
}

/** Names of the states of a runner. */
export const stateNames = {
  moving: "Moving", stationary: "Standing still", paused: "Paused", offline: "Offline", finished: "Finished", running: "Running",
};

/** The audiences of a session, each with a sentence. */
export const audiences = [
  { value: "private", name: "Private", explanation: "Only you see this session." },
  { value: "campus", name: "Campus", explanation: "Everyone logged in sees you on the live map." },
  { value: "public", name: "Public", explanation: "Anyone who opens the map sees you, even guests." },
];

/** Names of the activities. */
export const activityNames = { run: "Run", cycle: "Ride" };

/** The GPS filter's reasons (the first twelve), the server's refusals, and the error of a request that was refused as a whole. */
const reasonSentences = {
  first: "It was the first point.",
  duplicateTime: "It had the same time as the point before.",
  backwardTime: "It was older than the point before.",
  poorAccuracy: "GPS wasn't accurate enough.",
  drift: "You were standing still and GPS drifted.",
  tooFast: "It was too fast for this activity.",
  vehicle: "It looked like travel in a vehicle.",
  teleport: "GPS jumped too far.",
  reanchored: "GPS jumped. Measuring continues from the new location.",
  gap: "It came after a long gap.",
  paused: "The session was paused.",
  resumed: "It was the first point after a pause.",
  futureTime: "Its time was in the future.",
  beforeStart: "It was from before the session started.",
  afterStop: "It was from after the session was stopped.",
  tooManyPoints: "The session has reached its maximum number of points.",
  invalidParams: "A value was outside its range.",
};

/** A sentence for why a point did not count; an unknown reason is spelled out from its name. */
export function reasonSentence(reason) {
  const known = reasonSentences[reason];
  if (known) return known;
  if (reason in errorCodes || reason === "refused") return "The server didn't accept it.";
  const words = String(reason).replace(/([A-Z])/g, " $1").toLowerCase().trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** `1 runner`, `2 runners`. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** With its first letter as at the beginning of a sentence. */
export function capital(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A message of the server as a sentence of the page: `type it again` becomes `Type it again.` */
export function sentence(text) {
  return `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}
