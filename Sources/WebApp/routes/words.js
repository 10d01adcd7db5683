// Sentences about routes. Pure.

import { capital, distanceText, sentence, timeText } from "../kit/format.js";
import { levelName } from "../places/destinations.js";

const minuteSeconds = 60;
/** A difference below this is none that anybody notices. */
const noticedSeconds = 30;

/** `1 min`, `12 min`, `1 h 5 min`, from seconds. */
export function minutesText(seconds) {
  const minutes = Math.max(1, Math.round(seconds / minuteSeconds));
  if (minutes < 60) return `${minutes} min`;
  return [`${Math.floor(minutes / 60)} h`, minutes % 60 > 0 && `${minutes % 60} min`].filter(Boolean).join(" ");
}

/** `1 minute`, `12 minutes`: within a sentence. */
export function minutesWords(seconds) {
  const minutes = Math.max(1, Math.round(seconds / minuteSeconds));
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

const reasonNames = {
  fastest: "Fastest", stepFree: "Step-free", lessCrowded: "Less crowded", noStairs: "No stairs", shorter: "Shorter",
  entrance: "Other entrance", otherEntrance: "Other entrance",
};

/** The labels of a route's reasons; a reason of a newer server has none. One route alone is no fastest one if it is to be step-free. */
export function reasonLabels(reasons, { isStepFree = false, isAlone = false } = {}) {
  if (isStepFree && isAlone) return [reasonNames.stepFree];
  return (reasons ?? []).map((reason) => reasonNames[reason]).filter(Boolean);
}

/** What a leg asks for, as the beginning of a line: the server's words without the metres, which stand beside it. */
export function legText({ text }) {
  const words = String(text ?? "").replace(/ \(\d+ m\)$/, "");
  return capital(words.replace(/\blevel (0|-[\d.]+)(?![\d.])/g, (_, level) => levelWords(level)));
}

/** The metres of a leg, or nothing where they say nothing, as in a lift. */
export function legMetres({ kind, metres }) {
  return kind === "path" && metres >= 1 ? distanceText(metres) : "";
}

/** `Level 2`; level 0 is the ground floor. */
export const levelText = levelName;

/** `level 2`, `the ground floor`: within a sentence. */
export const levelWords = (level) => (String(level) === "0" ? "the ground floor" : levelName(level).toLowerCase());

/** `In 40 m` before what comes next, `For 80 m` for what goes on, or nothing. */
export function whenText({ isNext, metres, isVertical }) {
  if (isVertical && !isNext) return "Now";
  if (metres < 10) return isNext ? "Now" : "";
  return `${isNext ? "In" : "For"} ${distanceText(metres)}`;
}

/** Metres of parts of a route, of which two may follow on from each other. */
const metresOf = (parts, path) => parts.reduce((sum, [first, last]) => sum + path.between(first, last), 0);

/** How crowded a route is, in a sentence, or null. */
export function crowdSentence({ crowd, crowdSeconds }, path) {
  const metres = metresOf((crowd ?? []).map(({ first, last }) => [first, last]), path);
  if (metres < 1) return null;
  const longer = crowdSeconds >= noticedSeconds ? `, about ${minutesWords(crowdSeconds)} slower` : "";
  return `Busy for ${distanceText(Math.max(10, metres))}${longer}.`;
}

/** What is not sure about a route, in a sentence, or null. */
export function uncertainSentence({ uncertain }, path) {
  const metres = metresOf(uncertain ?? [], path);
  if ((uncertain ?? []).length === 0) return null;
  return `Perhaps not step-free for ${distanceText(Math.max(10, metres))} (dashed on the map): the map doesn't know it well enough.`;
}

/** Where a route ends when the map does not show the way to the door, or null. */
export function entrySentence({ entry }) {
  switch (entry) {
    case "entrance": return "The map doesn't show the way inside. The route ends at the entrance.";
    case "edge": return "The map doesn't show an entrance. The route ends at the edge of the building.";
    default: return null;
  }
}

/** Whether something is out of order, locked or closed, by its kind or its name. */
function closedWord({ kind = "", name = "" }) {
  const words = `${kind} ${name}`.toLowerCase();
  if (/\b(lift|elevator|escalator)\b/.test(words)) return "out of order";
  return /\b(door|entrance|gate)\b/.test(words) ? "locked" : "closed";
}

/** `Lift in the library` is a thing, `Lift A` a name. */
const withArticle = (name) => (
  /^(lift|door|path|stairs|steps|escalator|entrance) (in|at|by|of|to|near|on) /i.test(name)
    ? `The ${name.charAt(0).toLowerCase()}${name.slice(1)}` : name);

/** The name without the levels, which a person on the way knows. */
const shortName = (name) => name.replace(/, levels? [^,]*$/, "");

const isPlural = (name) => /^(stairs|steps)\b/i.test(name);

/** `The lift in the library is out of order.`, with the time of its end if that is known. */
export function closureSentence({ kind, name: fullName, until = null }) {
  const name = shortName(fullName);
  const end = until ? ` until ${timeText(until)}` : "";
  return `${withArticle(name)} ${isPlural(name) ? "are" : "is"} ${closedWord({ kind, name })}${end}.`;
}

/** Closures that hold at a time, in ms: those without a beginning hold since they were made. */
export function holding(closures, now) {
  return closures.filter(({ from, until }) => !(Date.parse(from) > now) && !(Date.parse(until) <= now));
}

function openedSentence(fullName) {
  const name = shortName(fullName);
  const state = closedWord({ name }) === "out of order" ? "working again" : "open again";
  return `${withArticle(name)} ${isPlural(name) ? "are" : "is"} ${state}.`;
}

/** Why a route is another, in a sentence. */
export function reasonSentence({ kind, object, until } = { kind: "", object: "", until: null }) {
  switch (kind) {
    case "closed": return object ? closureSentence({ kind: "", name: object, until }) : "Part of the way is closed.";
    case "opened": return object ? openedSentence(object) : "Part of the way is open again.";
    case "crowd": return "It got busy on the way.";
    case "end": return "The walk has ended.";
    case "off": return "You left the route.";
    default: return "The way has changed.";
  }
}

/** `New route: 2 minutes longer.`; `difference` is in seconds, or null where it is not known. */
export function differenceSentence(difference) {
  if (difference === null) return "New route.";
  if (Math.abs(difference) < noticedSeconds) return "New route, about as long.";
  return `New route: ${minutesWords(Math.abs(difference))} ${difference > 0 ? "longer" : "shorter"}.`;
}

/** The news of a walk: its reason, what the admin wrote about it, and the new route or the server's message that there is none. */
export function newsText({ reason, difference = null, message = null }) {
  const note = reason?.note?.trim();
  return [reasonSentence(reason), note && sentence(note), message ? sentence(message) : differenceSentence(difference)]
    .filter(Boolean).join(" ");
}

const noPathHere = "no path on the map leads away from here: walk to a path, then try again";

/** The server's message about a start, for a person who has not chosen one: they are there. */
export function problemOnWalk(message) {
  if (/^the start is outside the campus\b/.test(message ?? "")) {
    return "you're outside the campus: go back to a path on the campus, then try again";
  }
  if (/^level \S+ is not here\b/.test(message ?? "")) return "this building doesn't have your level: try again and set your level";
  return message?.replace(/^no path on the map leads away from the start\b.*/, noPathHere).replace(/\bthe start\b/g, "your place") ?? null;
}

/** Why the device has no position, during a walk that goes on without one. */
export const troubleText = ({ code, text }) => (
  `${code === "unavailable" ? "Your location isn't known right now." : text} Use Next after each step.`);

/** Where the position comes from and how exact it is. */
export function positionText({ source, accuracy, isOld = false }) {
  if (source === null) return "No location yet. Use Next after each step.";
  if (source === "hand") return "Your place on the route is set by you.";
  const exact = accuracy >= 1 ? `, accurate to ${distanceText(Math.max(10, accuracy))}` : "";
  return isOld ? "Your location is old. Use Next after each step." : `Location from this device${exact}.`;
}

/** The sentence at the end. */
export const arrivedText = (name) => (name ? `You've arrived at ${name}.` : "You've arrived.");
