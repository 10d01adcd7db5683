// When a place is open, from the intervals of the coming days, in the time zone of the campus. Pure.

import { dateStyle } from "../kit/format.js";

const dayMilliseconds = 86_400_000;
/** An interval that ends so early belongs to the day before: a bar closes at 2. */
const nightMilliseconds = 6 * 3_600_000;
/** Without a gap for so long, a place never closes. */
const alwaysMilliseconds = 7 * dayMilliseconds;
const weekDays = 7;

/** `{isOpen, changesAt}` at `now`, in ms: `changesAt` is null when it is not known, or too far away. Null without `openings`. */
export function openState(openings, now) {
  if (!openings) return null;
  const intervals = openings.map(({ from, to }) => [Date.parse(from), Date.parse(to)]).sort(([one], [other]) => one - other);
  let end = null;
  for (const [from, to] of intervals) {
    if (end === null ? from <= now && now < to : from <= end && to > end) end = to;
  }
  if (end !== null) return { isOpen: true, changesAt: end - now >= alwaysMilliseconds ? null : end };
  return { isOpen: false, changesAt: intervals.find(([from]) => from > now)?.[0] ?? null };
}

/** Whether a place is open, and until when: `Open until 22:00`, `Closed, opens Monday at 08:00`. Null when it is not known. */
export function openText({ openings, open = null }, now, clock) {
  const state = openState(openings, now);
  if (!state) return open === null ? null : open ? "Open now" : "Closed now";
  const { isOpen, changesAt } = state;
  if (changesAt === null) return isOpen ? "Always open" : "Closed";
  const day = clock.dayName(changesAt, now);
  const time = clock.time(changesAt);
  if (isOpen) return day === "today" ? `Open until ${time}` : `Open until ${day} at ${time}`;
  return day === "today" ? `Closed, opens at ${time}` : `Closed, opens ${day} at ${time}`;
}

/** The coming week from today on: `[{day, hours}]`, `hours` with a text for each interval of the day. */
export function weekOf(openings, now, clock) {
  const intervals = openings.map(({ from, to }) => [Date.parse(from), Date.parse(to)]).sort(([one], [other]) => one - other);
  return Array.from({ length: weekDays }, (_, index) => {
    const [start, end] = [clock.midnight(now, index), clock.midnight(now, index + 1)];
    const isRest = ([from, to]) => index > 0 && from < start && to - start <= nightMilliseconds;
    const hours = intervals.filter(([from, to]) => from < end && to > start && !isRest([from, to]))
      .map(([from, to]) => hoursText([Math.max(from, start), to - end <= nightMilliseconds ? to : end], { start, end, clock }));
    return { day: clock.weekday(start), hours };
  });
}

function hoursText([from, to], { start, end, clock }) {
  if (from === start && to >= end) return "Open all day";
  return `${clock.time(from)} – ${clock.time(to)}`;
}

/** Times and days in a time zone: `{time(ms), weekday(ms), dayName(ms, now), midnight(now, days), isElsewhere}`. */
export function campusClock(timeZone, languages = navigator.languages) {
  const { language, has24Hours } = dateStyle(languages);
  const format = (options) => new Intl.DateTimeFormat(language, { timeZone, numberingSystem: "latn", calendar: "gregory", ...options });
  const times = format({ hour: has24Hours ? "2-digit" : "numeric", minute: "2-digit", hourCycle: has24Hours ? "h23" : "h12" });
  const weekdays = format({ weekday: "long" });
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
  });
  /** The time that a clock on the wall there shows, as if it were UTC. */
  const wall = (moment) => {
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      parts.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const midnight = (now, days) => {
    const wanted = Math.floor(wall(now) / dayMilliseconds) * dayMilliseconds + days * dayMilliseconds;
    let moment = wanted;
    // Twice: the first step may cross a change of the clocks.
    for (let turn = 0; turn < 2; turn += 1) moment += wanted - wall(moment);
    return moment;
  };
  return {
    time: (moment) => times.format(moment).replace(/\s/g, "\u00a0"),
    weekday: (moment) => weekdays.format(moment),
    midnight,
    dayName(moment, now) {
      const days = Math.floor(wall(moment) / dayMilliseconds) - Math.floor(wall(now) / dayMilliseconds);
      return days === 0 ? "today" : days === 1 ? "tomorrow" : weekdays.format(moment);
    },
    isElsewhere: timeZone !== undefined && timeZone !== Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
