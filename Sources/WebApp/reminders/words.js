// Names of reminders, and errors of typed values. Pure.

export const kinds = [
  { id: "event", label: "Events", hint: "Before one begins, and when one changes" },
  { id: "message", label: "Messages", hint: "That you have not read" },
  { id: "notice", label: "Notices", hint: "What the campus announces" },
  { id: "goal", label: "Goals", hint: "Near your goal, and when it is reached" },
];

export const channels = [
  { id: "push", label: "Browser", icon: "bell" }, { id: "email", label: "Email", icon: "mail" }, { id: "text", label: "Text", icon: "phone" },
];

/** Times before an event to choose from, in minutes. */
export const leadChoices = [
  { minutes: 15, label: "15 minutes" }, { minutes: 30, label: "30 minutes" }, { minutes: 60, label: "1 hour" }, { minutes: 180, label: "3 hours" },
  { minutes: 1_440, label: "1 day" }, { minutes: 2_880, label: "2 days" }, { minutes: 10_080, label: "1 week" },
];

export const leadsMax = 5;

/** `45 minutes`, `2 hours`, `3 days`. */
export function leadLabel(minutes) {
  const known = leadChoices.find((choice) => choice.minutes === minutes);
  if (known) return known.label;
  const [value, unit] = minutes % 1_440 === 0 ? [minutes / 1_440, "day"] : minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return `${value} ${unit}${value === 1 ? "" : "s"}`;
}

/** What is wrong with an address of a channel, or null. An empty one for mail is the account's. */
export function addressProblem(channel, text) {
  const address = text.trim();
  if (channel === "email") return address === "" || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) ? null : "Please write an email address, such as anna@example.org.";
  return /^\+[1-9]\d{6,14}$/.test(plainNumber(address)) ? null : "Please write the number with its country, such as +65 9123 4567.";
}

/** A phone number without what people write between its digits. */
export function plainNumber(text) {
  return text.trim().replace(/[\s().-]/g, "");
}

/** What is wrong with a code, or null. */
export function codeProblem(text) {
  return /^\d{6}$/.test(text.trim()) ? null : "The code has six digits.";
}

/** What is wrong with the minutes that a message is unread, or null. */
export function minutesProblem(text) {
  const minutes = Number(text);
  return /^\d+$/.test(text.trim()) && minutes >= 1 && minutes <= 1_440 ? null : "A number of minutes from 1 to 1440, which is a day.";
}

/** The choices with one switched. */
export function switched(choices, kind, channel, isOn) {
  const others = (list) => list.filter((id) => id !== channel);
  return choices.map((choice) => (choice.kind === kind ? { ...choice, channels: isOn ? [...others(choice.channels), channel] : others(choice.channels) } : choice));
}
