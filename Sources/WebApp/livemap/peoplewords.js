// The note below the people of the live map. Pure.

import { count } from "../kit/format.js";

/**
 * `shares` is the number of shares with the reader, `hidden` of those that the reader hides, `direct` of those that are listed; `isFailed`
 * when they could not be loaded. `campus` is null unless everybody on campus is shown: `{others, problem, isWhole, more}`.
 */
export function peopleNote({ shares, hidden, direct, isFailed, campus }) {
  const sentences = [];
  if (direct === 0) sentences.push(noneText({ shares, hidden, isFailed }));
  if (hidden > 0) sentences.push(`${count(hidden, "person", "people")} hidden by you: see Sharing.`);
  if (campus) sentences.push(...campusTexts(campus));
  return sentences.filter(Boolean).join(" ");
}

function noneText({ shares, hidden, isFailed }) {
  if (shares > 0) return hidden > 0 ? "" : "Waiting for what is shared with you…";
  return isFailed ? "What is shared with you could not be loaded. It is tried again by itself." : "Nobody shares with you now.";
}

function campusTexts({ others, problem, isWhole, more }) {
  const found = others === 0 ? "Nobody else is to be seen here." : `${count(others, "other")} to be seen here.`;
  return [
    problem ? problem.message : found,
    isWhole ? "" : "Zoom in to see everybody: of so wide a view only the middle is looked at.",
    more > 0 ? `${count(more, "more person", "more people")} here: zoom in.` : "",
  ];
}
