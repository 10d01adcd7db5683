// The state of a followed session, and the sentences of its card. Pure.

import { milliseconds } from "../client/clock.js";
import { ago, stateNames } from "../kit/format.js";

const activityNouns = { run: "run", cycle: "ride" };

/** Whether a finished session has no point for others: its owner hides the whole route, and its figures are nothing. */
export function isAllHidden(facts) {
  return facts?.state === "finished" && facts.points === 0 && !isTimeOnly(facts);
}

/** Whether it was recorded without a map: there is a time, and nothing that could be hidden. */
function isTimeOnly(facts) {
  return facts?.points === 0 && facts.elapsed > 0;
}

/** The later of two reports about one runner, either of which may be null. */
export function newest(a, b) {
  if (!a || !b) return a ?? b ?? null;
  return milliseconds(a.at) >= milliseconds(b.at) || a.state === "finished" ? a : b;
}

/** The state of a session: of its `runner`, else as `facts` have it. `isHidden` while the runner is where nothing is shown. */
export function sessionState({ runner, facts, isHidden }) {
  if (isHidden || isAllHidden(facts)) return "hidden";
  return runner?.state ?? (facts?.state === "running" ? "offline" : facts?.state) ?? "offline";
}

/** The name of the icon for a state, where `shown` is what may be claimed of it (see `shownState`). */
export function stateIcon(state, shown) {
  if (shown === "unknown") return "offline";
  if (state === "hidden") return "unseen";
  return state in stateNames && state !== "running" ? state : "stationary";
}

/**
 * The sentence below the figures. `ended` is why the session no longer goes on, or null; `age` is of the runner's position, in seconds;
 * `owner` a name or undefined.
 */
export function ageText({ runner, facts, isHidden, ended, age, owner }) {
  if (isAllHidden(facts)) {
    return `${owner ?? "The runner"} hides this ${activityNouns[facts.activity] ?? "session"}: it's all in a private zone or residence.`;
  }
  if (ended && ended !== "Finished") return ended;
  if (isHidden) return "In a private place. Their route continues when they leave it.";
  if (runner) return `Last seen ${ago(age)}`;
  if (isTimeOnly(facts)) return "Recorded without location: time only.";
  return ended ? "" : "No location yet";
}
