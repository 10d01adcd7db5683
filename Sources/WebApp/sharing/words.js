// Sharing in plain words: how exactly, with whom, until when, and what is seen of somebody. Pure: times come in as arguments.

import { daysAgo, listTime } from "../kit/times.js";
import { ago, count, momentText, timeText } from "../kit/format.js";

/** How exactly, from the most exact on, and what the other one sees then. */
export const rungs = [
  { value: "exact", name: "Exact location",
    sees: "They see your location on the map, its accuracy, and your speed and direction.", short: "exact location" },
  { value: "building", name: "Building",
    sees: "They see the building's name, or the zone when you're outside. Nothing more precise.",
    short: "building" },
  { value: "zone", name: "Zone", sees: "They see the zone's name, such as “Old Quad”. Nothing more precise.",
    short: "zone" },
  { value: "campus", name: "On campus or not", sees: "They see “on campus” or “not on campus”. Nothing on the map.",
    short: "on campus or not" },
];
/** The address of the page that leads to a person who shares their exact location. */
export const directionsTo = ({ account }) => `/route?to=person/${encodeURIComponent(account)}`;

/** Never the most exact unless somebody chose it. */
export const rungDefault = "building";

/** What a precision is called in a sentence; one of a newer server by its own name. */
export function rungName(precision) {
  return rungs.find(({ value }) => value === precision)?.short ?? String(precision);
}

/** What is seen of somebody, in a sentence: `saw your exact position`, `saw whether you were on campus`. */
export function seesText(precision, { isPast = false } = {}) {
  return `${isPast ? "saw" : "sees"} `
    + `${precision === "campus" ? `whether you ${isPast ? "were" : "are"} on campus` : `your ${rungName(precision)}`}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** When an evening ends that somebody shares until, by the clock of the reader. */
const eveningHour = 20;
const eveningMillisecondsMin = 30 * minute;

/** `[{id, name, seconds}]` to choose from at `now` (local ms); the evening only while it is not about to end. */
export function durations(now) {
  const evening = new Date(now).setHours(eveningHour, 0, 0, 0);
  const left = evening - now;
  return [
    { id: "15m", name: "15 minutes", seconds: 900 },
    { id: "1h", name: "1 hour", seconds: 3_600 },
    ...(left >= eveningMillisecondsMin
      ? [{ id: "evening", name: `Until ${timeText(evening)} tonight`, seconds: Math.floor(left / 1000) }] : []),
    { id: "8h", name: "8 hours", seconds: 28_800 },
    { id: "24h", name: "24 hours (maximum)", seconds: 86_400 },
  ];
}
/** What is chosen unless somebody chooses. */
export const durationDefault = "1h";
/** The longest that a share lasts: one that ends with a session lasts no longer either. */
export const shareSecondsMax = 86_400;

/** Audience of the account's share. */
export function audienceName({ audience, person, groupName }) {
  if (audience === "person") return person?.name ?? "Someone";
  if (audience === "group") return groupName ?? "A group";
  return audience === "campus" ? "Everyone on campus" : "Anyone with the link";
}

/** The same within a sentence: names stay, other words are small. */
export function withWhom(share) {
  const name = audienceName(share);
  const isName = (share.audience === "person" && share.person?.name) || (share.audience === "group" && share.groupName);
  return isName ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

/** `until 18:00`, tomorrow with its day. */
export function untilText(expiresAt, now) {
  const end = new Date(expiresAt);
  const today = new Date(now).toDateString();
  if (end.toDateString() === today) return `until ${timeText(end)}`;
  return end.toDateString() === new Date(now + day).toDateString() ? `until tomorrow, ${timeText(end)}`
    : `until ${momentText(end)}`;
}

/** The same for a share of the account, which may be tied to a session. */
export function endsText({ session, expiresAt }, now) {
  return session ? "until your session ends" : untilText(expiresAt, now);
}

const everybodyText = "everyone logged in can see you";

/**
 * Of one share or several: `3 watching`, `nobody is watching`. Who looks at the map of everybody is in no such number: of shares with
 * everybody it says who can, in the words of `everybody`. Null is a number that is not known. A share with a stranger never says whether
 * they watch.
 */
export function watchingText(shares, everybody = everybodyText) {
  const counted = shares.filter(({ invited }) => !invited);
  if (counted.length === 0 && shares.length > 0) return "waiting for them to accept";
  const others = counted.filter(({ audience }) => audience !== "campus");
  if (others.some(({ watching }) => watching === null)) return "checking who's watching";
  const number = others.reduce((sum, { watching }) => sum + watching, 0);
  const isForAll = others.length < counted.length;
  return [isForAll ? everybody : "", number > 0 ? `${number.toLocaleString("en")} watching` : isForAll ? "" : "nobody is watching"]
    .filter(Boolean).join(" · ");
}

/** Text on the view of others without reports, as `seenOf` has it; `howLong` is for how long they see a last position. */
export function seenText(seen, howLong = "") {
  if (seen === "none") return "nobody sees you";
  if (seen === "hidden") return "others see you as hidden";
  return `others ${seen === "last" ? "see" : "may see"} your last location and its age${howLong}`;
}

/** In a receipt: `3 times, first 10:00, last 18:00 to 18:05`, and no more than is known; a visit within one minute has one time. */
export function watchedText({ from, last, to, atLatest, times }, now) {
  const often = times > 1 ? `${count(times, "time")}, ` : "";
  const since = moment(from, now);
  const end = (start) => (to && moment(to, now) !== moment(start, now) ? ` to ${moment(to, now, start)}` : "");
  if (atLatest) return `${often}first ${since}${to ? `, until ${moment(to, now, from)} at the latest` : ""}`;
  if (times > 1 && moment(last, now) !== since) {
    return `${often}first ${since}, last ${to ? "" : "since "}${moment(last, now, from)}${end(last)}`;
  }
  return `${often}${to ? "" : "since "}${since}${end(from)}`;
}

/** Whether it is known of that line that somebody looks at this moment. */
export function isLooking({ to, atLatest }, isOver) {
  return !isOver && !to && !atLatest;
}

/** The time of day, behind its day unless that is today or the day of `same`. */
function moment(time, now, same = now) {
  const clock = timeText(time);
  return listTime(time, now) === clock || daysAgo(time, same) === 0 ? clock
    : `${listTime(time, now).replace("Yesterday", "yesterday")}, ${clock}`;
}

/** The bar's words for the shares that work. */
export function barText(shares) {
  if (shares.length !== 1) return `Sharing in ${shares.length} ways`;
  const [share] = shares;
  return share.audience === "link" ? "Sharing by a link"
    : `Sharing with ${share.audience === "campus" ? "everyone" : audienceName(share)}`;
}

/** The bar's words where nothing is shown of the reader; `kind` is `MyLocation.hidden`. */
export function hiddenBarText(kind) {
  return kind === "residence" ? "Hidden: you're in a residence" : "Hidden: you're in a private zone";
}

const endNames = {
  stopped: "you stopped it", expired: "it expired", session: "your session ended", blocked: "one of you blocked the other",
  group: "the group ended or you left it", disabled: "your account was disabled", buddies: "you're no longer buddies",
};

/** Why a share is over. */
export function endText(end) {
  return endNames[end] ?? "it ended";
}

/** Where somebody is, without the age: `{state, precision, location}` as the server sends it. */
export function placeText({ state, precision, location }) {
  if (state === "hidden") return "Hidden right now";
  if (state === "none" || !location) return "No location right now";
  if (precision === "exact") return Number.isFinite(location.accuracy) ? `Within ${metresText(location.accuracy)}` : "On the map";
  if (precision === "campus") return location.onCampus ? "On campus" : "Not on campus";
  if (location.place) return location.place.name ?? (location.place.kind === "building" ? "Unnamed building" : "Unnamed zone");
  return location.onCampus ? "On campus" : "Not on campus";
}

/** Metres as one says them: `12 m`, `1.4 km`. */
export function metresText(metres) {
  return metres < 1000 ? `${Math.max(1, Math.round(metres))} m` : `${(metres / 1000).toFixed(1)} km`;
}

/** How old it is, from seconds; nothing where there is no position. */
export function ageText({ state, location }, seconds) {
  if (!location || state === "none" || state === "hidden") return "";
  return state === "old" ? `last seen ${ago(seconds)}` : ago(seconds);
}

const fresh = 60;
const faded = 900;
const fadedOpacity = 0.45;

/** How much of a mark is drawn that is so many seconds old: all of it for a minute, less and less until it is taken away. */
export function fade(seconds) {
  const part = Math.min(1, Math.max(0, (seconds - fresh) / (faded - fresh)));
  return Number((1 - part * (1 - fadedOpacity)).toFixed(3));
}

const sourceNames = { gps: "GPS", wifi: "Wi-Fi", cell: "mobile network", manual: "pin" };
const sourcePhrases = { gps: "by satellite", wifi: "by networks nearby", cell: "by mobile masts", manual: "by a pin set by hand" };

/** How a position was found, within a sentence; empty if it is not known. */
export function sourceText(source) {
  return sourcePhrases[source] ?? "";
}

/** Name of the source of a position; empty if it is not known. */
export function sourceName(source) {
  return sourceNames[source] ?? "";
}

/** What became of a question that one asked. */
export function questionText({ state }) {
  return { open: "Waiting for an answer", answered: "Answered. You can view it once", read: "You've viewed the answer",
    declined: "Declined", expired: "No answer in time" }[state] ?? "";
}
