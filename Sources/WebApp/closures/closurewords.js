// Closures in words, and their states. Pure.

import { count, momentText } from "../kit/format.js";

/** Names of kinds of what can be closed. */
export const kindNames = { lift: "Lift", door: "Door", path: "Path", stairs: "Stairs", escalator: "Escalator" };

/** The icon of a kind. */
export const kindIcon = (kind) => ({ lift: "lift", stairs: "stairs", escalator: "stairs", door: "enter" }[kind] ?? "route");

/** The word for what a kind is while it is closed. */
export const closedWord = (kind) => ({ lift: "Out of order", escalator: "Out of order", door: "Locked" }[kind] ?? "Closed");

/** The buttons that close and reopen a kind. */
export const closeVerb = (kind) => (
  { lift: "Mark out of order", escalator: "Mark out of order", door: "Mark locked", stairs: "Close stairs" }[kind] ?? "Close path");
export const reopenVerb = (kind) => ({ lift: "Working again", escalator: "Working again", door: "Unlock" }[kind] ?? "Reopen");

/** `active`, `planned` or `past`, at a time in ms. */
export function stateOf({ from, until }, now) {
  if (Date.parse(until) <= now) return "past";
  return Date.parse(from) > now ? "planned" : "active";
}

/** Closures by state, `{active, planned, past}`: the next to change first, of the past the latest first. */
export function byState(closures, now) {
  const groups = { active: [], planned: [], past: [] };
  for (const closure of closures) groups[stateOf(closure, now)].push(closure);
  const time = (text, otherwise) => (Number.isFinite(Date.parse(text)) ? Date.parse(text) : otherwise);
  groups.active.sort((one, other) => time(other.from, 0) - time(one.from, 0));
  groups.planned.sort((one, other) => time(one.from, 0) - time(other.from, 0));
  groups.past.sort((one, other) => time(other.until, 0) - time(one.until, 0));
  return groups;
}

/** The line above what can be closed; the server lists at most `max` objects. */
export function foundObjects(found, { max, isSearched }) {
  if (found >= max) return `First ${max}. Search for more.`;
  if (found > 0) return count(found, "result");
  return isSearched ? "Nothing has that name." : "The campus map has no lifts, doors or paths yet.";
}

/** When a closure holds: `Since 2 May 2026, 10:00, until reopened`. */
export function periodText({ from, until }, now) {
  const state = stateOf({ from, until }, now);
  const begin = from ? `${state === "active" ? "Since" : "From"} ${momentText(from)}` : "";
  const end = until ? `until ${momentText(until)}` : "until reopened";
  const text = [begin, end].filter(Boolean).join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The problems of a period, by field: both in ms, `until` null for an open end. */
export function periodProblems({ from, until }, now) {
  if (Number.isNaN(from)) return { from: "Enter a date and a time." };
  if (Number.isNaN(until)) return { until: "Enter a date and a time, or leave it empty." };
  if (until !== null && until <= Math.max(now, from ?? now)) {
    return { until: from !== null && until <= from ? "The end must be after the start." : "The end is in the past. Choose a later time." };
  }
  return {};
}
