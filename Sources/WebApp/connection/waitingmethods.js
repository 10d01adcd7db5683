// The methods whose requests may wait for a connection: what each changes, for how long it may wait, and how it is sent. No DOM.
//
// The server does the same once, however often it gets the same request. What shows more of a person, or to more people, is not sent after
// more than a day: the person may have decided otherwise since. What shows less is always sent.

const dayMilliseconds = 86_400_000;
/** A clock that is a little fast before it is compared with the server's. */
const skewMillisecondsMax = 3_600_000;
/** After a longer wait, what a page knew of a group may be another. */
const freshMilliseconds = 10_000;
/** Plans of the person may have changed by then. */
const answerDaysMax = 14;

/** A request for something that does not exist any more has nothing left to do. */
const isGone = (error) => error.isNotFound;
const messageOf = ({ conversation, message }) => `${conversation}/${message}`;
const onlyName = (params) => Object.keys(params)[0];
/** The member of the body data that a request changes. */
const bodyMember = (params) => params.clear?.[0] ?? onlyName(params);
const turnsOn = (params) => Object.values(params).includes(true);

/** From the smallest. */
const audiences = ["private", "campus", "public"];

/** Whether an audience is larger than one that the server may have, and smaller than none. That before may not be known. */
function isLarger({ audience }, { before = "private", perhaps = [] }) {
  const sizes = [before, ...perhaps].map((one) => audiences.indexOf(one));
  const size = audiences.indexOf(audience);
  return size > Math.min(...sizes) && size >= Math.max(...sizes);
}

/**
 * Whether a zone hides another area, or a smaller one, than each that the server may have for it. `metres` are those of its size. A new
 * zone has nothing before, unless its creation was sent.
 */
function hidesLess({ zone, lat, lon }, { before, perhaps = [], metres }) {
  const areas = [...(before || zone ? [before ?? {}] : []), ...perhaps];
  return areas.length > 0 && areas.every((area) => lat !== area.lat || lon !== area.lon || !(metres >= area.metres));
}

/**
 * Name of a method → what is known of its requests. A later request for the same `subject` replaces one that waits, also one by another
 * method of `replaces`. `what` names the change. Changes of one object are sent in order: that of its `subject`, or one `object` for all.
 * `days(params)` is the longest wait. `showsMore(params, shown)` is whether more is shown, or to more people, than the server is known to
 * show: `shown.before` is what that is, null for nothing, and `shown.perhaps` what it may be instead, as the reply was lost. `value(params,
 * shown)` is what it is after the change. `isDone(error, params)` is whether an error says that nothing is left to do. `send(request,
 * params, {waited, mayGoOn})` sends the change by other requests than one with its parameters; one that reads first what other changes
 * write has their object.
 * `ends`: is sent before those by these methods that were made earlier, and nothing is left of them once it is done.
 * `keepsPlace`: stands where the one was that it replaces, as others wait for it. `isRepeatedAlone`: the server takes a repeated request
 * for the same only if nothing of it has changed. `neededBy`: what is given up when it is refused; `undone` says so. `revises`: makes
 * another revision of its subject. `lost(params, shown)` is what the person wrote. `refusal(error)` is why it was refused, for people; null
 * where the server's message says it.
 * @type {Record<string, {subject: (params: any) => any, what: string, object?: string, days?: (params: any) => number,
 *   replaces?: string[] | ((shown: any) => string[]), showsMore?: (params: any, shown: any) => boolean,
 *   value?: (params: any, shown: any) => any,
 *   isDone?: (error: any, params: any) => boolean, send?: (request: any, params: any, context: any) => Promise<any>,
 *   ends?: string[], keepsPlace?: boolean, isRepeatedAlone?: boolean, neededBy?: string[], undone?: string, revises?: boolean,
 *   lost?: (params: any, shown: any) => string, refusal?: (error: any) => string | null}>}
 */
export const waitingMethods = {
  "events.answer": {
    subject: ({ event }) => event, what: "Your answer to an event", days: () => answerDaysMax,
  },
  "events.save": { subject: ({ event }) => event, what: "A saved event" },
  "events.create": { subject: ({ id }) => id, what: "Your new event" },
  "events.update": {
    subject: ({ event }) => event, what: "A change to your event", keepsPlace: true, isRepeatedAlone: true, revises: true,
    neededBy: ["events.publish"],
  },
  "events.publish": {
    subject: ({ event }) => event, what: "Your event", days: () => answerDaysMax, revises: true,
    undone: "Your event wasn't published.",
  },
  "events.cancel": {
    // A draft needs the changes that wait.
    subject: ({ event }) => event, what: "The end of your event", replaces: (shown) => (shown?.mayBeDraft ? [] : ["events.update"]),
    // Nobody else sees a draft.
    isDone: (error) => error.isConflict && /\bdraft\b/.test(error.message),
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
  // A length that was chosen after it may be too short for the progress before it.
  "goals.reset": { subject: () => "goal", what: "Your goal", keepsPlace: true },
  "tracking.rename": { subject: ({ session }) => session, what: "A session's title" },
  "tracking.delete": {
    subject: ({ session }) => session, what: "A deleted session", isDone: isGone,
    // They stay until then: the person may keep the session after all.
    ends: ["tracking.rename", "tracking.audience"],
  },
  "tracking.audience": {
    subject: ({ session }) => session, what: "Who can see a session",
    showsMore: (params, shown) => isLarger(params, shown ?? {}), value: ({ audience }) => audience,
  },
  "tracking.unlink": { subject: ({ link }) => `link ${link}`, what: "A deleted link", isDone: isGone },
  "privacy.saveSettings": {
    subject: onlyName, what: "A privacy setting",
    showsMore: turnsOn,
  },
  "privacy.saveZone": {
    subject: ({ zone, clientId }) => zone ?? clientId, what: "A private zone",
    showsMore: (params, shown) => hidesLess(params, shown ?? {}), value: ({ lat, lon }, { metres }) => ({ lat, lon, metres }),
  },
  "privacy.deleteZone": {
    subject: ({ zone }) => zone, what: "A deleted private zone", replaces: ["privacy.saveZone"],
    showsMore: () => true, isDone: isGone,
  },
  "reminders.saveSettings": {
    subject: (params) => (params.kinds ? `kind ${params.kinds[0].kind}` : onlyName(params)), what: "A reminder setting",
  },
  "notices.saveSettings": {
    subject: ({ zone }) => (zone ? `zone ${zone}` : "quietHours"), what: "A setting of notices", object: "settings",
    send: saveNoticeSetting,
  },
  "body.save": { subject: bodyMember, what: "Your body data" },
  "body.confirm": { subject: () => "confirm", what: "The check of your body data" },
  "body.saveInjury": { subject: ({ id }) => id, what: "An injury", lost: ({ note = "" }) => note },
  "body.removeInjury": { subject: ({ id }) => id, what: "A removed injury", replaces: ["body.saveInjury"] },
  "body.saveWeight": { subject: ({ date }) => date, what: "A weight", replaces: ["body.removeWeight"] },
  "body.removeWeight": { subject: ({ date }) => date, what: "A removed weight", replaces: ["body.saveWeight"] },
  "insights.saveGoals": { subject: () => "goals", what: "Your goals" },
  "insights.saveDay": {
    subject: ({ date, clear = [], ...figures }) => `${date} ${[...clear, ...Object.keys(figures)].sort().join()}`,
    what: "A figure of your day",
  },
  // The switch of the heart-rate zone, for a person who has joined: `username` is the person's own.
  "together.join": {
    subject: ({ group }) => group, what: "Your heart-rate zone", showsMore: ({ sharesZone }) => sharesZone, send: shareZone,
    isDone: (error, { sharesZone }) => !sharesZone && (isGone(error) || error.isConflict || error.isForbidden),
  },
  "together.leave": { subject: ({ group }) => group, what: "Leaving a group", replaces: ["together.join"] },
  "together.remove": { subject: ({ group, username }) => `${group} ${username}`, what: "A person removed from a group", isDone: isGone },
  "together.end": { subject: ({ group }) => group, what: "The end of a group", isDone: isGone },
  "chat.saveSettings": {
    subject: onlyName, what: "A chat setting", object: "settings", showsMore: turnsOn,
    send: saveChatSetting,
  },
  "chat.edit": { subject: messageOf, what: "An edited message", lost: ({ text }) => text },
  "chat.delete": { subject: messageOf, what: "A deleted message", replaces: ["chat.edit"], isDone: isGone },
  "chat.react": { subject: (params) => `${messageOf(params)}/${params.emoji}`, what: "A reaction" },
  "chat.mute": { subject: ({ conversation }) => conversation, what: "A muted chat", send: mute },
  "group.create": {
    subject: ({ id }) => id, what: "Your new group", days: () => answerDaysMax,
    lost: ({ name }, shown) => [name, ...(shown?.invited ?? [])].join(", "),
  },
  "group.rename": { subject: ({ conversation }) => conversation, what: "A group's name", lost: ({ name }) => name },
  "group.answer": {
    subject: ({ conversation }) => conversation, what: "Your answer to an invitation",
    days: ({ accept }) => (accept ? answerDaysMax : Infinity), isDone: (error, { accept }) => !accept && isGone(error),
  },
  "group.leave": {
    subject: ({ conversation }) => conversation, what: "The end of your membership", isDone: isGone,
    replaces: ["group.rename", "group.answer"],
  },
  "workouts.save": {
    subject: ({ id }) => id, what: "Your workout", keepsPlace: true, isRepeatedAlone: true, revises: true, lost: ({ plan }) => plan.title,
  },
  "workouts.remove": {
    subject: ({ workout, id }) => workout ?? id, what: "A deleted workout", replaces: ["workouts.save", "workouts.schedule"],
      isDone: isGone,
  },
  "workouts.schedule": { subject: ({ workout }) => workout, what: "A planned workout", days: () => answerDaysMax },
  // All changes of trainings are sent in order: a set needs the start before it.
  "training.start": {
    subject: ({ id }) => id, what: "A started workout", object: "trainings",
    // Its device keeps them, and sends them once the start is sent again.
    neededBy: ["training.record", "training.finish", "training.edit"],
    refusal: (error) => (error.isConflict && /\bnot ended\b/.test(error.message)
      ? "You have too many open workouts. Finish or discard one, then try again." : null),
  },
  "training.record": {
    subject: recordSubject, what: "Sets of a workout", object: "trainings",
    // Sets that the server never got are lost with a training that it does not have: the person must know.
    isDone: (error, { sets = [] }) => isGone(error) && sets.length === 0,
  },
  "training.finish": {
    subject: ({ training }) => training, what: "The end of a workout", object: "trainings", lost: ({ note }) => note ?? "",
  },
  "training.edit": {
    subject: ({ training }) => training, what: "A change to a past workout", object: "trainings", lost: ({ note }) => note ?? "",
  },
  "training.remove": {
    subject: ({ training }) => training, what: "A deleted past workout", object: "trainings", isDone: isGone,
    replaces: ["training.record", "training.edit", "training.finish"],
  },
  "buddies.remove": { subject: ({ account }) => `person ${account}`, what: "A removed buddy", isDone: isGone },
  "safety.block": {
    subject: ({ account }) => `person ${account}`, what: "A block", replaces: ["safety.unblock"],
  },
  // A block before it is sent too: it ends more than the end of the block restores.
  "safety.unblock": { subject: ({ account }) => `person ${account}`, what: "The end of a block", showsMore: () => true },
};

/** Whether a change, `{method, params, shown}`, shows more than the server is known to show. */
export const showsMore = ({ method, params, shown }) => waitingMethods[method].showsMore?.(params, shown) ?? false;

/**
 * Why a change is not sent that waited for so many ms, or null. A wait that has not begun yet is of no known length: the clock by which it
 * began was wrong.
 */
export function expiryText(change, waited) {
  const { days = () => Infinity, what } = waitingMethods[change.method];
  const isLimited = showsMore(change);
  if (isLimited && waited < -skewMillisecondsMax) return `${what} may have waited for more than a day.`;
  const max = isLimited ? 1 : days(change.params);
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

/** Each request with heart rates is another one: it has those of its own span of time alone. */
function recordSubject({ training, pulse = [] }) {
  return pulse.length > 0 ? `${training} ${pulse[0].at}` : training;
}

/** A person who has left the group since, and shows nothing there any more, must not join it again by this. */
async function shareZone(request, { group, sharesZone, username }, { waited, mayGoOn }) {
  if (waited > freshMilliseconds) {
    const { groups } = await request("together.list");
    mayGoOn();
    const own = groups.find(({ id }) => id === group)?.members.find((member) => member.username === username);
    if (!["joined", "finished"].includes(own?.state)) return { erased: 0 };
  }
  return request("together.join", { group, sharesZone });
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
