// What is kept of somebody, in words, and where it is seen or erased. Pure.

import { count } from "../format.js";

/** What may be switched on, in the order it is shown. `forgets` is what goes when it is switched off: the kind of data, and in words. */
export const switches = [
  { id: "heatmap", label: "Count me in the heatmap", hint: "The map shows about how many people are where, only where there are enough of them, and never who. You count while Campanile is open on a device that may say where you are." },
  { id: "visits", label: "Note where I often am", hint: "Places where you spend five minutes or more while Campanile is open on a device that may say where you are, by day, for “Most visited” among your places. Nobody else sees them.", forgets: { kind: "visits", words: "visits" } },
  { id: "searches", label: "Keep what I search for", hint: "What you searched for on the map is offered again. Nobody else sees it.", forgets: { kind: "searches", words: "searches" } },
  { id: "residences", label: "Show me in residences, too", hint: "While this is off, nobody sees you in dormitories and other homes of the campus, and your routes have a gap there." },
];

/** The sizes of private zones, of which the Sharing article tells; `metres` is the smallest radius, also of the soft area on the map. */
export const zoneSizes = [
  { id: "small", label: "Small", words: "hides less", metres: 300 },
  { id: "medium", label: "Medium", words: "right for most", metres: 500 },
  { id: "large", label: "Large", words: "hides most", metres: 1000 },
];
/** A true radius is up to so many times the smallest: which, is secret. */
const radiusSpread = 1.5;
/** What is suggested. */
export const zoneSizeDefault = "medium";
/** What to know before choosing. */
export const zoneSizeHint = "Choose a small one only where many people live close together: around a house that stands alone it hides less, and whoever sees your routes often can guess more.";

/** `Medium: a radius of 500 to 750 m, right for most`. */
export function sizeWords(size) {
  const found = zoneSizes.find(({ id }) => id === size);
  if (!found) return String(size);
  const [least, most] = [found.metres, found.metres * radiusSpread].map((metres) => metres.toLocaleString("en"));
  return `${found.label}: a radius of ${least} to ${most} m, ${found.words}`;
}

/**
 * Kinds of data by their names on the wire: what they are, and `page`, where they are seen, changed and erased. `noun` is
 * for what one tap can erase.
 */
export const kinds = {
  account: { label: "Account", hint: "Username, email address, role", page: "/account" },
  devices: { label: "Where you are logged in", page: "/account" },
  formerDevices: { label: "Where you were logged in", hint: "Devices that are logged out" },
  profile: { label: "Profile", hint: "Names, birthday, gender", page: "/buddies/profile" },
  sessions: { label: "Recorded sessions", hint: "Runs and rides with their routes", page: "/history" },
  goal: { label: "Goal of the month", page: "/account" },
  pictures: { label: "Pictures" },
  buddyProfile: { label: "Buddy profile", page: "/buddies/profile" },
  decisions: { label: "Answers to suggested buddies" },
  buddies: { label: "Buddies", page: "/chats" },
  blocked: { label: "People you blocked", page: "/chats/settings" },
  reports: { label: "Reports you sent" },
  conversations: { label: "Conversations", page: "/chats" },
  messages: { label: "Messages you wrote", page: "/chats" },
  retracted: { label: "Earlier versions of your messages", hint: "What you changed or deleted, in case it is reported" },
  reactions: { label: "Reactions to messages", page: "/chats" },
  chatSettings: { label: "Chat settings", page: "/chats/settings" },
  events: { label: "Events you made", page: "/events" },
  answers: { label: "Answers to events", page: "/events" },
  calendar: { label: "Address of your calendar", page: "/events" },
  noticesSent: { label: "Notices you sent", page: "/notices/sent" },
  notices: { label: "Notices you received and read", page: "/notices" },
  noticesToYou: { label: "Notices sent to you alone" },
  noticeSettings: { label: "Settings of notices", hint: "Zones you follow, quiet hours", page: "/settings/notifications" },
  reminderSettings: { label: "Settings of reminders", page: "/settings/notifications" },
  reminderAddresses: { label: "Where reminders go", page: "/settings/notifications" },
  reminders: { label: "Reminders sent and waiting" },
  publications: { label: "What apps published for you" },
  actionsAsAdmin: { label: "What you did as an admin" },
  actionsByAdmins: { label: "What admins did with your account" },
  savedPlaces: { label: "Saved places", noun: "saved places", page: "/map/places" },
  searches: { label: "Searches", noun: "searches", page: "/map/places" },
  visits: { label: "Places you were at", noun: "places you were at", page: "/map/places" },
  privacySettings: { label: "Privacy settings", page: "/settings/privacy" },
  privateZones: { label: "Private zones", page: "/settings/privacy" },
  shares: { label: "Shares of your location", page: "/sharing" },
  watchedBy: { label: "Receipts: who watched", hint: "Who saw where you are, when and how exactly", page: "/sharing" },
  watched: { label: "Shares you looked at", hint: "Others see it in their receipts", page: "/sharing" },
  questions: { label: "“Where are you now?”", hint: "Questions you asked and were asked", page: "/sharing" },
};

/** The methods that erase all of a kind at once, without a word more. */
const erasesAll = new Set(["saved.remove", "searches.erase", "visits.erase"]);

/** `{label, hint, page, noun, count, time, erase}` of one `KeptData`; `erase` is the method of a button, or null. An unknown kind is spelled out from its name. */
export function keptWords({ kind, count: there, days, erase }) {
  const spelled = String(kind).replace(/([A-Z])/g, " $1").toLowerCase().trim();
  const { label = `${spelled.charAt(0).toUpperCase()}${spelled.slice(1)}`, hint = null, page = null, noun = spelled } = kinds[kind] ?? {};
  const time = days === null || days === undefined ? "as long as your account" : days >= 730 ? `${Math.round(days / 365)} years` : count(days, "day");
  return { kind, label, hint, page, noun, count: there, time, erase: there > 0 && erasesAll.has(erase) ? erase : null };
}

/** What there is of each, what there is nothing of last; both in the order of the server. */
export function keptInOrder(kept) {
  const all = kept.map(keptWords);
  return { some: all.filter(({ count }) => count > 0), none: all.filter(({ count }) => count === 0) };
}
