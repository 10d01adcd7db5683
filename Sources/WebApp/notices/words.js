// Texts about notices: level, sender, audience, status. Pure.

import { count, dayText, timeText } from "../kit/format.js";

/** How much a notice matters, in plain words; least first. */
export const levels = [
  { id: "info", label: "Info", icon: "info", hint: "Good to know. It is counted at the bell; people look when they have time." },
  { id: "important", label: "Important", icon: "important", hint: "It pops up and stays until it is closed. It waits while somebody is not to be disturbed." },
  { id: "emergency", label: "Emergency", icon: "warning", hint: "A banner for everybody at once, also during a run and at night. For danger only." },
];

export const levelOf = (id) => levels.find((level) => level.id === id) ?? levels[0];

/** Roles that a notice can be for, in plain words. */
export const roles = [
  { id: "student", label: "Students" }, { id: "lecturer", label: "Lecturers" }, { id: "rewards", label: "Rewards managers" }, { id: "admin", label: "Admins" },
];

const roleNames = { student: "a student", lecturer: "a lecturer", rewards: "a rewards manager", admin: "an admin" };

/** From whom; `nameOf` gives the name of who has a username. */
export function fromText({ from }, nameOf = (username) => username) {
  if (!from) return "From somebody whose account is gone";
  const role = roleNames[from.role] ?? from.role;
  return from.username ? `From ${nameOf(from.username)}, ${role}` : `From ${role}`;
}

/** To whom, `campus` knows the zones' names: `{text, path}`; `path` leads to what it is about. */
export function toText({ to }, { campus, isMine = true, eventTitle = null, person = null } = {}) {
  switch (to.kind) {
    case "campus": return { text: "The whole campus", path: null };
    case "zone": return { text: campus?.zones?.find(({ id }) => id === to.zone)?.name ?? `Zone ${to.zone}`, path: null };
    case "role": return { text: roles.find(({ id }) => id === to.role)?.label ?? to.role, path: null };
    case "event": return { text: eventTitle ? `Who comes to ${eventTitle}` : "Who comes to an event", path: `/events/${to.event}` };
    default: return { text: isMine ? "You" : person ?? (to.account ? `Account ${to.account}` : "One person"), path: null };
  }
}

/** `until 18:00` today, or with its date. */
export function untilText(expiresAt, now) {
  const isToday = new Date(expiresAt).toDateString() === new Date(now).toDateString();
  return `until ${isToday ? "" : `${dayText(expiresAt)}, `}${timeText(expiresAt)}`;
}

/** Where a notice that was sent stands. */
export const stateNames = { scheduled: "Scheduled", published: "Sent", withdrawn: "Withdrawn", expired: "Expired" };

/** How the server counts people: a multiple of five, where 0 is fewer than five. */
export function peopleText(people) {
  return people < 5 && people !== 1 ? "fewer than 5 people" : people === 1 ? "1 person" : `about ${count(people, "person", "people")}`;
}

/** Who gets a notice for `kind`: `About 120 people get it`. */
export function reachText(kind, { people }) {
  if (kind === "user") return "One person gets it";
  if (kind === "event") return "Everyone who is going, might go or is invited gets it";
  const text = peopleText(people);
  if (kind === "zone") return `Everyone who follows the zone gets it (${text}), and everyone who is out there when it goes out`;
  return `${text[0].toUpperCase()}${text.slice(1)} get it`;
}

/** `71 %` of `whole`; nothing of nothing. */
export function shareOf(part, whole) {
  return whole > 0 ? Math.min(100, Math.round((part / whole) * 100)) : 0;
}

/** What a notification says: `{title, body}`. Emergencies are never hidden. */
export function alertWords({ notice, isCorrection, hidesText }) {
  const isEmergency = notice.level === "emergency";
  if (hidesText && !isEmergency) return { title: "Campanile", body: "There is a notice for you." };
  const before = `${isEmergency ? "Emergency: " : ""}${isCorrection ? "Corrected: " : ""}`;
  return { title: before + notice.title, body: notice.body ?? "" };
}
