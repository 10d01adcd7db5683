// The effects of changes that wait on replies of methods that read: pages show them as they will be. Pure.

const renamed = (session, { session: id, title }) => (session.id === id ? { ...session, title } : session);
const withConversation = (reply, id, change) => (
  reply.conversation.id === id ? { ...reply, conversation: { ...reply.conversation, ...change } } : reply);
const withListed = ({ conversations, ...rest }, id, change) => (
  { ...rest, conversations: conversations.map((one) => (one.id === id ? { ...one, ...change } : one)) });
const without = ({ conversations, ...rest }, isUnwanted) => (
  { ...rest, conversations: conversations.filter((one) => !isUnwanted(one)) });
/** The page of messages with one message changed. */
const withMessage = (page, { message }, change) => (
  { ...page, items: page.items.map((item) => (item.offset === message ? change(item) : item)) });
const ofBuddy = ({ account }) => ({ buddy }) => buddy?.account === account;
const mutedForGood = "9999-12-31T00:00:00.000Z";

function withReaction(item, { emoji, on }, { account }) {
  const reactions = item.reactions ?? [];
  const by = (reactions.find((one) => one.emoji === emoji)?.by ?? []).filter((other) => other !== account);
  const others = reactions.filter((one) => one.emoji !== emoji);
  const now = on ? [...by, account] : by;
  return { ...item, reactions: now.length > 0 ? [...others, { emoji, by: now }] : others };
}

const mutedUntil = ({ seconds }, { at }) => ({
  mutedUntil: seconds === undefined ? mutedForGood : seconds === 0 ? null : new Date(at + seconds * 1_000).toISOString(),
});

/** A goal of so many kilometres. */
const withLength = (goal, kilometres) => ({ ...goal, kilometres, percent: goal.distance / (kilometres * 10), completedAt: null });

function withZone({ zones }, { zone, clientId, ...values }, { reply }) {
  const id = zone ?? clientId;
  const place = reply ?? { ...values, id, isWaiting: true, ...(clientId && { clientId }) };
  return { zones: [...zones.filter((one) => one.id !== place.id), place].sort((one, other) => one.name.localeCompare(other.name)) };
}

function withBlock({ blocked, ...rest }, { account }, { at, shown, reply }) {
  const person = { account, name: shown?.name ?? "" };
  // The server blocks them already.
  const known = blocked.find((one) => one.person.account === account);
  if (known) return { ...rest, blocked: blocked.map((one) => (one === known ? { ...one, isWaiting: false } : one)) };
  return { ...rest, blocked: [{ person, at: new Date(at).toISOString(), ...(!reply && { isWaiting: true }) }, ...blocked] };
}

function withoutBlock({ blocked, ...rest }, { account }, { reply }) {
  const isIt = ({ person }) => person.account === account;
  // A block that waits itself is none that the server has.
  const isLeft = (one) => !isIt(one) || !one.isWaiting;
  if (reply) return { ...rest, blocked: blocked.filter((one) => !isIt(one)) };
  return { ...rest, blocked: blocked.filter(isLeft).map((one) => (isIt(one) ? { ...one, isWaiting: true } : one)) };
}

/** Until the server has deleted it, a link still opens the session. */
function withoutLink({ links }, { link: id }, { reply }) {
  if (reply) return { links: links.filter((one) => one.id !== id) };
  return { links: links.map((one) => (one.id === id ? { ...one, isWaiting: true } : one)) };
}

function withKinds(settings, { kinds, ...change }) {
  if (!kinds) return { ...settings, ...change };
  return { ...settings, kinds: settings.kinds.map((one) => kinds.find(({ kind }) => kind === one.kind) ?? one) };
}

function withNoticeSetting({ zones, quietHours, ...rest }, { zone, isFollowed, quietHours: chosen }) {
  const hours = zone ? quietHours : chosen;
  const others = zones.filter((other) => other !== zone);
  return { ...rest, zones: zone && isFollowed ? [...others, zone] : others, ...(hours && { quietHours: hours }) };
}

function withEdit(training, { sets = [], startedAt, endedAt, note }) {
  const changed = new Map(sets.map((set) => [set.id, set]));
  const known = training.sets.map((set) => changed.get(set.id) ?? set);
  const added = sets.filter(({ id }) => !training.sets.some((set) => set.id === id));
  return { ...training, sets: [...known, ...added], ...(startedAt && { startedAt }), ...(endedAt && { endedAt }),
    ...(note !== undefined && { note }) };
}

/** A workout without its open training, if it is this one, and with the status after that. */
function withoutTraining(workout, id, status) {
  if (workout.training !== id) return workout;
  const { training: _training, ...rest } = workout;
  return { ...rest, status };
}

const listWithoutTraining = (reply, id, status) => (
  { ...reply, workouts: reply.workouts.map((one) => withoutTraining(one, id, status)) });
const withoutCurrent = (reply, { training: id }) => ({ trainings: reply.trainings.filter((one) => one.id !== id) });
/** Whether a training has not ended after all: another device guides it. */
const goesOn = ({ reply }) => Boolean(reply && reply.state !== "finished");

/** Body data that the person has just saved or confirmed; the server's, once it has answered. */
const bodyAfter = (change) => (data, params, { at, reply }) => (
  reply ?? { ...change(data, params), confirmedAt: new Date(at).toISOString(), isStale: false });

function withMembers(data, { clear = [], ...given }) {
  const left = Object.fromEntries(Object.entries(data).filter(([name]) => !clear.includes(name)));
  return { ...left, ...given };
}

const withoutInjury = (data, { id }) => ({ ...data, injuries: data.injuries.filter((one) => one.id !== id) });
const withInjury = (data, injury) => ({
  ...data, injuries: [...withoutInjury(data, injury).injuries, injury].sort((one, other) => other.from.localeCompare(one.from)),
});
const withoutWeight = (reply, { date }) => ({ weights: reply.weights.filter((one) => one.date !== date) });
const withWeight = (reply, weight) => ({
  weights: [...withoutWeight(reply, weight).weights, weight].sort((one, other) => one.date.localeCompare(other.date)),
});
const withLatestWeight = (data, weight) => (data.weight && data.weight.date > weight.date ? data : { ...data, weight });

/** Figures of a day without any. */
const emptyDay = { trainings: 0, minutes: 0, sets: 0, reps: 0, gross: 0, net: 0, metres: 0, stepsEstimated: false };

/** A change that waited past midnight is of an earlier day than the reply's today. */
function withDay(insights, { date, clear = [], ...figures }, { shown }) {
  const isIn = date >= insights.from && date <= insights.to;
  const isOfSteps = "steps" in figures || clear.includes("steps");
  const changed = (day) => withMembers({ ...emptyDay, ...day, date, ...(isOfSteps && { stepsEstimated: false }) },
    { clear, ...figures });
  const others = insights.days.filter((day) => day.date !== date);
  const days = isIn ? [...others, changed(insights.days.find((day) => day.date === date))] : others;
  const known = insights.today?.date === date ? insights.today : null;
  const isToday = known || (shown?.isToday && !(insights.today?.date > date));
  return {
    ...insights, days: days.sort((one, other) => one.date.localeCompare(other.date)), ...(isToday && { today: changed(known) }),
  };
}

const withNoneOf = (reply, kind) => (
  { ...reply, kept: reply.kept.map((one) => (one.kind === kind ? { ...one, count: 0 } : one)) });

/**
 * Method of a change → method that reads → `(reply, params of the change, context)` → the reply with the change. Of the context, `at` is
 * the time of the change, `account` the one that makes it, `shown` what its page gave to draw it, `reply` the server's, once there is one.
 */
const effects = {
  "tracking.rename": {
    "tracking.session": (reply, params) => ({ ...reply, session: renamed(reply.session, params) }),
    "tracking.history": (reply, params) => ({ ...reply, sessions: reply.sessions.map((session) => renamed(session, params)) }),
  },
  "tracking.delete": {
    "tracking.history": (reply, params) => ({ ...reply, sessions: reply.sessions.filter(({ id }) => id !== params.session) }),
  },
  "tracking.audience": {
    "tracking.session": (reply, { session: id, audience }) => (
      reply.session.id === id ? { ...reply, session: { ...reply.session, audience } } : reply),
  },
  "tracking.unlink": { "tracking.links": withoutLink },
  "goals.save": { "goals.get": (goal, { kilometres }) => withLength(goal, kilometres) },
  "goals.reset": {
    "goals.get": (goal, { at }) => ({ ...goal, distance: 0, percent: 0, completedAt: null, resetAt: at }),
  },
  "visits.erase": {
    "visits.most": (reply) => ({ ...reply, places: [] }), "account.data": (reply) => withNoneOf(reply, "visits"),
  },
  "searches.erase": {
    "searches.list": (reply, { id, at }) => (
      { ...reply, searches: reply.searches.filter((one) => (id ? one.id !== id : Date.parse(one.at) > Date.parse(at))) }),
    "account.data": (reply, { id }) => (id ? reply : withNoneOf(reply, "searches")),
  },
  "privacy.saveSettings": {
    "privacy.settings": (settings, params) => ({ ...settings, ...params }),
    "searches.list": (reply, { searches }) => (searches === false ? { ...reply, searches: [] } : reply),
    "visits.most": (reply, { visits }) => (visits === false ? { ...reply, places: [] } : reply),
  },
  "body.save": { "body.get": bodyAfter(withMembers) },
  "body.confirm": { "body.get": bodyAfter((data) => data) },
  "body.saveInjury": { "body.get": bodyAfter(withInjury) },
  "body.removeInjury": { "body.get": bodyAfter(withoutInjury) },
  "body.saveWeight": { "body.get": bodyAfter(withLatestWeight), "body.weights": withWeight },
  "body.removeWeight": { "body.get": (data, _params, { reply }) => reply ?? data, "body.weights": withoutWeight },
  "insights.saveGoals": { "insights.get": (insights, goals) => ({ ...insights, goals }) },
  "insights.saveDay": { "insights.get": withDay },
  "privacy.saveZone": { "privacy.zones": withZone },
  "privacy.deleteZone": { "privacy.zones": (reply, { zone }) => ({ zones: reply.zones.filter(({ id }) => id !== zone) }) },
  "reminders.saveSettings": { "reminders.settings": withKinds },
  "notices.saveSettings": { "notices.settings": withNoticeSetting },
  "chat.saveSettings": { "chat.settings": (settings, params) => ({ ...settings, ...params }) },
  "chat.edit": {
    "chat.history": (page, params, { at }) => withMessage(page, params, (item) => (
      { ...item, event: { ...item.event, text: params.text, editedAt: new Date(at).toISOString() } })),
  },
  "chat.delete": {
    "chat.history": (page, params, { at }) => withMessage(page, params, ({ offset, event }) => (
      { offset, event: { ...event, text: undefined, picture: undefined, deletedAt: new Date(at).toISOString() } })),
  },
  "chat.react": {
    "chat.history": (page, params, context) => withMessage(page, params, (item) => withReaction(item, params, context)),
  },
  "chat.mute": {
    "chat.list": (reply, params, context) => withListed(reply, params.conversation, mutedUntil(params, context)),
    "chat.conversation": (reply, params, context) => withConversation(reply, params.conversation, mutedUntil(params, context)),
  },
  "group.rename": {
    "chat.list": (reply, { conversation, name }) => withListed(reply, conversation, { name }),
    "chat.conversation": (reply, { conversation, name }) => withConversation(reply, conversation, { name }),
  },
  "group.answer": {
    "chat.list": (reply, { conversation, accept }) => (accept ? reply : without(reply, ({ id }) => id === conversation)),
  },
  "group.leave": { "chat.list": (reply, { conversation }) => without(reply, ({ id }) => id === conversation) },
  "workouts.save": {
    "workouts.get": (workout, { id, plan }, { reply }) => (workout.id !== id ? workout : reply ?? { ...workout, plan }),
  },
  "workouts.schedule": {
    "workouts.get": (workout, { workout: id, at, event }) => (workout.id === id ? { ...workout, scheduledAt: at, event } : workout),
    "workouts.list": (reply, { workout: id, at }) => (
      { ...reply, workouts: reply.workouts.map((one) => (one.id === id ? { ...one, scheduledAt: at } : one)) }),
  },
  "workouts.remove": {
    "workouts.list": (reply, { workout: id }) => ({ ...reply, workouts: reply.workouts.filter((one) => one.id !== id) }),
  },
  "training.edit": {
    "training.get": (training, params, { reply }) => (training.id !== params.training ? training : reply ?? withEdit(training, params)),
    "training.list": (reply, { training: id, note }) => (
      { ...reply, trainings: reply.trainings.map((one) => (one.id === id && note !== undefined ? { ...one, note } : one)) }),
  },
  "training.finish": {
    "training.current": (reply, params, context) => (goesOn(context) ? reply : withoutCurrent(reply, params)),
    "workouts.get": (workout, { training: id }, context) => (goesOn(context) ? workout : withoutTraining(workout, id, "completed")),
    "workouts.list": (reply, { training: id }, context) => (goesOn(context) ? reply : listWithoutTraining(reply, id, "completed")),
  },
  "training.remove": {
    "training.list": (reply, { training: id }) => ({ ...reply, trainings: reply.trainings.filter((one) => one.id !== id) }),
    "training.current": withoutCurrent,
    // An earlier training may have ended: the next reply says so.
    "workouts.get": (workout, { training: id }) => withoutTraining(workout, id, "notStarted"),
    "workouts.list": (reply, { training: id }) => listWithoutTraining(reply, id, "notStarted"),
  },
  "buddies.remove": { "chat.list": (reply, params) => without(reply, ofBuddy(params)) },
  "safety.block": { "chat.list": (reply, params) => without(reply, ofBuddy(params)), "safety.blocked": withBlock },
  "safety.unblock": { "safety.blocked": withoutBlock },
};

/** Methods whose changes of one conversation hold for its messages alone. */
const ofMessages = new Set(["chat.edit", "chat.delete", "chat.react"]);

/** Whether a change concerns a reply to `readParams`: messages of other conversations have the same offsets. */
const concerns = (method, params, readParams) => !ofMessages.has(method) || readParams?.conversation === params.conversation;

/** The methods that read what a change by this method changes. */
export const readersOf = (method) => Object.keys(effects[method] ?? {});

/**
 * The reply of a method that reads with changes, `{method, params, at, shown?, reply?}` each, in order: the same object when none concerns
 * it. `account` is the one that makes them.
 */
export function withChanges(read, readParams, reply, changes, account) {
  return changes.reduce((now, { method, params, ...context }) => {
    const effect = effects[method]?.[read];
    return effect && concerns(method, params, readParams) ? effect(now, params, { ...context, account }) : now;
  }, reply);
}
