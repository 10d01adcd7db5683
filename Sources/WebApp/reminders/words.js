// Names of reminders, and errors of typed values. Pure.

export const kinds = [
  { id: "event", label: "Events", hint: "Before they start, and when they change" },
  { id: "message", label: "Messages", hint: "When you have unread ones" },
  { id: "notice", label: "Notices", hint: "News from campus" },
  { id: "goal", label: "Goals", hint: "When you're close to your goal or reach it" },
  { id: "workout", label: "Workouts", hint: "Before planned ones start, and when a buddy invites you" },
];

export const channels = [
  { id: "push", label: "Browser", icon: "bell" }, { id: "email", label: "Email", icon: "mail" },
  { id: "text", label: "Text", icon: "phone" },
];

/** Times before an event to choose from, in minutes. */
export const leadChoices = [
  { minutes: 15, label: "15 minutes" }, { minutes: 30, label: "30 minutes" }, { minutes: 60, label: "1 hour" },
  { minutes: 180, label: "3 hours" }, { minutes: 1_440, label: "1 day" }, { minutes: 2_880, label: "2 days" },
  { minutes: 10_080, label: "1 week" },
];

export const leadsMax = 5;

/** `45 minutes`, `2 hours`, `3 days`. */
export function leadLabel(minutes) {
  const known = leadChoices.find((choice) => choice.minutes === minutes);
  if (known) return known.label;
  /** @type {[length: number, unit: string][]} */
  const units = [[1_440, "day"], [60, "hour"], [1, "minute"]];
  const [length, unit] = units.find(([size]) => minutes % size === 0);
  const value = minutes / length;
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}

/** The problem of an address of a channel, or null. An empty one for mail is the account's. */
export function addressProblem(channel, text) {
  const address = text.trim();
  if (channel === "email") {
    const isMail = address === "" || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address);
    return isMail ? null : "Enter an email address, such as anna@example.org.";
  }
  return /^\+[1-9]\d{6,14}$/.test(plainNumber(address)) ? null : "Enter a number with country code, such as +65 9123 4567.";
}

/** A phone number without the characters that people write between its digits. */
export function plainNumber(text) {
  return text.trim().replace(/[\s().-]/g, "");
}

/** The problem of a code, or null. */
export function codeProblem(text) {
  return /^\d{6}$/.test(text.trim()) ? null : "Enter the six-digit code.";
}

/** The problem of the minutes that a message is unread, or null. */
export function minutesProblem(text) {
  const minutes = Number(text);
  return /^\d+$/.test(text.trim()) && minutes >= 1 && minutes <= 1_440 ? null : "Enter a number of minutes from 1 to 1440 (one day).";
}

/** The choices with one channel of a kind switched on or off. */
export function switched(choices, kind, channel, isOn) {
  const switchedOf = (chosen) => [...chosen.filter((id) => id !== channel), ...(isOn ? [channel] : [])];
  return choices.map((choice) => (choice.kind === kind ? { ...choice, channels: switchedOf(choice.channels) } : choice));
}
