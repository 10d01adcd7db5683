import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeWeeks } from "../../../Sources/WebApp/charts/days.js";
import { daily, pointsOf, summaryOf, weekly, withFigures } from "../../../Sources/WebApp/charts/series.js";

const november = { from: "2026-11-01", to: "2026-11-30" };
const days = [
  { date: "2026-11-02", minutes: 30, steps: 4_000 }, { date: "2026-11-04", minutes: 0 }, { date: "2026-11-20", minutes: 12.5, steps: 100 },
];

test("a day without a figure is a gap, and a zero of the server stays a zero", () => {
  const rows = daily(days, ["minutes", "steps"], november);
  assert.equal(rows.length, 30);
  assert.deepEqual(rows[0].values, [null, null]);
  assert.deepEqual(rows[1].values, [30, 4_000]);
  assert.deepEqual(rows[3].values, [0, null]);
});

test("the table has exactly the days and figures of the server", () => {
  const shown = withFigures(daily(days, ["minutes", "steps"], november));
  assert.deepEqual(shown.map(({ key, values }) => [key, ...values]),
    [["2026-11-02", 30, 4_000], ["2026-11-04", 0, null], ["2026-11-20", 12.5, 100]]);
});

test("weeks add up their days, and a week without figures is a gap", () => {
  const rows = weekly(days, ["minutes", "steps"], november);
  assert.deepEqual(rows.map(({ key, values }) => [key, ...values]), [
    ["2026-10-26", null, null], ["2026-11-02", 30, 4_000], ["2026-11-09", null, null], ["2026-11-16", 12.5, 100],
    ["2026-11-23", null, null], ["2026-11-30", null, null],
  ]);
  assert.deepEqual(weekly([{ date: "2025-01-01", minutes: 9 }], ["minutes"], november).flatMap(({ values }) => values).filter(Boolean), []);
});

test("a week at the edge of a month has all its days", () => {
  const days = [{ date: "2026-10-27", minutes: 20 }, { date: "2026-11-01", minutes: 10 }, { date: "2026-12-06", minutes: 5 }, { date: "2026-12-07", minutes: 99 }];
  const rows = weekly(days, ["minutes"], november, { today: "2026-12-01" });
  assert.deepEqual(wholeWeeks(november), { from: "2026-10-26", to: "2026-12-06" });
  assert.deepEqual([rows[0].key, rows[0].values, rows.at(-1).key, rows.at(-1).values], ["2026-10-26", [30], "2026-11-30", [5]]);
  assert.match(rows.at(-1).label, /so far$/);
  assert.doesNotMatch(rows[0].label, /so far/);
});

test("a line has points for figures alone", () => {
  const rows = daily(days, ["steps"], november);
  const points = pointsOf(rows, 0);
  assert.deepEqual(points.map(({ y }) => y), [4_000, 100]);
  assert.equal(points[1].x - points[0].x, 18);
});

test("the words of a chart say how many figures there are, and their range", () => {
  const options = { names: ["Minutes", "Steps"], format: String, unit: "" };
  assert.equal(summaryOf(daily(days, ["minutes", "steps"], november), options), "Minutes: 3 values, 0 to 30; Steps: 2 values, 100 to 4000.");
  assert.equal(summaryOf(daily([days[0]], ["minutes", "none"], november), { ...options, unit: " min" }), "Minutes: 1 value, 30 min.");
  assert.equal(summaryOf(daily([], ["minutes", "steps"], november), options), "No figures yet.");
});

test("a year has the names of its months", () => {
  const rows = daily([], ["minutes"], { from: "2028-01-01", to: "2028-12-31" });
  assert.equal(rows.length, 366);
  assert.equal(rows[40].short, "Feb");
  assert.equal(daily([], ["minutes"], november)[4].short, "5 Nov");
});
