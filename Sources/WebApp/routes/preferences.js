// A person's preferences for routes, kept on this device. No DOM.

const key = "campanile.routePreferences";

/** The choices of speed in metres per second; the usual one is the server's. */
export const speeds = [
  { id: "slow", label: "Slow", speed: 0.9 },
  { id: "usual", label: "Usual", speed: null },
  { id: "fast", label: "Fast", speed: 1.7 },
];

/** The switches, with their words. */
export const switches = [
  { id: "avoidCrowds", label: "Avoid Pedestrian Traffic", hint: "Goes around busy paths where that pays.", short: "avoids crowds" },
  {
    id: "stepFree", label: "Disability Friendly Route", hint: "No steps, no high kerbs, no steep slopes. Lifts that work.",
    short: "step-free",
  },
  { id: "noStairs", label: "No stairs", hint: "Lifts and ramps instead of stairs.", short: "no stairs" },
];

const usual = { avoidCrowds: false, stepFree: false, noStairs: false, speed: "usual" };

/** The preferences as this device has them. */
export function keptPreferences(storage = localStorage) {
  try {
    const kept = JSON.parse(storage.getItem(key)) ?? {};
    const chosen = Object.fromEntries(switches.map(({ id }) => [id, kept[id] === true]));
    return { ...usual, ...chosen, speed: speeds.some(({ id }) => id === kept.speed) ? kept.speed : usual.speed };
  } catch {
    return { ...usual };
  }
}

/** Keeps preferences. A browser that stores nothing has the usual ones next time. */
export function keepPreferences(preferences, storage = localStorage) {
  try {
    storage.setItem(key, JSON.stringify(preferences));
  } catch {
    // They hold until the page is closed.
  }
}

/** The preferences as a request has them: only what differs from the usual. */
export function wirePreferences(preferences) {
  const { speed } = speeds.find(({ id }) => id === preferences.speed) ?? speeds[1];
  const chosen = switches.filter(({ id }) => preferences[id]).map(({ id }) => [id, true]);
  return { ...Object.fromEntries(chosen), ...(speed !== null && { speed }) };
}

/** The preferences in a few words, such as `step-free, slow`; empty for the usual ones. */
export function preferencesText(preferences) {
  const speed = speeds.find(({ id }) => id === preferences.speed);
  return [...switches.filter(({ id }) => preferences[id]).map(({ short }) => short),
    ...(speed?.speed ? [`${speed.label.toLowerCase()} pace`] : [])].join(", ");
}
