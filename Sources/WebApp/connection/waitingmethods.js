// The methods whose requests may wait for a connection: what each changes, for how long it may wait, and how it is sent. No DOM.
//
// The server does the same once, however often it gets the same request. What shows more of a person, or to more people, is not sent after
// more than a day: the person may have decided otherwise since. What shows less is always sent.

const dayMilliseconds = 86_400_000;
/** Plans of the person may have changed by then. */
const answerDaysMax = 14;

/** A request for something that does not exist any more has nothing left to do. */
const isGone = (error) => error.isNotFound;
const oneDayIf = (isLess) => (isLess ? Infinity : 1);
const messageOf = ({ conversation, message }) => `${conversation}/${message}`;
const onlyName = (params) => Object.keys(params)[0];

/**
 * Name of a method → what is known of its requests. A later request for the same `subject` replaces one that waits, also one by another
 * method of `replaces`. `what` names the change.
 * `days(params)` is the longest wait, `isDone(error, params)` whether an error says that nothing is left to do. `send(request, params,
 * {waited, mayGoOn})` sends the change by other requests than one with its parameters.
 * @type {Record<string, {subject: (params: any) => any, what: string, replaces?: string[], days?: (params: any) => number,
 *   isDone?: (error: any, params: any) => boolean, send?: (request: any, params: any, context: any) => Promise<any>}>}
 */
export const waitingMethods = {
  "events.answer": {
    subject: ({ event }) => event, what: "Your answer to an event", days: () => answerDaysMax,
  },
  "events.save": { subject: ({ event }) => event, what: "A saved event" },
  "events.create": { subject: ({ id }) => id, what: "Your new event" },
  "events.update": { subject: ({ event }) => event, what: "A change to your event" },
  "events.publish": { subject: ({ event }) => event, what: "Your event", days: () => answerDaysMax },
  "events.cancel": {
    subject: ({ event }) => event, what: "The end of your event", replaces: ["events.update", "events.publish"],
  },
  "events.delete": {
    subject: ({ event }) => event, what: "The end of your draft", replaces: ["events.update", "events.publish"],
    isDone: isGone,
  },
  "saved.save": { subject: ({ clientId, id }) => clientId ?? id, what: "A saved place" },
  "saved.remove": {
    subject: ({ id, saved }) => id ?? saved.clientId, what: "A saved place", isDone: isGone, send: removeSaved,
  },
  "searches.erase": { subject: ({ id }) => id ?? "all", what: "A deleted search", isDone: isGone },
  "visits.erase": { subject: () => "visits", what: "Your deleted visits" },
  "goals.save": { subject: () => "goal", what: "Your goal" },
  "goals.reset": { subject: () => "goal", what: "Your goal" },
  "tracking.rename": { subject: ({ session }) => session, what: "A session's title" },
  "tracking.delete": {
    subject: ({ session }) => session, what: "A deleted session", isDone: isGone,
    replaces: ["tracking.rename", "tracking.audience"],
  },
  "tracking.audience": {
    subject: ({ session }) => session, what: "Who can see a session",
    days: ({ audience }) => oneDayIf(audience === "private"),
  },
  "tracking.unlink": { subject: ({ link }) => `link ${link}`, what: "A deleted link", isDone: isGone },
  "privacy.saveSettings": {
    subject: onlyName, what: "A privacy setting",
    days: (params) => oneDayIf(!Object.values(params).includes(true)),
  },
  "privacy.saveZone": {
    subject: ({ zone, clientId }) => zone ?? clientId, what: "A private zone",
    days: ({ zone }) => oneDayIf(!zone),
  },
  "privacy.deleteZone": {
    subject: ({ zone }) => zone, what: "A deleted private zone", replaces: ["privacy.saveZone"],
    days: () => oneDayIf(false), isDone: isGone,
  },
  "reminders.saveSettings": {
    subject: (params) => (params.kinds ? `kind ${params.kinds[0].kind}` : onlyName(params)), what: "A reminder setting",
  },
  "notices.saveSettings": {
    subject: ({ zone }) => (zone ? `zone ${zone}` : "quietHours"), what: "A setting of notices",
    send: saveNoticeSetting,
  },
  "chat.saveSettings": {
    subject: onlyName, what: "A chat setting", days: (params) => oneDayIf(!Object.values(params).includes(true)),
    send: saveChatSetting,
  },
  "chat.edit": { subject: messageOf, what: "An edited message" },
  "chat.delete": { subject: messageOf, what: "A deleted message", replaces: ["chat.edit"], isDone: isGone },
  "chat.react": { subject: (params) => `${messageOf(params)}/${params.emoji}`, what: "A reaction" },
  "chat.mute": { subject: ({ conversation }) => conversation, what: "A muted chat", send: mute },
  "group.create": { subject: ({ id }) => id, what: "Your new group", days: () => answerDaysMax },
  "group.rename": { subject: ({ conversation }) => conversation, what: "A group's name" },
  "group.answer": {
    subject: ({ conversation }) => conversation, what: "Your answer to an invitation",
    days: ({ accept }) => (accept ? answerDaysMax : Infinity), isDone: (error, { accept }) => !accept && isGone(error),
  },
  "group.leave": {
    subject: ({ conversation }) => conversation, what: "The end of your membership", isDone: isGone,
    replaces: ["group.rename", "group.answer"],
  },
  "buddies.remove": { subject: ({ account }) => `person ${account}`, what: "A removed buddy", isDone: isGone },
  "safety.block": {
    subject: ({ account }) => `person ${account}`, what: "A block", replaces: ["safety.unblock", "buddies.remove"],
  },
  "safety.unblock": {
    subject: ({ account }) => `person ${account}`, what: "The end of a block", replaces: ["safety.block"],
    days: () => oneDayIf(false),
  },
};

/** The object of a change: changes of one object are sent in order. */
export const objectOf = ({ method, subject }) => `${method.split(".")[0]} ${subject}`;

/** Whether a change that waits makes another one pointless that waits already, both `{method, subject}`. */
export function isReplaced(one, by) {
  return one.subject === by.subject && (one.method === by.method || (waitingMethods[by.method].replaces ?? []).includes(one.method));
}

/** Why a change is not sent that waited for so many ms, or null. */
export function expiryText(method, params, waited) {
  const { days = () => Infinity, what } = waitingMethods[method];
  const max = days(params);
  return waited > max * dayMilliseconds ? `${what} waited for more than ${max === 1 ? "a day" : `${max} days`}.` : null;
}

/** Calls `changed()` when other changes of `writes` wait than before, of those with `isMine(change)`. Ends with `signal`. */
export function followWaiting(writes, isMine, changed, signal = undefined) {
  const idsNow = () => writes.waiting.filter(isMine).map(({ id }) => id).join();
  let ids = idsNow();
  writes.addEventListener("change", () => {
    const before = ids;
    ids = idsNow();
    if (ids !== before) changed();
  }, { signal });
}

async function removeSaved(request, { id, saved }, { mayGoOn }) {
  if (!saved) return request("saved.remove", { id });
  try {
    // Saved again, a place has the number that it got the first time.
    const place = await request("saved.save", saved);
    mayGoOn();
    return await request("saved.remove", { id: place.id });
  } catch (error) {
    // Of a place that was not saved, the limit of saved places says so.
    if (error.isConflict) return { erased: 0 };
    throw error;
  }
}

/** The other settings stay as another device has them by now. */
async function saveNoticeSetting(request, { zone, isFollowed, quietHours }, { mayGoOn }) {
  const now = await request("notices.settings");
  mayGoOn();
  if (!zone) return request("notices.saveSettings", { zones: now.zones, ...(quietHours && { quietHours }) });
  const others = now.zones.filter((other) => other !== zone);
  return request("notices.saveSettings", { ...now, zones: isFollowed ? [...others, zone] : others });
}

async function saveChatSetting(request, change, { mayGoOn }) {
  const now = await request("chat.settings");
  mayGoOn();
  return request("chat.saveSettings", { ...now, ...change });
}

/** A mute that waited ends when it would have ended. */
async function mute(request, { conversation, seconds }, { waited }) {
  if (!(seconds > 0)) return request("chat.mute", { conversation, ...(seconds === 0 && { seconds }) });
  const left = seconds - waited / 1_000;
  return left > 0 ? request("chat.mute", { conversation, seconds: left }) : { mutedUntil: null };
}
