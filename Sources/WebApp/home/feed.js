// What concerns a member, for the start page.

import { makeGoalCard } from "../history/goalcard.js";
import { makeComingUp } from "./comingup.js";
import { makeHomeNotices } from "./notices.js";
import { makeWeekCard } from "./week.js";

/** `{notices, comingUp, week, goal}`, each with `element` and `close`. */
export function makeFeed(app) {
  return {
    notices: makeHomeNotices(app), comingUp: makeComingUp(app), week: makeWeekCard(app), goal: makeGoalCard(app, { isWhole: false }),
  };
}
