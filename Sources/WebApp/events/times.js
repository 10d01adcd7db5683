// Times of events as people say them, in the reader's time zone. Pure: `now` is the server's, in ms.

import { daysAgo } from "../kit/times.js";
import { longDayText, time24, timeText } from "../kit/format.js";

const minute = 60_000;
const hour = 60 * minute;

/** Beginning of an event, in ms. */
export const startOf = ({ details }) => Date.parse(details.startsAt);

/** End of an event, in ms. */
export const endOf = ({ details }) => Date.parse(details.startsAt) + details.duration * 1_000;

/** `coming`, `now` or `over`. */
export function phaseOf(event, now) {
  if (endOf(event) <= now) return "over";
  return startOf(event) <= now ? "now" : "coming";
}

/** The heading above a day's events: `{key, title, date}`; an event that began on an earlier day is under way. */
export function dayHeading(time, now) {
  const ahead = -daysAgo(time, now);
  if (ahead < 0) return { key: "now", title: "Now", date: "" };
  const date = longDayText(time, now);
  const title = { 0: "Today", 1: "Tomorrow" }[ahead];
  return { key: date, title: title ?? date, date: title ? date : "" };
}

/** `Tuesday, 24 November, 18:00–19:30`, or to another day. */
export function spanOf(event, now) {
  const [start, end] = [startOf(event), endOf(event)];
  const last = daysAgo(start, end) === 0 ? `–${timeText(end)}` : ` to ${longDayText(end, now)}, ${timeText(end)}`;
  return `${longDayText(start, now)}, ${timeText(start)}${last}`;
}

/** `45 min`, `1 h 30 min`, `2 days`, from seconds. */
export function lengthOf(seconds) {
  const minutes = Math.round(seconds / 60);
  const parts = [[Math.floor(minutes / 1_440), "day"], [Math.floor(minutes / 60) % 24, "h"], [minutes % 60, "min"]];
  const unitOf = (value, unit) => (unit === "day" && value > 1 ? "days" : unit);
  return parts.filter(([value]) => value > 0).map(([value, unit]) => `${value} ${unitOf(value, unit)}`).join(" ") || "0 min";
}

/** `in 3 hours`, `in 2 days`, `began 10 minutes ago`, `ended yesterday`. */
export function untilOf(event, now) {
  const [start, end] = [startOf(event), endOf(event)];
  if (end <= now) return `ended ${past(end, now)}`;
  if (start <= now) return `began ${past(start, now)}`;
  const milliseconds = start - now;
  if (milliseconds < minute) return "in less than a minute";
  if (milliseconds < 90 * minute) return `in ${number(milliseconds / minute, "minute")}`;
  if (milliseconds < 22 * hour) return `in ${number(milliseconds / hour, "hour")}`;
  const days = -daysAgo(start, now);
  return days <= 1 ? "tomorrow" : `in ${number(days, "day")}`;
}

function past(time, now) {
  const milliseconds = now - time;
  if (milliseconds < minute) return "just now";
  if (milliseconds < 90 * minute) return `${number(milliseconds / minute, "minute")} ago`;
  if (milliseconds < 22 * hour) return `${number(milliseconds / hour, "hour")} ago`;
  const days = daysAgo(time, now);
  return days <= 1 ? "yesterday" : `${number(days, "day")} ago`;
}

function number(value, unit) {
  const whole = Math.max(1, Math.round(value));
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`;
}

/** `2026-11-24` and `18:00`, as date and time fields hold them. */
export function fieldsOf(time) {
  const date = new Date(time);
  const two = (value) => String(value).padStart(2, "0");
  return { date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`, time: time24(time) };
}

/** The time that date and time fields hold, in ms, or null. */
export function timeOf(date, time) {
  const [days, hours] = [/^(\d{4,})-(\d{2})-(\d{2})$/.exec(date), /^(\d{2}):(\d{2})/.exec(time)];
  if (!days || !hours) return null;
  const milliseconds = new Date(Number(days[1]), Number(days[2]) - 1, Number(days[3]), Number(hours[1]), Number(hours[2])).getTime();
  return Number.isFinite(milliseconds) ? milliseconds : null;
}
