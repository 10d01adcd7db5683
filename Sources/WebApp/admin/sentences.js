// Sentences for the entries of the audit log. Pure.

import { roleNames } from "./parts.js";

/** Which actions there are, for the filter: `value` as `admin.audit` takes it. */
export const actionGroups = [
  { label: "People", all: "user.",
    actions: [["user.add", "Added"], ["user.welcome", "New welcome link"], ["user.edit", "Changed"], ["user.disable", "Disabled"],
      ["user.rename", "Changed their username"],
      ["user.enable", "Enabled again"], ["user.signOut", "Logged out"], ["user.sendReset", "Reset link sent"],
      ["user.resetSecondFactor", "Two-step log-in reset"],
      ["user.view", "Viewed"], ["user.delete", "Deleted"],
      ["user.erase", "Deleted by themselves"]] },
  { label: "Places", all: "place.",
    actions: [["place.add", "Added"], ["place.edit", "Changed"], ["place.editPage", "Page changed"],
      ["place.delegate", "Given to an editor"], ["place.delete", "Removed"]] },
  { label: "Zones", all: "zone.", actions: [["zone.add", "Added"], ["zone.edit", "Changed"], ["zone.delete", "Removed"]] },
  { label: "Reports", all: "report.", actions: [["report.close", "Closed"]] },
  { label: "Events", all: "event.", actions: [] },
  { label: "Notices", all: "notice.", actions: [] },
];

const kindNames = { user: "", place: "the place ", zone: "the zone ", report: "the report about ", event: "the event ",
  notice: "the notice " };
const verbs = { create: "made", add: "added", edit: "changed", update: "changed", publish: "published", cancel: "cancelled",
  delete: "deleted", close: "closed", correct: "corrected", withdraw: "withdrew", schedule: "scheduled" };
const reasonNames = { spam: "spam", harassment: "harassment", unsafe: "feels unsafe", fake: "fake person", other: "something else" };

const roleWords = (text) => text.split(" → ").map((role) => roleNames[role] ?? role).join(" → ");

const known = {
  "user.add": { verb: "added", rest: ({ role }) => (role ? ` as ${roleNames[role] ?? role}` : "") },
  "user.welcome": { verb: "created a new welcome link for" },
  "user.edit": { verb: "changed",
    rest: (details) =>
      `: ${Object.entries(details).map(([name, value]) => `${name} ${name === "role" ? roleWords(value) : value}`).join(", ")}` },
  "user.rename": { verb: "changed their own username,", rest: ({ username }) => (username ? `: ${username}` : "") },
  "user.disable": { verb: "disabled", rest: ({ reason }) => (reason ? `: ${reason}` : "") },
  "user.enable": { verb: "enabled", rest: () => " again" },
  "user.signOut": { verb: "logged", rest: () => " out everywhere" },
  "user.sendReset": { verb: "sent a link for a new password to" },
  "user.resetSecondFactor": { verb: "reset the two-step log-in of" },
  "user.view": { verb: "viewed the account of" },
  "user.erase": { verb: "deleted their own account,", rest: () => "" },
  "user.delete": { verb: "deleted the account of", rest: ({ role }) => (role ? ` (${roleNames[role] ?? role})` : "") },
  "place.add": { verb: "added" },
  "place.editPage": { verb: "changed the page of" },
  "place.delegate": { verb: "chose who edits", rest: ({ manager }) => (manager ? `: ${manager}` : "") },
  "place.delete": { verb: "removed" },
  "zone.add": { verb: "added" },
  "zone.edit": { verb: "changed", rest: ({ shape }) => (shape ? " and its outline" : "") },
  "zone.delete": { verb: "removed" },
  "report.close": { verb: "closed",
    rest: ({ reason, resolution }) => `${reason ? ` (${reasonNames[reason] ?? reason})` : ""}${resolution ? `: ${resolution}` : ""}` },
};

/** `{actor, verb, kind, subject, rest}` of an audit entry: `anna`, `disabled`, ``, `ben`, `: spam`. `kind` and `rest` may be empty. */
export function sentenceOf({ action, actorName, subject, details }) {
  const facts = Object.fromEntries((details ?? []).map(({ name, value }) => [name, value]));
  const way = known[action];
  const [area, what] = String(action).split(".");
  const verb = way?.verb ?? verbs[what] ?? `did “${action}” to`;
  const others = () => {
    const list = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
    return list.length > 0 ? `: ${list.join(", ")}` : "";
  };
  return { actor: actorName, verb, kind: subject ? kindNames[subject.kind ?? area] ?? "" : "", subject: subject?.name ?? "",
    rest: (way ? way.rest?.(facts) : others()) ?? "" };
}

/** The sentence as plain words: `anna disabled ben: spam`. */
export function sentenceText(entry) {
  const { actor, verb, kind, subject, rest } = sentenceOf(entry);
  return `${actor} ${verb} ${kind}${subject}${rest}`;
}

/** Where what an entry is about can be looked at, or null. */
export function pathOf({ action, subject }) {
  if (!subject?.id || action.endsWith(".delete")) return null;
  switch (subject.kind) {
    case "user": return `/admin/users/${subject.id}`;
    case "place": return `/admin/places?place=${subject.id}`;
    case "zone": return `/admin/places?zone=${subject.id}`;
    case "event": return `/events/${subject.id}`;
    case "report": return "/reports";
    default: return null;
  }
}
