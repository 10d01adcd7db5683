// Words for what a workout is made of. Pure.

import { capital, count } from "../kit/format.js";

/** `bodyWeight` as a person reads it: `Body weight`. */
const spelled = (name) => capital(String(name).replace(/([A-Z])/g, " $1").toLowerCase());
const named = (names) => (id) => names[id] ?? spelled(id);

/** Names of types of workouts and exercises. */
export const typeName = named({ olympicWeightlifting: "Olympic weightlifting" });
/** Names of intensities. */
export const intensityName = named({});
/** Names of levels. */
export const levelName = named({});
/** Names of muscles. */
export const muscleName = named({ abdominals: "Abs", lats: "Lats", traps: "Traps", quadriceps: "Quads" });
/** Names of equipment. */
export const equipmentName = named({
  ezBar: "EZ bar", bands: "Resistance bands", pullUpBar: "Pull-up bar", rower: "Rowing machine", elliptical: "Elliptical trainer",
  cable: "Cable machine", machine: "Weight machine", rope: "Skipping rope", mat: "Exercise mat", box: "Plyo box", other: "Other equipment",
});
/** Names of the places that workouts are made for. */
export const placeName = named({ anywhere: "Anywhere", home: "At home", gym: "Gym", outdoors: "Outdoors", pool: "Pool", track: "Track" });
/** Names of states of a workout. */
export const statusName = named({ notStarted: "Not started", inProgress: "In progress" });
/** Names of the parts of a workout. */
export const sectionName = named({ warmUp: "Warm-up", main: "Main part", coolDown: "Cool-down" });
/** Names of goals. */
export const goalName = named({});
/** Names of parts of the body. */
export const areaName = named({});
/** Names of health conditions. */
export const conditionName = named({ hypertension: "High blood pressure", anaemia: "Anaemia" });

/** Sentences about intensities. */
export const intensityHint = named({
  light: "You can sing while you do it.", moderate: "You can talk, but not sing.", vigorous: "You can only say a few words at a time.",
});

/** `{id, label}` of each value, for fields. */
export const optionsOf = (values, name) => values.map((id) => ({ id, label: name(id) }));

/** `45 s`, `1:30 min`, `1 h 5 min`, from seconds. */
export function secondsText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) {
    const rest = whole % 60;
    return rest === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)}:${String(rest).padStart(2, "0")} min`;
  }
  const minutes = Math.round(whole / 60);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `0:45`, `12:05`, `1:02:05`: a running clock. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3_600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const metresText = (metres) => (metres < 1_000 ? `${metres.toLocaleString("en")} m` : `${Number((metres / 1_000).toFixed(2))} km`);
const isGiven = (value) => value !== undefined && value !== null;

/** What a set is, such as `12 × 40 kg`, `45 s`, `400 m in 2 min`; `Until you stop` for an empty one. */
export function setText({ reps, kilograms, seconds, metres }) {
  const weight = kilograms > 0 ? `${Number(kilograms.toFixed(2))} kg` : null;
  const parts = [
    isGiven(reps) ? (weight ? `${reps} × ${weight}` : count(reps, "rep")) : weight,
    isGiven(metres) ? metresText(metres) : null, isGiven(seconds) ? secondsText(seconds) : null,
  ].filter(Boolean);
  if (parts.length === 0) return "As many as you like";
  return isGiven(metres) && isGiven(seconds) ? [...parts.slice(0, -1), `in ${parts.at(-1)}`].join(" ") : parts.join(" · ");
}

/** Several sets in short: `3 sets of 12 × 40 kg`, or each of them if they differ. */
export function setsText(sets) {
  const texts = sets.map(setText);
  if (texts.length > 1 && texts.every((text) => text === texts[0])) return `${texts.length} sets of ${texts[0]}`;
  return texts.join(", ");
}

/** `30 min`, from minutes. */
export const minutesText = (minutes) => secondsText(minutes * 60);

/** The facts of a workout in a list: `Strength · Moderate · 30 min`. */
export const summaryText = ({ type, intensity, minutes }) => [typeName(type), intensityName(intensity), minutesText(minutes)].join(" · ");

/** `3.8 times what you use at rest. From the Compendium of Physical Activities 2011, code 02022: calisthenics, moderate effort.` */
export const metText = ({ value, code, year, activity }) =>
  `${value} times what you use at rest. From the Compendium of Physical Activities ${year}, code ${code}: ${activity}.`;

/** `No equipment`, or the names. */
export const equipmentText = (equipment) => (
  equipment.length === 0 ? "No equipment" : capital(equipment.map((id) => equipmentName(id).toLowerCase()).join(", ")));

/** Pulses and energies are estimates. */
export const aboutText = (kilocalories) => `about ${kilocalories.toLocaleString("en")} kcal`;
