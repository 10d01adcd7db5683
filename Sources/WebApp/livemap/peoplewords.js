// The note below the people of the live map. Pure.

import { count } from "../kit/format.js";

/**
 * `shares` is the number of shares with the reader, `hidden` of those that the reader hides, `direct` of those that are listed; `isFailed`
 * when they could not be loaded, `isOffline` when that waits for the connection. `campus` is null unless everybody on campus is shown:
 * `{others, problem, isWhole, more}`.
 */
export function peopleNote({ shares, hidden, direct, isFailed, isOffline = false, campus }) {
  const sentences = [];
  if (direct === 0) sentences.push(noneText({ shares, hidden, isFailed, isOffline }));
  if (hidden > 0) sentences.push(`You've hidden ${count(hidden, "person", "people")}. See Sharing.`);
  if (campus) sentences.push(...campusTexts(campus));
  return sentences.filter(Boolean).join(" ");
}

function noneText({ shares, hidden, isFailed, isOffline }) {
  if (shares > 0) return hidden > 0 ? "" : "Waiting for shared locations…";
  if (isOffline) return "Locations shared with you aren't kept on this device. They appear when you're back online.";
  return isFailed ? "Couldn't load locations shared with you. We'll keep trying." : "Nobody is sharing with you.";
}

function campusTexts({ others, problem, isWhole, more }) {
  const found = others === 0 ? "Nobody else here." : `${count(others, "other person", "other people")} here.`;
  return [
    problem ? problem.message : found,
    isWhole ? "" : "Zoom in to see everyone. Only the middle of this view is covered.",
    more > 0 ? `Zoom in to see ${count(more, "more person", "more people")}.` : "",
  ];
}
