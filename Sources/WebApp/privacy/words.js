// Texts about the stored data of a person, and where the person can see or erase it. Pure.

import { count } from "../kit/format.js";
import { metresBetween } from "../map/motion.js";

/** What may be switched on, in the order it is shown. `forgets` is what goes when it is switched off: the kind of data, and in words. */
export const switches = [
  { id: "heatmap", label: "Count me in the heatmap",
    hint: "The heatmap shows about how many people are in a place, never who. You count while Campanile is open with "
      + "location allowed." },
  { id: "visits", label: "Remember places I visit often",
    hint: "Places where you spend five minutes with Campanile open and location allowed. Only you see them, in Places.",
    forgets: { kind: "visits", words: "visits" } },
  { id: "searches", label: "Remember my searches", hint: "Your recent map searches are suggested again. Only you see them.",
    forgets: { kind: "searches", words: "searches" } },
  { id: "residences", label: "Show me in residences",
    hint: "When this is off, nobody sees you in dormitories and other campus homes, and your routes leave them out." },
];

/**
 * The sizes of private zones. `metres` is the smallest radius, also of the soft area on the map. `found` is the part of homes that the best
 * of the Sharing article's attacks finds within 50 m (`campanile-bench privacy`, 200 homes, 20 commutes each); that of `large` is the
 * figure of `medium`.
 */
export const zoneSizes = [
  { id: "tiny", label: "Very small", metres: 150, found: 0.35 },
  { id: "small", label: "Small", metres: 300, found: 0.055 },
  { id: "medium", label: "Medium", metres: 500, found: 0.005 },
  { id: "large", label: "Large", metres: 1000, found: 0.005 },
];
/** A true radius is up to so many times the smallest: which, is secret. */
const radiusSpread = 1.5;
/** A zone withstands the attacks while they find no larger part of homes. */
const foundMax = 0.1;
/** The smallest size that withstands: what is recommended where the campus has room for it. */
const withstanding = zoneSizes.find(({ found }) => found <= foundMax);
/** No size is recommended that hides a larger part of the campus: who chose it would be seen hardly anywhere. */
const hiddenPartMax = 0.25;
/** A zone's area is on average so many times that of the smallest radius's square. */
const meanArea = (Math.PI * (1 + radiusSpread + radiusSpread ** 2)) / 3;

/** A zone's area as part of the campus's (`{south, west, north, east}`). */
function areaPart({ metres }, { south, west, north, east }) {
  const lat = (south + north) / 2;
  const width = metresBetween({ lat, lon: west }, { lat, lon: east });
  const height = metresBetween({ lat: south, lon: west }, { lat: north, lon: west });
  return (meanArea * metres ** 2) / (width * height);
}

/**
 * The size that is recommended on a campus: the smallest that withstands, or, where that hides more than a quarter of the campus,
 * the largest below it that hides less; null where none does. Before the campus is known, as for one with room.
 */
export function recommendedSize(bounds) {
  if (!bounds || areaPart(withstanding, bounds) <= hiddenPartMax) return withstanding.id;
  return zoneSizes.findLast((zone) => zone.metres < withstanding.metres && areaPart(zone, bounds) <= hiddenPartMax)?.id ?? null;
}

/** What to know before choosing. */
export function zoneSizeHint(bounds) {
  const size = recommendedSize(bounds);
  const found = "in a smaller zone, people who see many of your routes could find it";
  if (size === withstanding.id) return `For your home, choose the recommended size or a larger one: ${found}.`;
  const { label } = withstanding;
  const home = `For your home, “${label}” or larger protects more: ${found}.`;
  return size === null
    ? `This campus is small: every size hides you on more than a quarter of it. ${home}`
    : `This campus is small: “${label}” would hide you on more than a quarter of it. ${home}`;
}

/** `Small: 300 to 450 m around, recommended`. */
export function sizeWords(size, bounds = null) {
  const zone = zoneSizes.find(({ id }) => id === size);
  if (!zone) return String(size);
  const [least, most] = [zone.metres, zone.metres * radiusSpread].map((metres) => metres.toLocaleString("en"));
  const recommended = recommendedSize(bounds);
  const isWeak = zone.found > foundMax;
  const note = zone.id === recommended ? `, recommended${isWeak ? " here, protects less" : ""}`
    : isWeak ? ", not for a home" : recommended !== withstanding.id && zone === withstanding ? ", protects a home" : "";
  return `${zone.label}: ${least} to ${most} m around${note}`;
}

/** How far the middle of a zone is from its place, as part of the radius (`SecretZone.offsetShare`). */
const offsetShare = [0.3, 0.7];
const steps = 5;
const directions = 16;
const gridSteps = 28;
/** No zone reaches farther from its place, in smallest radii. */
const reachMax = radiusSpread * (1 + offsetShare[1]);
const chanceSteps = 64;
let chances = null;

/** The chance that a zone hides a point so far from its place, in smallest radii: where its middle is and how large it is, is secret. */
function hidesChance(distance) {
  chances ??= Array.from({ length: chanceSteps }, (_, index) => chanceAt(((index + 0.5) / chanceSteps) * reachMax));
  return chances[Math.floor((distance / reachMax) * chanceSteps)] ?? 0;
}

function chanceAt(distance) {
  let inside = 0;
  for (let size = 0; size < steps; size += 1) {
    const radius = 1 + ((size + 0.5) / steps) * (radiusSpread - 1);
    for (let far = 0; far < steps; far += 1) {
      const offset = radius * (offsetShare[0] + ((far + 0.5) / steps) * (offsetShare[1] - offsetShare[0]));
      for (let turn = 0; turn < directions; turn += 1) {
        const angle = ((turn + 0.5) / directions) * 2 * Math.PI;
        if (Math.hypot(distance - offset * Math.cos(angle), offset * Math.sin(angle)) <= radius) inside += 1;
      }
    }
  }
  return inside / (steps * steps * directions);
}

/** About which part of the campus (`{south, west, north, east}`) a zone of this size around `{lat, lon}` hides, 0 to 1. */
export function hiddenShare(size, place, bounds) {
  const zone = zoneSizes.find(({ id }) => id === size);
  if (!zone || !bounds) return null;
  let sum = 0;
  for (let row = 0; row < gridSteps; row += 1) {
    for (let column = 0; column < gridSteps; column += 1) {
      const lat = bounds.south + ((row + 0.5) / gridSteps) * (bounds.north - bounds.south);
      const lon = bounds.west + ((column + 0.5) / gridSteps) * (bounds.east - bounds.west);
      sum += hidesChance(metresBetween(place, { lat, lon }) / zone.metres);
    }
  }
  return sum / (gridSteps * gridSteps);
}

/** `Small hides about 34 % of the campus from this place.` */
export function hiddenShareText(size, place, bounds) {
  const share = hiddenShare(size, place, bounds);
  if (share === null) return "";
  const { label } = zoneSizes.find(({ id }) => id === size);
  const percent = Math.round(share * 100);
  if (percent === 0) return `${label} hides you nowhere on campus.`;
  return `${label} hides you on about ${percent} % of campus.`;
}

/**
 * Kinds of data by their names on the wire: what they are, and `page`, where they are seen, changed and erased. `noun` is
 * for what one tap can erase.
 */
export const kinds = {
  account: { label: "Account", hint: "Username, email address, role, picture", page: "/settings/account" },
  formerUsernames: { label: "Former usernames", hint: "Nobody else can take one for 90 days" },
  settings: { label: "Settings", hint: "Theme, units, default audience, location, tutorial", page: "/settings" },
  devices: { label: "Devices", page: "/settings/security" },
  providers: { label: "Other ways to log in", hint: "Accounts at Google and others that log you in", page: "/settings/security" },
  passkeys: { label: "Passkeys", hint: "Their names and when you used them", page: "/settings/security" },
  authenticatorApp: { label: "Authenticator app", hint: "When you set it up", page: "/settings/security" },
  newAddress: { label: "Email to confirm", hint: "An email that waits for its code" },
  formerDevices: { label: "Past devices", hint: "Devices you logged out" },
  profile: { label: "Profile", hint: "Names, birthday, gender, degree, interests, home location", page: "/settings/profile" },
  sessions: { label: "Sessions", hint: "Runs and rides with their routes", page: "/history" },
  goal: { label: "Monthly goal", page: "/account" },
  managedPlaces: { label: "Places whose page you edit" },
  closures: { label: "Closures you entered", page: "/admin/closures" },
  pictures: { label: "Pictures" },
  buddyProfile: { label: "Buddy profile", page: "/buddies/profile" },
  decisions: { label: "Accepted and passed suggestions" },
  buddies: { label: "Buddies", page: "/chats" },
  blocked: { label: "People you blocked", page: "/chats/settings" },
  reports: { label: "Reports you sent" },
  conversations: { label: "Chats", page: "/chats" },
  messages: { label: "Messages you sent", page: "/chats" },
  retracted: { label: "Earlier versions of your messages", hint: "Edited or deleted messages, in case they're reported" },
  reactions: { label: "Reactions", page: "/chats" },
  chatSettings: { label: "Chat settings", page: "/chats/settings" },
  events: { label: "Events you created", page: "/events" },
  answers: { label: "Event answers", page: "/events" },
  calendar: { label: "Calendar link", page: "/events" },
  noticesSent: { label: "Notices you sent", page: "/notices/sent" },
  notices: { label: "Notices you received and read", page: "/notices" },
  noticesToYou: { label: "Notices sent to you alone" },
  noticeSettings: { label: "Notice settings", hint: "Zones you follow, quiet hours", page: "/settings/notifications" },
  reminderSettings: { label: "Reminder settings", page: "/settings/notifications" },
  reminderAddresses: { label: "Reminder addresses", page: "/settings/notifications" },
  reminders: { label: "Sent and waiting reminders" },
  accountMails: { label: "Emails about your account" },
  publications: { label: "Published by apps for you" },
  actionsAsAdmin: { label: "Your entries in the admin log" },
  actionsByAdmins: { label: "Admin log entries about you" },
  savedPlaces: { label: "Saved places", noun: "saved places", page: "/map/places" },
  searches: { label: "Searches", noun: "searches", page: "/map/places" },
  visits: { label: "Visits", noun: "visits", page: "/map/places" },
  privacySettings: { label: "Privacy settings", page: "/settings/privacy" },
  privateZones: { label: "Private zones", page: "/settings/privacy" },
  shares: { label: "Locations you shared", page: "/sharing" },
  watchedBy: { label: "Who watched", hint: "Who saw your location, when and how precisely", page: "/sharing" },
  watched: { label: "Locations you watched", hint: "The people who shared them can see this", page: "/sharing" },
  bodyData: { label: "Body data", hint: "Height, conditions, goals, heart rates; only you see it", page: "/body" },
  weights: { label: "Weights", hint: "Only you see them", page: "/body" },
  injuries: { label: "Injuries", hint: "Only you see them", page: "/body" },
  workouts: { label: "Workouts", hint: "Also copies that buddies gave you", page: "/workouts" },
  trainings: { label: "Trainings", hint: "Sets, heart rates and notes; only you see them", page: "/trainings" },
  insightSettings: { label: "Training goals", page: "/insights" },
  insightDays: { label: "Steps and resting heart rates you entered", page: "/insights" },
  liveGroups: { label: "Groups you started", hint: "To train together", page: "/together" },
  liveGroupMemberships: { label: "Groups you trained with", hint: "Also invitations. Progress isn't kept", page: "/together" },
  questions: { label: "Location requests", hint: "Sent and received", page: "/sharing" },
};

/** The methods that erase all of a kind at once, without a word more. */
const erasesAll = new Set(["saved.remove", "searches.erase", "visits.erase"]);

/**
 * `{label, hint, page, noun, count, time, erase}` of one `KeptData`; `erase` is the method of a button, or null. An unknown kind is spelled
 * out from its name.
 */
export function keptWords({ kind, count: there, days, erase }) {
  const spelled = String(kind).replace(/([A-Z])/g, " $1").toLowerCase().trim();
  const { label = `${spelled.charAt(0).toUpperCase()}${spelled.slice(1)}`, hint = null, page = null, noun = spelled } = kinds[kind] ?? {};
  const time = days === null || days === undefined ? "as long as your account" : days >= 730 ? `${Math.round(days / 365)} years`
    : count(days, "day");
  return { kind, label, hint, page, noun, count: there, time, erase: there > 0 && erasesAll.has(erase) ? erase : null };
}

/** What there is of each, what there is nothing of last; both in the order of the server. */
export function keptInOrder(kept) {
  const all = kept.map(keptWords);
  return { some: all.filter(({ count }) => count > 0), none: all.filter(({ count }) => count === 0) };
}
