// The time for which a workout is planned, and the event that buddies are invited to at that time. Pure.

import { localTime } from "../kit/times.js";
import { placeName } from "./words.js";

const yearsMax = 2;
const dayMilliseconds = 86_400_000;

/** Why a planned time is not taken, or null. */
export function scheduleProblem(time, now) {
  if (!Number.isFinite(time)) return "Choose a day and a time.";
  if (time <= now) return "Choose a time in the future.";
  return time > now + yearsMax * 365 * dayMilliseconds ? "Choose a time within two years." : null;
}

/** Tomorrow at this hour, for a form that nothing was entered in. */
export const usualTime = (now) => Math.ceil((now + dayMilliseconds) / 3_600_000) * 3_600_000;

/** The page of a new event for a workout at a time, with title, time, length and place filled in. */
export function eventPath({ id, plan }, at) {
  const place = plan.destinationName ?? (plan.place === "anywhere" ? "" : placeName(plan.place));
  const query = new URLSearchParams({ for: id, title: plan.title, at: new Date(at).toISOString(), minutes: plan.minutes, kind: plan.type,
    place });
  return `/events/new?${query}`;
}

/** The parameters that plan a workout for a time, or for none. An event stays with the workout while the time stays. */
export function scheduleParams({ id, scheduledAt, event }, at) {
  const isSame = at !== null && scheduledAt && localTime(Date.parse(scheduledAt)) === localTime(at);
  return { workout: id, ...(at !== null && { at: isSame ? scheduledAt : new Date(at).toISOString() }), ...(isSame && event && { event }) };
}
