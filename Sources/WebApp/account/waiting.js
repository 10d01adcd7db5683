// What this device has not sent yet, of all features: for the list in the settings and for the report of a loss. Pure.

import { count } from "../kit/format.js";
import { unsentRuns } from "./unsentruns.js";

/** What waits in the databases of this device, in words; an empty text for nothing. The browser may remove them. */
export function waitingInDatabases({ tracker, chat }) {
  const messages = chat.sender.entries.length;
  return [unsentRuns(tracker).text, messages > 0 ? count(messages, "message") : ""].filter(Boolean).join(" and ");
}

/** Methods of `net.writes`, the page that shows their changes, and what they change. */
const writtenGroups = /** @type {[RegExp, string, string][]} */ ([
  [/^events\./, "/events", " to your events"], [/^saved\./, "/map/places", " to your saved places"],
  [/^(searches|visits)\./, "/map/places", " to your searches and visits"], [/^goals\./, "/history", " to your goal"],
  [/^tracking\./, "/history", " to your sessions"], [/^privacy\./, "/settings/privacy", " to your privacy settings"],
  [/^(reminders|notices)\./, "/settings/notifications", " to your notification settings"],
  [/^chat\.saveSettings/, "/chats/settings", " to your chat settings"], [/^(chat\.(?!saveSettings)|group\.)/, "/chats", " to your chats"],
  [/^(safety|buddies)\./, "/chats/settings", " to blocked people and buddies"],
]);

/**
 * All that waits, as `{text, path, isRefused, methods?}` each: in words, the page that shows it, whether the server has refused it, and for
 * changes of `net.writes` their methods, with which they can be discarded.
 */
export function waitingChanges({ tracker, chat, profileEdits, settings, sharing, notices, net }) {
  const changes = net.writes.waiting;
  const numberOf = (...methods) => changes.filter(({ method }) => methods.includes(method)).length;
  const counted = (number, one, path, { of = "", isRefused = false } = {}) => (
    number > 0 ? { text: `${count(number, one)}${of}`, path, isRefused } : null);
  const written = (methods, path, of) => {
    const one = counted(numberOf(...methods), "change", path, { of });
    return one && { ...one, methods };
  };
  const { entries } = chat.sender;
  const refused = entries.filter(({ problem }) => problem).length;
  const runs = unsentRuns(tracker).text;
  return [
    runs === "" ? null : { text: runs, path: "/history", isRefused: false },
    counted(entries.length - refused, "message", "/chats"),
    counted(refused, "message", "/chats", { isRefused: true }),
    ...writtenGroups.map(([start, path, of]) => {
      const methods = [...new Set(changes.map(({ method }) => method).filter((method) => start.test(method)))];
      return written(methods, path, of);
    }),
    counted(profileEdits.waiting, "change", "/settings/profile", { of: " to your profile" }),
    counted(settings.waiting, "setting", "/settings"),
    sharing.isStopping() ? { text: "The end of a location share", path: "/sharing", isRefused: false } : null,
    counted(notices.waiting, "read notice", "/notices"),
  ].filter((one) => one !== null);
}
