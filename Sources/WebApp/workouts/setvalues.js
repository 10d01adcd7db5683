// The figures of a set as people type them, and the limits that the server has for them. Pure.

import { planLimits } from "./plan.js";

const figures = {
  reps: { decimals: 0, range: "Enter 0 to 1,000 reps." },
  kilograms: { decimals: 2, range: "Enter 0 to 1,000 kg." },
  seconds: { decimals: 1, range: "Enter 0 to 86,400 seconds." },
  metres: { decimals: 1, range: "Enter 0 to 1,000,000 metres." },
};

/** Reads a typed figure: `{value}`, undefined for none, or `{problem}`. Decimals follow a point or a comma. */
export function readSetFigure(member, text) {
  const typed = text.trim().replace(",", ".");
  if (typed === "") return { value: undefined };
  const { decimals, range } = figures[member];
  const value = /^\d*\.?\d+$|^\d+\.$/.test(typed) ? Number(typed) : NaN;
  if (Number.isNaN(value)) return { problem: decimals === 0 ? "Enter a whole number." : "Enter a number, such as 12.5." };
  if (decimals === 0 && !Number.isInteger(value)) return { problem: "Enter a whole number." };
  if (value > planLimits[member]) return { problem: range };
  return { value: Number(value.toFixed(decimals)) };
}

/** The figure for a plan that is checked later: one that cannot be read is -1, which no plan may have. */
export function draftSetFigure(member, text) {
  const { value, problem } = readSetFigure(member, text);
  if (!problem) return value;
  const typed = Number(text.trim().replace(",", "."));
  return typed > planLimits[member] ? typed : -1;
}

/** Fields for the values of a set in a form, by what the set records. */
export const setValueFields = {
  reps: { name: "reps", label: "Reps", isWhole: true }, weight: { name: "kilograms", label: "Weight in kg", isWhole: false },
  time: { name: "seconds", label: "Time in seconds", isWhole: false },
  distance: { name: "metres", label: "Distance in metres", isWhole: false },
};

/**
 * Reads the texts of such fields: `{values, problems}`, both by the name of a value. An empty field has no value.
 */
export function readSetValues(texts, measures) {
  const read = measures.map((measure) => setValueFields[measure].name).map((name) => [name, readSetFigure(name, texts[name] ?? "")]);
  const only = (member) => Object.fromEntries(read.map(([name, one]) => [name, one[member]]).filter(([, value]) => value !== undefined));
  return { values: only("value"), problems: only("problem") };
}

/** Whether the server accepts the values of a set. */
export const areSetValues = (values) => Object.entries(figures).every(([member, { decimals }]) => {
  const value = values[member] ?? 0;
  return value >= 0 && value <= planLimits[member] && (decimals > 0 || Number.isInteger(value));
});
