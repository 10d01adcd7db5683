import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dayBeside, daysBetween, isDay, mondayOf, spanAround } from "../../../Sources/WebApp/charts/days.js";

test("days are counted over the ends of months, years and daylight saving", () => {
  assert.equal(addDays("2026-12-31", 1), "2027-01-01");
  assert.equal(addDays("2028-03-01", -1), "2028-02-29");
  assert.equal(daysBetween("2026-03-28", "2026-03-30").join(), "2026-03-28,2026-03-29,2026-03-30");
  assert.equal(daysBetween("2028-01-01", "2028-12-31").length, 366);
  assert.deepEqual(daysBetween("2026-03-02", "2026-03-01"), []);
});

test("a week begins on Monday", () => {
  assert.equal(mondayOf("2026-11-28"), "2026-11-23");
  assert.equal(mondayOf("2026-11-23"), "2026-11-23");
  assert.equal(mondayOf("2026-11-29"), "2026-11-23");
});

test("a span is the week, month or year that contains a day, and the ones beside it follow without a gap", () => {
  assert.deepEqual(spanAround("week", "2026-11-28"), { from: "2026-11-23", to: "2026-11-29", label: "23 Nov – 29 Nov 2026" });
  assert.deepEqual(spanAround("month", "2028-02-10"), { from: "2028-02-01", to: "2028-02-29", label: "February 2028" });
  assert.deepEqual(spanAround("month", "2026-12-31"), { from: "2026-12-01", to: "2026-12-31", label: "December 2026" });
  assert.deepEqual(spanAround("year", "2026-05-05"), { from: "2026-01-01", to: "2026-12-31", label: "2026" });
  for (const span of ["week", "month", "year"]) {
    const { from, to } = spanAround(span, "2026-11-28");
    assert.equal(addDays(spanAround(span, dayBeside(span, "2026-11-28", -1)).to, 1), from);
    assert.equal(addDays(to, 1), spanAround(span, dayBeside(span, "2026-11-28", 1)).from);
  }
});

test("only days that there are count as days", () => {
  assert.ok(isDay("2028-02-29"));
  for (const wrong of ["2027-02-29", "2026-13-01", "2026-1-1", "", "today"]) assert.equal(isDay(wrong), false, wrong);
});
