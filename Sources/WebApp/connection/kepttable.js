// The methods whose last replies this device keeps, to show them without a network. Pure.
//
// Not in the table, and never kept: tokens, codes and devices of the account, admin pages, locations and sessions of other people and what
// they share, the suggestions of buddies, and anything of guests.

const kilobyte = 1_000;
const day = 86_400_000;

/** A reply is kept for so long after the server sent it, in ms. */
export const keptMillisecondsMax = 30 * day;
/** Of all replies of an account. */
export const keptBytesMax = 6_000 * kilobyte;

/**
 * Limits of a method: `replies` with different parameters, and `bytes` of one reply as JSON. `people`: the reply names other people, and is
 * removed when the account learns that it must not see somebody any more. `ownerOf(reply)`: only replies about the account are kept.
 * @type {Record<string, {replies: number, bytes: number, people?: boolean, ownerOf?: (reply: any) => number}>}
 */
export const keptMethods = {
  "account.data": { replies: 1, bytes: 20 * kilobyte },
  "account.profile": { replies: 1, bytes: 20 * kilobyte },
  "body.get": { replies: 1, bytes: 40 * kilobyte },
  "body.weights": { replies: 1, bytes: 200 * kilobyte },
  "buddies.me": { replies: 1, bytes: 40 * kilobyte },
  "buddies.options": { replies: 1, bytes: 60 * kilobyte },
  "chat.conversation": { replies: 40, bytes: 60 * kilobyte, people: true },
  "chat.history": { replies: 40, bytes: 120 * kilobyte, people: true },
  "chat.list": { replies: 1, bytes: 300 * kilobyte, people: true },
  "chat.settings": { replies: 1, bytes: 2 * kilobyte },
  "exercises.get": { replies: 60, bytes: 12 * kilobyte },
  "exercises.search": { replies: 4, bytes: 60 * kilobyte },
  "events.options": { replies: 1, bytes: 20 * kilobyte },
  "goals.get": { replies: 1, bytes: 4 * kilobyte },
  "insights.get": { replies: 4, bytes: 200 * kilobyte },
  "notices.settings": { replies: 1, bytes: 60 * kilobyte },
  "people.known": { replies: 1, bytes: 300 * kilobyte, people: true },
  "places.page": { replies: 40, bytes: 30 * kilobyte },
  "privacy.settings": { replies: 1, bytes: 4 * kilobyte },
  "privacy.zones": { replies: 1, bytes: 20 * kilobyte },
  "profile.get": { replies: 1, bytes: 20 * kilobyte },
  "reminders.settings": { replies: 1, bytes: 20 * kilobyte },
  "safety.blocked": { replies: 1, bytes: 60 * kilobyte, people: true },
  "saved.list": { replies: 1, bytes: 60 * kilobyte },
  "searches.list": { replies: 1, bytes: 20 * kilobyte },
  "tracking.history": { replies: 3, bytes: 150 * kilobyte },
  "tracking.links": { replies: 30, bytes: 20 * kilobyte },
  "tracking.session": { replies: 30, bytes: 500 * kilobyte, ownerOf: ({ session }) => session.owner.id },
  "training.current": { replies: 1, bytes: 400 * kilobyte },
  "training.get": { replies: 20, bytes: 300 * kilobyte },
  "training.list": { replies: 3, bytes: 60 * kilobyte },
  "visits.most": { replies: 1, bytes: 20 * kilobyte },
  "workouts.get": { replies: 40, bytes: 250 * kilobyte, people: true },
  "workouts.list": { replies: 5, bytes: 60 * kilobyte, people: true },
};

/** Parameters that do not change what a reply says. */
const sideEffects = new Set(["opens"]);

/** The key of a reply: the account, the method and its parameters in one order. */
export function keyOf(account, method, params = {}) {
  const given = Object.keys(params).filter((name) => params[name] !== undefined && !sideEffects.has(name)).sort();
  return `${account} ${method} ${JSON.stringify(given.map((name) => [name, params[name]]))}`;
}

/** Whether the reply to these parameters is kept: older pages of a list are not. */
export function isKept(method, params = {}) {
  return method in keptMethods && params.before === undefined;
}

/** Whether a reply is about the account, as far as only such replies of the method are kept. */
export function isOwn(account, method, reply) {
  const { ownerOf } = keptMethods[method];
  return !ownerOf || ownerOf(reply) === account;
}

/**
 * The keys of `entries` (`{key, method, at, bytes}`) to remove, so that the rest is within the limits: those that are too old, then the
 * oldest of each method, then the oldest of all.
 */
export function surplus(entries, now) {
  const removed = [];
  const counts = {};
  let bytes = 0;
  for (const entry of [...entries].sort((one, other) => other.at - one.at)) {
    const { method } = entry;
    const isOld = now - entry.at > keptMillisecondsMax;
    if (isOld || (counts[method] ?? 0) >= (keptMethods[method]?.replies ?? 0) || bytes + entry.bytes > keptBytesMax) {
      removed.push(entry.key);
    } else {
      counts[method] = (counts[method] ?? 0) + 1;
      bytes += entry.bytes;
    }
  }
  return removed;
}
