// The values of a set as they are typed: checked against the limits of the server before they are sent. Pure.

import { planLimits } from "../workouts/plan.js";

const whole = (value) => value.toLocaleString("en");
const between = (most, what) => `Enter ${what} from 0 to ${whole(most)}.`;

/** The fields of a set by what it records. */
export const setValueFields = {
  reps: { name: "reps", label: "Reps", isWhole: true, problem: between(planLimits.reps, "a whole number") },
  weight: { name: "kilograms", label: "Weight in kg", isWhole: false, problem: between(planLimits.kilograms, "a weight") },
  time: { name: "seconds", label: "Time in seconds", isWhole: true, problem: between(planLimits.seconds, "whole seconds") },
  distance: { name: "metres", label: "Distance in metres", isWhole: false, problem: between(planLimits.metres, "metres") },
};

/** The number that was typed, with a point or a comma before its decimals; null for no text, NaN for one that is no number. */
function typedNumber(text) {
  const plain = text.trim().replace(",", ".");
  if (plain === "") return null;
  return /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
}

/**
 * Reads what was typed for these measures: `{values, problems}`, with texts and problems by the name of a value. An empty field has no
 * value.
 */
export function readSetValues(texts, measures) {
  const values = {};
  const problems = {};
  for (const { name, isWhole, problem } of measures.map((measure) => setValueFields[measure])) {
    const value = typedNumber(texts[name] ?? "");
    if (value === null) continue;
    if (Number.isNaN(value) || value > planLimits[name] || (isWhole && !Number.isInteger(value))) problems[name] = problem;
    else values[name] = value;
  }
  return { values, problems };
}
