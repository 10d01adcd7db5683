// Calendar days as the protocol writes them, `2026-11-28`: counting them, spans of them, and their words. Pure.

import { dayText } from "../kit/format.js";

const dayMilliseconds = 86_400_000;
const months = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

/** Number of a day, counted from 1970-01-01: daylight saving changes nothing. */
export const numberOf = (day) => Math.round(Date.parse(`${day}T00:00:00Z`) / dayMilliseconds);

/** The day with a number. */
export const dayOf = (number) => new Date(number * dayMilliseconds).toISOString().slice(0, 10);

export const addDays = (day, days) => dayOf(numberOf(day) + days);

/** The calendar day of a time in ms, in the reader's time zone. */
export function today(now = Date.now()) {
  const date = new Date(now);
  const part = (value, digits) => String(value).padStart(digits, "0");
  return `${part(date.getFullYear(), 4)}-${part(date.getMonth() + 1, 2)}-${part(date.getDate(), 2)}`;
}

/** Whether a text is a day that there is. */
export function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && dayOf(numberOf(text)) === text;
}

/** All days of a span, both ends included. */
export function daysBetween(from, to) {
  const first = numberOf(from);
  return Array.from({ length: Math.max(0, numberOf(to) - first + 1) }, (_, index) => dayOf(first + index));
}

/** The Monday of a day's week. */
export function mondayOf(day) {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** The whole weeks that a span is part of: from the Monday of its first day to the Sunday of its last one. */
export const wholeWeeks = ({ from, to }) => ({ from: mondayOf(from), to: addDays(mondayOf(to), 6) });

/** A day for the reader: `28 Nov 2026`. At noon it is the same day in the reader's time zone. */
export const wordsOf = (day) => dayText(new Date(`${day}T12:00:00`).getTime());

const monthOf = (day) => Number(day.slice(5, 7)) - 1;

/** A day on an axis: `28 Nov`, or `Nov` alone for the first of a month in a long span. */
export const shortWordsOf = (day) => `${Number(day.slice(8))} ${months[monthOf(day)].slice(0, 3)}`;
const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
export const weekdayWordsOf = (day) => weekdays[numberOf(day) - numberOf(mondayOf(day))];
export const monthWordsOf = (day) => months[monthOf(day)].slice(0, 3);

export const spans = [{ id: "week", label: "Week" }, { id: "month", label: "Month" }, { id: "year", label: "Year" }];

/** `{from, to, label}` of the week, month or year that contains a day. */
export function spanAround(span, day) {
  if (span === "week") {
    const from = mondayOf(day);
    const to = addDays(from, 6);
    return { from, to, label: `${shortWordsOf(from)} – ${shortWordsOf(to)} ${to.slice(0, 4)}` };
  }
  if (span === "month") {
    const from = `${day.slice(0, 7)}-01`;
    const to = addDays(`${addDays(from, 31).slice(0, 7)}-01`, -1);
    return { from, to, label: `${months[monthOf(day)]} ${day.slice(0, 4)}` };
  }
  return { from: `${day.slice(0, 4)}-01-01`, to: `${day.slice(0, 4)}-12-31`, label: day.slice(0, 4) };
}

/** A day of the span before (-1) or after (1). */
export function dayBeside(span, day, by) {
  const { from, to } = spanAround(span, day);
  return by < 0 ? addDays(from, -1) : addDays(to, 1);
}
