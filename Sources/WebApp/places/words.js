// Words about places. Pure.

import { count } from "../kit/format.js";

/** `lecture_hall` in words. */
export const kindWords = (name) => String(name).replaceAll("_", " ");

/** A day such as `2026-11-20`, month first (U-5), in any time zone of the reader. */
export function monthFirst(day) {
  const [year, month, date] = day.split("-").map(Number);
  return `${month}/${date}/${year}`;
}

/** The outcome of a search: `problem` is why the server's places are missing, or null; `isMore` when it has more than were asked for. */
export function searchState({ found, problem, isMore }) {
  if (problem) return `${problem.message}${found > 0 ? " These are from the drawing of the campus." : ""}`;
  if (found === 0) return "No place of the campus has these words in its name.";
  return `${count(found, "place")}${isMore ? ", and more: say more of the name" : ""}`;
}
