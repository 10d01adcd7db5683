import "../navigator.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  bodyAreas, conditions, entriesOf, figures, goals, hasEntries, injuryTitle, injuryTypes, isHealed, periodSkips, readFigure,
} from "../../../Sources/WebApp/body/words.js";

const types = readFileSync(new URL("../../../Sources/WebApp/client/registrytypes.d.ts", import.meta.url), "utf8");
/** The values of an enumeration in the generated types. */
const valuesOf = (name) => [...new RegExp(`export type ${name} =([^;]+);`).exec(types)[1].matchAll(/"(\w+)"/g)].map(([, one]) => one).sort();

test("everything that the server knows can be chosen, and nothing else", () => {
  const lists = { InjuryType: injuryTypes, BodyArea: bodyAreas, HealthCondition: conditions, FitnessGoal: goals, LastPeriodSkip: periodSkips };
  for (const [name, list] of Object.entries(lists)) assert.deepEqual(list.map(({ id }) => id).sort(), valuesOf(name), name);
});

test("a figure is read with a point or a comma, within the range of the server", () => {
  assert.deepEqual(readFigure(" 72,4 ", figures.kilograms), { value: 72.4 });
  assert.deepEqual(readFigure("72.449", figures.kilograms), { value: 72.4 });
  assert.deepEqual(readFigure("", figures.heightCentimetres), { value: null });
  assert.deepEqual(readFigure("19", figures.kilograms), { problem: "Enter a number from 20 to 400 kg." });
  assert.deepEqual(readFigure("60.5", figures.restingPulse), { problem: "Enter a whole number." });
  for (const wrong of ["tall", "-60", "1e2", "7 2"]) assert.match(readFigure(wrong, figures.heightCentimetres).problem, /as a number/, wrong);
});

test("an injury counts on its last day still", () => {
  assert.equal(isHealed({ until: "2026-11-28" }, "2026-11-28"), false);
  assert.equal(isHealed({ until: "2026-11-27" }, "2026-11-28"), true);
  assert.equal(isHealed({}, "2026-11-28"), false);
  assert.equal(injuryTitle({ type: "sprain", area: "ankle" }), "Sprained ligament: ankle");
});

test("the question before a workout shows what was entered, without healed injuries, and the period only if it is asked for", () => {
  const data = {
    weight: { date: "2026-11-01", kilograms: 70 }, injuries: [
      { type: "sprain", area: "ankle", from: "2026-11-02" }, { type: "strain", area: "calf", from: "2026-01-02", until: "2026-02-01" },
    ], conditions: ["asthma"], goals: [], lastPeriod: { skipped: "pregnant" }, asksLastPeriod: true, isStale: true,
  };
  const shown = Object.fromEntries(entriesOf(data, "2026-11-28").map(({ name, value }) => [name, value]));
  assert.equal(shown.Injuries, "Sprained ligament: ankle");
  assert.equal(shown.Health, "Asthma");
  assert.equal(shown["Last period"], "I'm pregnant");
  assert.equal("Goals" in shown, false);
  assert.equal(entriesOf({ ...data, asksLastPeriod: false }, "2026-11-28").some(({ name }) => name === "Last period"), false);
  assert.equal(hasEntries(data), true);
  assert.equal(hasEntries({ injuries: [], conditions: [], goals: [], isStale: true }), false);
});
