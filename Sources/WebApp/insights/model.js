// Personal analytics: progress towards goals, and what is shown in which chart. Pure.

import { addDays, mondayOf, shortWordsOf, weekdayWordsOf } from "../charts/days.js";
import { count, km, timeText } from "../kit/format.js";
import { dayName } from "../kit/times.js";

const whole = (value) => Math.round(value).toLocaleString("en");

/** The goals that can be set, with the ranges of the server. */
export const goalFields = [
  { name: "daySteps", label: "Steps a day", unit: "steps", min: 100, max: 100_000 },
  { name: "dayCalories", label: "Active calories a day", unit: "kcal", isUnitNamed: false, min: 10, max: 10_000 },
  { name: "weekTrainings", label: "Workouts a week", unit: "workouts", min: 1, max: 50 },
  { name: "weekMinutes", label: "Minutes a week", unit: "min", min: 1, max: 10_080 },
];

/** Figures of a day that are entered by hand, with the ranges of the server. */
export const dayFields = [
  { name: "steps", label: "Steps", unit: "steps", min: 0, max: 200_000 },
  { name: "restingPulse", label: "Resting heart rate", unit: "bpm", min: 25, max: 120 },
];

/** Days back that figures are entered for, today among them. */
const entryDays = 7;

/** `{id, label}` of the days that figures are entered for, the latest first. */
export const recentDays = (today) => Array.from({ length: entryDays }, (_, back) => {
  const id = addDays(today, -back);
  return { id, label: ["Today", "Yesterday"][back] ?? `${weekdayWordsOf(id)}, ${shortWordsOf(id)}` };
});

/** The figure of a day that was entered by hand; null for none, and for an estimate. */
export const entryOf = (day, name) => (name === "steps" && day?.stepsEstimated ? null : day?.[name] ?? null);

/** `Entered: 8,000 steps`. */
export const entryText = (value, unit) => `Entered: ${whole(value)} ${unit}`;

/**
 * Reads a whole number: `{value}`, with null for an empty text, or `{problem}`.
 * @returns {{value?: number | null, problem?: string}}
 */
export function readWhole(text, { min, max }) {
  const typed = text.trim().replace(/[,\s]/g, "");
  if (typed === "") return { value: null };
  const value = Number(typed);
  if (!/^\d+$/.test(typed) || value < min || value > max) {
    return { problem: `Enter a whole number from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}.` };
  }
  return { value };
}

/**
 * A reply of the day `received` as it counts on `day`: figures of an earlier day are not today's, and those of an earlier week not this
 * week's.
 */
export function asOf(insights, day, received = day) {
  return {
    ...insights, today: insights.today?.date === day ? insights.today : null,
    ...(mondayOf(received) !== mondayOf(day) && { weekTrainings: 0, weekMinutes: 0 }),
  };
}

/** `[{name, label, value, goal, share, text}]`: how far each goal is that is set. */
export function progressOf({ goals, today, weekTrainings, weekMinutes }) {
  const now = { daySteps: today?.steps ?? 0, dayCalories: today?.net ?? 0, weekTrainings, weekMinutes };
  return goalFields.filter(({ name }) => goals[name]).map(({ name, label, unit }) => ({
    name, label, value: now[name], goal: goals[name], share: Math.min(1, now[name] / goals[name]),
    text: `${whole(now[name])} of ${whole(goals[name])} ${unit}`,
  }));
}

/**
 * @typedef {{id: string, title: string, kind: string, names: string[], series: string[], unit: string, isSum?: boolean, gapDays?: number,
 *   hint?: string, goal?: {day?: string, week?: string}}} ChartChoice
 */

/**
 * The charts: `names` are members of a day in the order of `series`. Sums can be shown by week; `goal` names a goal for a day or a week.
 * @type {ChartChoice[]}
 */
export const charts = [
  { id: "progress", title: "Time trained", kind: "bar", names: ["minutes"], series: ["Minutes"], unit: " min", isSum: true,
    goal: { week: "weekMinutes" } },
  { id: "steps", title: "Steps", kind: "bar", names: ["steps"], series: ["Steps"], unit: "", isSum: true, goal: { day: "daySteps" } },
  { id: "calories", title: "Calories", kind: "bar", names: ["net", "gross"], series: ["Active", "Total"], unit: " kcal", isSum: true,
    goal: { day: "dayCalories" }, hint: "Total includes what your body uses at rest. Both are estimates." },
  { id: "distance", title: "Distance", kind: "bar", names: ["kilometres"], series: ["Distance"], unit: " km", isSum: true },
  { id: "pulse", title: "Heart rate", kind: "line", names: ["restingPulse", "averagePulse", "maximumPulse"],
    series: ["Resting", "Average in workouts", "Highest"], unit: " bpm", gapDays: 7 },
  { id: "weight", title: "Weight", kind: "line", names: ["kilograms"], series: ["Weight"], unit: " kg", gapDays: 60 },
];

/** Days as charts take them. A day without a workout or a run is a gap for what these make, not a zero. */
export const chartDays = (days) => days.map((day) => {
  const isActive = day.trainings > 0;
  return {
    ...day, minutes: isActive ? day.minutes : null, net: isActive || day.net > 0 ? day.net : null,
    gross: isActive || day.gross > 0 ? day.gross : null, kilometres: day.metres > 0 ? day.metres / 1_000 : null,
  };
});

/** Whether a part of the steps in these days is estimated. */
export const hasEstimatedSteps = (days) => days.some(({ steps = null, stepsEstimated }) => steps !== null && stepsEstimated);

/** `[{name, label, value, note}]`: the figures of today; `value` is null where there is none. */
export function todayFigures({ today, heightCentimetres, kilograms }) {
  const known = (value, text) => (value === undefined || value === null ? null : text(value));
  return [
    { name: "steps", label: "Steps", value: known(today?.steps, whole), note: today?.stepsEstimated ? "estimated" : null },
    { name: "net", label: "Active calories", value: today ? `${whole(today.net)} kcal` : "0 kcal",
      note: today ? `${whole(today.gross)} in total` : null },
    { name: "minutes", label: "Trained", value: `${whole(today?.minutes ?? 0)} min` },
    { name: "metres", label: "Distance", value: `${km(today?.metres ?? 0)} km` },
    { name: "pulse", label: "Heart rate", value: known(today?.averagePulse ?? today?.restingPulse, (value) => `${value} bpm`),
      note: today?.averagePulse ? "average in workouts" : today?.restingPulse ? "resting" : null },
    { name: "kilograms", label: "Weight", value: known(kilograms, (value) => `${value} kg`) },
    { name: "heightCentimetres", label: "Height", value: known(heightCentimetres, (value) => `${value} cm`) },
  ];
}

/** `3 workouts, 95 min this week`. */
export function weekText({ weekTrainings, weekMinutes }) {
  return `${count(weekTrainings, "workout")}, ${whole(weekMinutes)} min this week`;
}

/** Events and workouts that have not begun. A reply that is shown for a while, or that this device kept, has others too. */
export const notBegun = (upcoming, now) => upcoming.filter(({ startsAt }) => Date.parse(startsAt) > now);

/** The path of what comes up. */
export const upcomingPath = ({ event, workout }) => (event ? `/events/${event}` : `/workouts/${workout}`);

/** `Today, 18:00`, `Tomorrow, 07:30`, `Monday, 4 May, 18:00`. */
export function whenText(time, now) {
  const start = Date.parse(time);
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  const isTomorrow = new Date(start).toDateString() === tomorrow.toDateString();
  const isToday = new Date(start).toDateString() === new Date(now).toDateString();
  // Later days have the same words as past ones that are as far away as a year.
  const day = isToday ? "Today" : isTomorrow ? "Tomorrow" : dayName(start, start + 8 * 86_400_000);
  return `${day}, ${timeText(start)}`;
}
