// The words of an empty list of runners. No DOM.

import { isFirstAttempt } from "../kit/loading.js";

/** Title and text. `isFiltered` is whether a search or a state is chosen, `hasCampus` whether the whole campus is in view. */
export function emptyWords({ roster, net, isFiltered, hasCampus }) {
  if (roster.problem) return ["Couldn't load runners", roster.problem.message];
  if (!roster.isKnown) {
    const isLoading = net.state === "live" || isFirstAttempt(net);
    return isLoading ? ["Finding runners…", ""] : ["You're offline", "Runners appear when you're back online."];
  }
  if (isFiltered) return ["No matches in view", `Change the search or filter${hasCampus ? "" : ", or zoom out"}.`];
  if (!hasCampus) return ["Nobody in view", "Move the map, or show the whole campus."];
  return ["Nobody is running right now", net.account
    ? "Sessions shared with the campus or with everyone appear here."
    : "Public sessions appear here. Log in to see those shared with the campus."];
}
