import assert from "node:assert/strict";
import { test } from "node:test";
import { planProblems } from "../../../Sources/WebApp/workouts/plan.js";
import { areSetValues, draftSetFigure, readSetFigure, readSetValues } from "../../../Sources/WebApp/workouts/setvalues.js";

test("a figure is read with a point or a comma, and an empty field has none", () => {
  for (const [member, text, value] of [
    ["kilograms", "62,5", 62.5], ["kilograms", " 62.5 ", 62.5], ["kilograms", ".5", 0.5], ["reps", "1000", 1_000], ["reps", "", undefined],
    ["seconds", "90", 90], ["metres", "0", 0], ["kilograms", "20,", 20],
  ]) assert.deepEqual(readSetFigure(member, text), { value }, text);
});

test("a figure that the server refuses, or that is none, has a problem and no value", () => {
  for (const [member, text] of [
    ["reps", "1212"], ["reps", "-1"], ["reps", "8.5"], ["reps", "ten"], ["kilograms", "1000.5"], ["kilograms", "1,000,5"], ["kilograms", "1e9"],
    ["seconds", "86401"], ["metres", "1000001"], ["metres", "0x10"],
  ]) {
    const { problem, value } = readSetFigure(member, text);
    assert.match(problem ?? "", /^Enter /, `${member} ${text}`);
    assert.equal(value, undefined);
  }
});

test("values are checked as the server does", () => {
  for (const values of [{}, { reps: 1_000, kilograms: 1_000, seconds: 86_400, metres: 1_000_000 }, { reps: null, kilograms: 2.5 }]) {
    assert.equal(areSetValues(values), true);
  }
  for (const values of [{ reps: 1_212 }, { reps: 1.5 }, { kilograms: -1 }, { seconds: Infinity }, { metres: NaN }]) {
    assert.equal(areSetValues(values), false, JSON.stringify(values));
  }
});

test("a plan keeps a wrong figure, so that it is not saved without it", () => {
  for (const text of ["1212", "ten", "8.5", "-3"]) {
    const entry = { id: "e", exercise: "x", sets: [{ reps: draftSetFigure("reps", text) }], restSeconds: 0 };
    const sections = [{ kind: "main", groups: [{ entries: [entry] }] }];
    assert.ok(planProblems({ title: "t", minutes: 5, videos: [], sections })["entry e"], text);
  }
  assert.equal(draftSetFigure("kilograms", "62,5"), 62.5);
});

test("the fields of a form give their values and problems by name, and an empty field has neither", () => {
  const measures = ["reps", "weight", "time", "distance"];
  assert.deepEqual(readSetValues({ reps: "8", kilograms: " 21,25 ", seconds: "" }, measures), { values: { reps: 8, kilograms: 21.25 }, problems: {} });
  const { values, problems } = readSetValues({ reps: "2.5", kilograms: "1001", seconds: "-3", metres: "abc" }, measures);
  assert.deepEqual([values, Object.keys(problems)], [{}, ["reps", "kilograms", "seconds", "metres"]]);
});
