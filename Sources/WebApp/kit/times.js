// Times as a chat says them, in the reader's time zone. Pure.

import { dayText, longDayText, timeText, weekdayText } from "./format.js";

/** Calendar days from `time` to `now`; daylight saving makes days of 23 and 25 hours. */
export function daysAgo(time, now) {
  const midnight = (moment) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
  return Math.round((midnight(new Date(now)) - midnight(new Date(time))) / 86_400_000);
}

/** For the list: `14:05` today, `Yesterday`, a weekday within the week, else the date. */
export function listTime(time, now = Date.now()) {
  const days = daysAgo(time, now);
  if (days <= 0) return timeText(time);
  if (days === 1) return "Yesterday";
  return days < 7 ? weekdayText(time) : dayText(time);
}

/** For the line between days: `Today`, `Yesterday`, `Monday`, `Monday, 4 May`, with the year when it is another. */
export function dayName(time, now = Date.now()) {
  const days = daysAgo(time, now);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return days < 7 ? weekdayText(time) : longDayText(time, now);
}

/** The calendar day, to compare. */
export function dayKey(time) {
  const day = new Date(time);
  return `${day.getFullYear()}-${day.getMonth() + 1}-${day.getDate()}`;
}

const two = (value) => String(value).padStart(2, "0");

/** A time as the value of a field of the type `datetime-local`, in whole minutes. */
export function localTime(time) {
  const day = new Date(time);
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T${two(day.getHours())}:${two(day.getMinutes())}`;
}

/** The time in ms of such a field; NaN for an empty one. */
export const timeOfLocal = (text) => new Date(text).getTime();
