// Pace and speed in the unit that the reader chose. The protocol has m/s throughout; only words on the page are made here.

const key = "campanile.speedUnit";
/** Slower than this is no pace: an hour for a kilometre. */
const paceSpeedMin = 1000 / 3600;

/** The choices. `auto` gives each activity its usual unit. */
export const unitChoices = [
  { value: "auto", name: "min/km for runs, km/h for rides" },
  { value: "pace", name: "min/km" },
  { value: "kmh", name: "km/h" },
  { value: "ms", name: "m/s" },
];

const units = {
  pace: { unit: "min/km", short: "/km", label: "Pace" },
  kmh: { unit: "km/h", short: " km/h", label: "Speed" },
  ms: { unit: "m/s", short: " m/s", label: "Speed" },
};

/** The reader's choice, as this browser has it: connection/accountsettings.js keeps it equal to the account's. */
export function unitChoice() {
  const kept = localStorage.getItem(key);
  return unitChoices.some(({ value }) => value === kept) ? kept : "auto";
}

/** Keeps another choice. */
export function chooseUnit(value) {
  localStorage.setItem(key, value);
}

/** `5:23`, minutes and seconds for a kilometre at that speed; `–` for hardly any. */
export function pace(metresPerSecond) {
  if (!(metresPerSecond >= paceSpeedMin)) return "–";
  const seconds = Math.round(1000 / metresPerSecond);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A speed for people: `{label, value, unit, text, short}`, such as `Pace`, `5:23`, `min/km`, `5:23 min/km`, `5:23/km`. `metresPerSecond` is
 * null where it is not known.
 */
export function speedParts(metresPerSecond, activity, choice = unitChoice()) {
  const name = choice === "auto" ? (activity === "cycle" ? "kmh" : "pace") : choice;
  const { unit, short, label } = units[name];
  const isKnown = Number.isFinite(metresPerSecond);
  const metres = Math.max(0, metresPerSecond || 0);
  const value = !isKnown ? "–" : name === "pace" ? pace(metres) : name === "kmh" ? (metres * 3.6).toFixed(1) : metres.toFixed(2);
  return { label, value, unit, text: `${value} ${unit}`, short: `${value}${short}` };
}

/** `5:23 min/km`, `21.4 km/h` or `2.97 m/s`. */
export function speedText(metresPerSecond, activity, choice = unitChoice()) {
  return speedParts(metresPerSecond, activity, choice).text;
}
