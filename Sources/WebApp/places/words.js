// Words about places. Pure.

import { count, dayText } from "../kit/format.js";

/** `lecture_hall` in words. */
export const kindWords = (name) => String(name).replaceAll("_", " ");

/** A day such as `2026-11-20` as the reader writes it, in any time zone of the reader. */
export function visitDay(day) {
  const [year, month, date] = day.split("-").map(Number);
  return dayText(new Date(year, month - 1, date));
}

/** The outcome of a search: `problem` is why the server's places are missing, or null; `isMore` when it has more than were asked for. */
export function searchState({ found, problem, isMore }) {
  if (problem) return `${problem.message}${found > 0 ? " These are from the campus map." : ""}`;
  if (found === 0) return "No places match.";
  return `${count(found, "place")}${isMore ? " and more. Type more of the name" : ""}`;
}
