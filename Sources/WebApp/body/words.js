// The words of body data: names of what can be chosen, figures that people type, and the entries in short. Pure.

import { wordsOf } from "../charts/days.js";

export const injuryTypes = [
  { id: "strain", label: "Strained muscle" }, { id: "sprain", label: "Sprained ligament" }, { id: "fracture", label: "Fracture" },
  { id: "dislocation", label: "Dislocation" }, { id: "tendon", label: "Tendon pain" }, { id: "surgery", label: "After an operation" },
  { id: "pain", label: "Pain without a known cause" }, { id: "other", label: "Something else" },
];

export const bodyAreas = [
  { id: "neck", label: "Neck" }, { id: "shoulder", label: "Shoulder" }, { id: "elbow", label: "Elbow" }, { id: "wrist", label: "Wrist" },
  { id: "hand", label: "Hand" }, { id: "chest", label: "Chest" }, { id: "abdomen", label: "Abdomen" },
  { id: "upperBack", label: "Upper back" }, { id: "lowerBack", label: "Lower back" }, { id: "hip", label: "Hip" },
  { id: "thigh", label: "Thigh" }, { id: "knee", label: "Knee" }, { id: "calf", label: "Calf" }, { id: "ankle", label: "Ankle" },
  { id: "foot", label: "Foot" },
];

export const conditions = [
  { id: "asthma", label: "Asthma" }, { id: "hypertension", label: "High blood pressure" }, { id: "heartDisease", label: "Heart disease" },
  { id: "diabetes", label: "Diabetes" }, { id: "pregnancy", label: "Pregnancy" }, { id: "postpartum", label: "Recently gave birth" },
  { id: "osteoporosis", label: "Osteoporosis" }, { id: "arthritis", label: "Arthritis" }, { id: "epilepsy", label: "Epilepsy" },
  { id: "glaucoma", label: "Glaucoma" }, { id: "hernia", label: "Hernia" }, { id: "vertigo", label: "Vertigo" },
  { id: "anaemia", label: "Anaemia" },
];

export const goals = [
  { id: "loseWeight", label: "Lose weight" }, { id: "buildMuscle", label: "Build muscle" }, { id: "gainStrength", label: "Get stronger" },
  { id: "improveEndurance", label: "Build endurance" }, { id: "improveFlexibility", label: "Be more flexible" },
  { id: "improveBalance", label: "Better balance" }, { id: "reduceStress", label: "Reduce stress" },
  { id: "stayHealthy", label: "Stay healthy" },
];
export const goalsMax = 3;

export const periodSkips = [
  { id: "unsure", label: "I'm not sure" }, { id: "pregnant", label: "I'm pregnant" }, { id: "notApplicable", label: "Doesn't apply to me" },
  { id: "preferNotToSay", label: "I'd rather not say" },
];

const labelOf = (list, id) => list.find((one) => one.id === id)?.label ?? id;

/** The figures that people type, with the ranges of the server. */
export const figures = {
  heightCentimetres: { label: "Height", unit: "cm", min: 50, max: 250, decimals: 1 },
  kilograms: { label: "Weight", unit: "kg", min: 20, max: 400, decimals: 1 },
  restingPulse: { label: "Resting heart rate", unit: "bpm", min: 25, max: 120, decimals: 0 },
  maximumPulse: { label: "Maximum heart rate", unit: "bpm", min: 100, max: 240, decimals: 0 },
};

/** Reads a typed figure: `{value}`, with null for an empty text, or `{problem}`. A comma counts as a point. */
export function readFigure(text, { label, unit, min, max, decimals }) {
  const typed = text.trim().replace(",", ".");
  if (typed === "") return { value: null };
  const value = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : NaN;
  if (Number.isNaN(value)) return { problem: `Enter ${label.toLowerCase()} as a number.` };
  if (decimals === 0 && !Number.isInteger(value)) return { problem: "Enter a whole number." };
  if (value < min || value > max) return { problem: `Enter a number from ${min} to ${max} ${unit}.` };
  return { value: Number(value.toFixed(decimals)) };
}

/** `Sprained ligament: ankle`. */
export const injuryTitle = ({ type, area }) => `${labelOf(injuryTypes, type)}: ${labelOf(bodyAreas, area).toLowerCase()}`;

/** `Since 3 Nov 2026`, or `3 Nov 2026 to 20 Nov 2026`. */
export const injuryTime = ({ from, until }) => (until ? `${wordsOf(from)} to ${wordsOf(until)}` : `Since ${wordsOf(from)}`);

/** Whether an injury counts on a day: its last day counts still. */
export const isHealed = ({ until }, day) => Boolean(until) && until < day;

/** The entries in short, for the question before a workout: `[{name, value}]`. */
export function entriesOf(data, day) {
  const { heightCentimetres, weight, injuries, conditions: chosen, goals: aims } = data;
  const names = (list, ids) => ids.map((id) => labelOf(list, id)).join(", ");
  const open = injuries.filter((injury) => !isHealed(injury, day));
  return [
    { name: "Weight", value: weight ? `${weight.kilograms} kg on ${wordsOf(weight.date)}` : null },
    { name: "Height", value: heightCentimetres ? `${heightCentimetres} cm` : null },
    { name: "Injuries", value: open.length > 0 ? open.map(injuryTitle).join("; ") : "None" },
    { name: "Health", value: chosen.length > 0 ? names(conditions, chosen) : "No conditions" },
    { name: "Goals", value: aims.length > 0 ? names(goals, aims) : null },
    { name: "Last period", value: data.asksLastPeriod ? periodText(data.lastPeriod) : null },
    { name: "Heart rate", value: pulseText(data.restingPulse, data.maximumPulse) },
  ].filter(({ value }) => value !== null);
}

function periodText(lastPeriod) {
  if (lastPeriod?.date) return wordsOf(lastPeriod.date);
  return lastPeriod?.skipped ? labelOf(periodSkips, lastPeriod.skipped) : null;
}

function pulseText(resting, maximum) {
  const parts = [resting && `${resting} bpm at rest`, maximum && `${maximum} bpm at most`].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

/** Whether there is anything that a question before a workout could show. */
export const hasEntries = (data) => Boolean(data.confirmedAt) || data.weight !== undefined || data.heightCentimetres !== undefined
  || data.injuries.length > 0 || data.conditions.length > 0 || data.goals.length > 0;
