// How figures are written for people. Pure: no DOM, no clock of its own.

/** Kilometres with two decimals, from metres: `1234` is `1.23`. */
export function km(metres) {
  return (Math.max(0, metres || 0) / 1000).toFixed(2);
}

/** `HH:mm:ss` from seconds; hours may exceed 99. */
export function hms(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const part = (value) => String(value).padStart(2, "0");
  return `${part(Math.floor(whole / 3600))}:${part(Math.floor(whole / 60) % 60)}:${part(whole % 60)}`;
}

/** Metres per second with two decimals. */
export function speed(metresPerSecond) {
  return Math.max(0, metresPerSecond || 0).toFixed(2);
}

/** Distance over time in m/s; 0 before any time has passed. */
export function averageSpeed(metres, seconds) {
  return seconds > 0 ? metres / seconds : 0;
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Nov 30, 2026` in the reader's time zone: nobody takes the day for the month. */
export function date(time) {
  const day = new Date(time);
  return `${monthNames[day.getMonth()]} ${day.getDate()}, ${day.getFullYear()}`;
}

/** `M/D/YYYY` in the reader's time zone, where U-5 and U-6 want month/day/year. */
export function numericDate(time) {
  const day = new Date(time);
  return `${day.getMonth() + 1}/${day.getDate()}/${day.getFullYear()}`;
}

/** `HH:mm`, 24 hours, in the reader's time zone. */
export function time24(time) {
  const moment = new Date(time);
  return `${String(moment.getHours()).padStart(2, "0")}:${String(moment.getMinutes()).padStart(2, "0")}`;
}

/** How long ago, from seconds: `now`, `3 s ago`, `4 min ago`, `2 h ago`. */
export function ago(seconds) {
  if (!Number.isFinite(seconds)) return "unknown";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 1) return "now";
  if (whole < 90) return `${whole} s ago`;
  if (whole < 5400) return `${Math.round(whole / 60)} min ago`;
  if (whole < 172800) return `${Math.round(whole / 3600)} h ago`;
  return `${Math.round(whole / 86400)} days ago`;
}

/** What a runner's state is called. */
export const stateNames = {
  moving: "Moving", stationary: "Standing still", paused: "Paused", offline: "Offline", finished: "Finished", running: "Running",
};

/** What each audience means, one line each. */
export const audiences = [
  { value: "private", name: "Private", explanation: "Only you see this session." },
  { value: "campus", name: "Campus", explanation: "Everyone signed in sees you on the live map." },
  { value: "public", name: "Public", explanation: "Anyone who opens the map sees you, guests too." },
];

/** What an activity is called. */
export const activityNames = { run: "Run", cycle: "Ride" };

/** The GPS filter's reasons (the first twelve) and the server's refusals, for the runner. */
const reasonSentences = {
  first: "The first point: there is nothing to measure from yet.",
  duplicateTime: "It has the same time as the point before.",
  backwardTime: "Its time is earlier than that of the point before.",
  poorAccuracy: "The GPS fix was too inaccurate.",
  drift: "You stood still; the position only wandered.",
  tooFast: "Too fast for the activity.",
  vehicle: "This was the speed of a vehicle.",
  teleport: "The position jumped farther than anyone can move in that time.",
  reanchored: "The position had jumped; measuring goes on from the new place.",
  gap: "It came after a long gap; the straight line across does not count.",
  paused: "The session was paused.",
  resumed: "The first point after a pause: measuring goes on from here.",
  futureTime: "Its time was in the future.",
  beforeStart: "It was from before the session started.",
  afterStop: "It was from after the session was stopped.",
  tooManyPoints: "The session already holds as many points as one may.",
};

/** A sentence for why a point did not count; an unknown reason is spelled out from its name. */
export function reasonSentence(reason) {
  const known = reasonSentences[reason];
  if (known) return known;
  const words = String(reason).replace(/([A-Z])/g, " $1").toLowerCase().trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** `1 runner`, `2 runners`. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** With its first letter as at the beginning of a sentence. */
export function capital(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What the server says, as a sentence of the page: `type it again` is `Type it again.` */
export function sentence(text) {
  return `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}
