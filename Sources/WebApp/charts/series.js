// Figures of days as a chart and a table show them. Days without a figure are gaps, never zeros. Pure.

import { daysBetween, mondayOf, monthWordsOf, numberOf, shortWordsOf, weekdayWordsOf, wholeWeeks, wordsOf } from "./days.js";

/** From so many days on an axis has the names of months. */
const monthsFromDays = 100;
/** Up to so many days an axis has the names of weekdays. */
const weekdaysToDays = 7;

const isThere = (value) => value !== null && value !== undefined;

/** Figures by days: a map of day → `{name: figure}`, of rows `{date, …}`. */
export const byDate = (rows) => new Map(rows.map((row) => [row.date, row]));

/**
 * Rows for each day of a span: `[{key, label, short, values}]`, a value or null for each of `names`. The key is the day.
 */
export function daily(rows, names, { from, to }) {
  const known = byDate(rows);
  const days = daysBetween(from, to);
  const short = days.length <= weekdaysToDays ? weekdayWordsOf : days.length >= monthsFromDays ? monthWordsOf : shortWordsOf;
  return days.map((day) => ({
    key: day, short: short(day), values: names.map((name) => known.get(day)?.[name] ?? null),
    get label() { return wordsOf(day); },
  }));
}

/**
 * The same for each week that a span is part of: sums of the days with a figure, null for a week without any. The key is the Monday. The
 * rows have all days of these weeks (see `wholeWeeks`), so that each bar is a whole week; the week of `today` is one so far.
 */
export function weekly(rows, names, span, { today = null } = {}) {
  const { from, to } = wholeWeeks(span);
  const weeks = new Map();
  for (const day of daysBetween(from, to)) {
    const monday = mondayOf(day);
    if (!weeks.has(monday)) weeks.set(monday, names.map(() => null));
  }
  for (const row of rows.filter(({ date }) => date >= from && date <= to)) {
    const sums = weeks.get(mondayOf(row.date));
    names.forEach((name, index) => { if (isThere(row[name])) sums[index] = (sums[index] ?? 0) + row[name]; });
  }
  const short = weeks.size * 7 >= monthsFromDays ? monthWordsOf : shortWordsOf;
  return [...weeks].map(([monday, values]) => ({
    key: monday, short: short(monday), values,
    get label() { return `Week of ${wordsOf(monday)}${today && mondayOf(today) === monday ? ", so far" : ""}`; },
  }));
}

/** Rows that have a figure: those of the table. */
export const withFigures = (rows) => rows.filter(({ values }) => values.some(isThere));

/** Points of one series for a line: `[{x, y}]`, x being the number of the day. */
export const pointsOf = (rows, index) => rows
  .filter(({ values }) => isThere(values[index]))
  .map(({ key, values }) => ({ x: numberOf(key), y: values[index] }));

/** `3 days with figures, from 60 to 72 bpm.`: the chart in words. `names` are those of the series. */
export function summaryOf(rows, { names, format, unit = "" }) {
  const found = names.flatMap((name, index) => {
    const values = rows.map(({ values: all }) => all[index]).filter(isThere);
    if (values.length === 0) return [];
    const [least, most] = [Math.min(...values), Math.max(...values)].map(format);
    const range = least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
    return [`${name}: ${values.length === 1 ? "1 value" : `${values.length} values`}, ${range}`];
  });
  return found.length === 0 ? "No figures yet." : `${found.join("; ")}.`;
}
