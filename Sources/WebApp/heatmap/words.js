// Sentences of the heatmap. Pure.

import { ago, sentence } from "../kit/format.js";

/** People are counted so often; counts that did not change are not sent again. */
const countedEverySeconds = 30;

/** The state of the heatmap in a sentence. */
export function stateText({ cells, seconds, isLive, problem }) {
  if (problem) return sentence(problem.message);
  const age = ago(seconds);
  if (!isLive) return cells ? `You're offline. Counted ${age}.` : "You're offline.";
  if (!cells) return "Loading…";
  if (cells.length === 0) return "No busy spots right now.";
  return seconds <= countedEverySeconds + 5 ? `Counted ${age}.` : `No change since ${age}.`;
}
