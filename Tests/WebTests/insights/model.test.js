import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { daily, withFigures } from "../../../Sources/WebApp/charts/series.js";
import {
  asOf, chartDays, charts, entryOf, entryText, hasEstimatedSteps, notBegun, progressOf, readWhole, recentDays, todayFigures, upcomingPath,
  whenText,
} from "../../../Sources/WebApp/insights/model.js";

const rest = { trainings: 0, minutes: 0, sets: 0, reps: 0, gross: 0, net: 0, metres: 0, stepsEstimated: false };
const november = { from: "2026-11-01", to: "2026-11-30" };

test("a day with a weight alone is a gap in the other charts", () => {
  const days = chartDays([{ ...rest, date: "2026-11-03", kilograms: 71.5 }]);
  const shown = charts.filter(({ names }) => withFigures(daily(days, names, november)).length > 0).map(({ id }) => id);
  assert.deepEqual(shown, ["weight"]);
});

test("a training has its exact minutes and calories, also when these are none", () => {
  const [day] = chartDays([{ ...rest, date: "2026-11-03", trainings: 1, minutes: 32.25, gross: 210, net: 160, metres: 5_250 }]);
  assert.deepEqual([day.minutes, day.gross, day.net, day.kilometres], [32.25, 210, 160, 5.25]);
  const [none] = chartDays([{ ...rest, date: "2026-11-03", trainings: 1 }]);
  assert.deepEqual([none.minutes, none.net, none.kilometres], [0, 0, null]);
});

test("progress is that of the goals that are set, and ends at the whole", () => {
  const progress = progressOf({ goals: { daySteps: 8_000, weekTrainings: 2 }, today: { ...rest, steps: 2_000 }, weekTrainings: 3, weekMinutes: 90 });
  assert.deepEqual(progress.map(({ name, share, text }) => [name, share, text]),
    [["daySteps", 0.25, "2,000 of 8,000 steps"], ["weekTrainings", 1, "3 of 2 workouts"]]);
  assert.equal(progressOf({ goals: { daySteps: 100 }, weekTrainings: 0, weekMinutes: 0 })[0].share, 0);
});

test("today shows a dash for what nobody entered, and says what is estimated", () => {
  const shown = Object.fromEntries(todayFigures({}).map(({ name, value }) => [name, value]));
  assert.equal(shown.steps, null);
  assert.equal(shown.minutes, "0 min");
  const [steps] = todayFigures({ today: { ...rest, steps: 0, stepsEstimated: true } });
  assert.deepEqual([steps.value, steps.note], ["0", "estimated"]);
  assert.equal(hasEstimatedSteps([{ ...rest, stepsEstimated: true }]), false);
});

test("a reply of an earlier day has no figures of today, and one of an earlier week none of this week", () => {
  const reply = { today: { ...rest, date: "2026-11-28", steps: 9_000 }, goals: { daySteps: 8_000 }, weekTrainings: 3, weekMinutes: 90 };
  const stepsOn = (day, received) => progressOf(asOf(reply, day, received))[0].value;
  assert.equal(stepsOn("2026-11-28", "2026-11-28"), 9_000);
  assert.equal(stepsOn("2026-11-29", "2026-11-28"), 0);
  assert.equal(todayFigures(asOf(reply, "2026-11-29", "2026-11-28"))[0].value, null);
  assert.equal(asOf(reply, "2026-11-29", "2026-11-28").weekTrainings, 3);
  const { weekTrainings, weekMinutes } = asOf(reply, "2026-11-30", "2026-11-28");
  assert.deepEqual([weekTrainings, weekMinutes], [0, 0]);
});

test("figures are entered for the last seven days, and an estimate is no entry", () => {
  const days = recentDays("2026-12-02");
  assert.deepEqual(days.map(({ label }) => label).slice(0, 3), ["Today", "Yesterday", "Mon, 30 Nov"]);
  assert.deepEqual([days.length, days.at(-1).id], [7, "2026-11-26"]);
  assert.equal(entryOf({ ...rest, steps: 4_000, stepsEstimated: true }, "steps"), null);
  assert.equal(entryOf({ ...rest, steps: 0 }, "steps"), 0);
  assert.equal(entryOf(undefined, "restingPulse"), null);
  assert.equal(entryText(8_000, "steps"), "Entered: 8,000 steps");
});

test("whole numbers are read within the range of the server", () => {
  assert.deepEqual(readWhole("8,000", { min: 100, max: 100_000 }), { value: 8_000 });
  assert.deepEqual(readWhole("", { min: 1, max: 5 }), { value: null });
  for (const wrong of ["99", "100001", "1.5", "many"]) {
    assert.equal(readWhole(wrong, { min: 100, max: 100_000 }).problem, "Enter a whole number from 100 to 100,000.", wrong);
  }
});

test("what comes up says when, and leads there", () => {
  const now = new Date(2026, 10, 28, 9).getTime();
  const at = (day, hour) => new Date(2026, 10, day, hour).toISOString();
  assert.match(whenText(at(28, 18), now), /^Today, /);
  assert.match(whenText(at(29, 7), now), /^Tomorrow, /);
  assert.match(whenText(at(30, 7), now), /^Monday, .*30.*, /);
  assert.equal(upcomingPath({ event: 4 }), "/events/4");
  assert.equal(upcomingPath({ workout: "abc" }), "/workouts/abc");
});

test("what has begun does not come up any more, also in a reply of an earlier day", () => {
  const upcoming = ["2026-11-27T18:00:00Z", "2026-11-28T09:00:00Z", "2026-11-28T09:00:01Z"].map((startsAt) => ({ title: startsAt, startsAt }));
  const titles = (now) => notBegun(upcoming, Date.parse(now)).map(({ title }) => title);
  assert.deepEqual(titles("2026-11-28T09:00:00Z"), ["2026-11-28T09:00:01Z"]);
  assert.deepEqual(titles("2026-11-27T17:59:59Z").length, 3);
  assert.deepEqual(titles("2026-12-01T00:00:00Z"), []);
});
