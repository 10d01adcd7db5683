// Texts about notices: level, sender, audience, status. Pure.

import { count, dayText, timeText } from "../kit/format.js";

/** More toasts at once than these are one. */
const toastsAtOnceMax = 3;

/** Levels of a notice, in plain words; the least important first. */
export const levels = [
  { id: "info", label: "Info", icon: "info", hint: "Pops up briefly. Waits during quiet hours and sessions." },
  {
    id: "important", label: "Important", icon: "important",
    hint: "Pops up and stays until closed. Waits during quiet hours and sessions.",
  },
  {
    id: "emergency", label: "Emergency", icon: "warning",
    hint: "A banner right away, even during a session and at night. For danger only.",
  },
];

export const levelOf = (id) => levels.find((level) => level.id === id) ?? levels[0];

/** Roles that a notice can be for, in plain words. */
export const roles = [
  { id: "student", label: "Students" }, { id: "lecturer", label: "Lecturers" }, { id: "rewards", label: "Rewards managers" },
  { id: "admin", label: "Admins" },
];

const roleNames = { student: "a student", lecturer: "a lecturer", rewards: "a rewards manager", admin: "an admin" };

/** The sender in words; `nameOf` gives the name of an account by its username. */
export function fromText({ from }, nameOf = (username) => username) {
  if (!from) return "From a deleted account";
  const role = roleNames[from.role] ?? from.role;
  return from.username ? `From ${nameOf(from.username)}, ${role}` : `From ${role}`;
}

/** The audience in words: `{text, path}`; `campus` has the names of zones, `path` leads to the event that the notice is about. */
export function toText({ to }, { campus = null, isMine = true, eventTitle = null, person = null } = {}) {
  switch (to.kind) {
    case "campus": return { text: "The whole campus", path: null };
    case "zone": return { text: campus?.zones?.find(({ id }) => id === to.zone)?.name ?? `Zone ${to.zone}`, path: null };
    case "role": return { text: roles.find(({ id }) => id === to.role)?.label ?? to.role, path: null };
    case "event": return { text: eventTitle ? `Attendees of ${eventTitle}` : "Attendees of an event", path: `/events/${to.event}` };
    default: return { text: isMine ? "You" : person ?? (to.account ? `Account ${to.account}` : "One person"), path: null };
  }
}

/** `until 18:00` today, or with its date. */
export function untilText(expiresAt, now) {
  const isToday = new Date(expiresAt).toDateString() === new Date(now).toDateString();
  return `until ${isToday ? "" : `${dayText(expiresAt)}, `}${timeText(expiresAt)}`;
}

/** Names of the states of a notice that was sent. */
export const stateNames = { scheduled: "Scheduled", published: "Sent", withdrawn: "Withdrawn", expired: "Expired" };

/** A number of people as the server counts them: a multiple of five, where 0 is fewer than five. */
export function peopleText(people) {
  return people < 5 && people !== 1 ? "fewer than 5 people" : people === 1 ? "1 person" : `about ${count(people, "person", "people")}`;
}

/** The people of an audience in words: `About 120 people get it`. */
export function reachText(kind, { people }) {
  if (kind === "user") return "Reaches one person";
  if (kind === "event") return "Reaches everyone who is going, might go or is invited";
  const text = peopleText(people);
  if (kind === "zone") return `Reaches everyone who follows the zone (${text}) and everyone there when you send it`;
  return `${text[0].toUpperCase()}${text.slice(1)} get it`;
}

/** Percent of `whole`; 0 of 0. */
export function shareOf(part, whole) {
  return whole > 0 ? Math.min(100, Math.round((part / whole) * 100)) : 0;
}

/**
 * Alerts for notices that arrived, each `{notice, isCorrection}`: `{notifications, toasts, isSummary}`. With `isSummary` one toast stands
 * for all. `username` is that of the account; `isOnPage` is whether the page of notices is shown. An emergency has no toast: its banner is
 * shown. For chats and events see `alertKind` (kit/notifications.js).
 */
export function alertPlan(arrived, { username, isVisible, isOnPage, isRecording, isAllowed }) {
  const isEmergency = ({ notice }) => notice.level === "emergency";
  const isOwn = ({ notice }) => Boolean(notice.from?.username) && notice.from.username === username;
  const isNotified = (one) => isAllowed && !isVisible && (isEmergency(one) || !isRecording);
  // Senders know their notices, and the page of notices shows them itself.
  const alerted = arrived.filter((one) => isEmergency(one) || (!isOwn(one) && !(isVisible && isOnPage)));
  const toasts = alerted.filter((one) => !isEmergency(one) && (!isNotified(one) || one.notice.level === "important"));
  return { notifications: alerted.filter(isNotified), toasts, isSummary: toasts.length > toastsAtOnceMax };
}

/** The text of a notification: `{title, body}`. Emergencies are never hidden. */
export function alertWords({ notice, isCorrection, hidesText }) {
  const isEmergency = notice.level === "emergency";
  if (hidesText && !isEmergency) return { title: "Campanile", body: "You have a new notice." };
  const before = `${isEmergency ? "Emergency: " : ""}${isCorrection ? "Corrected: " : ""}`;
  return { title: before + notice.title, body: notice.body ?? "" };
}
