// Events as the device received them last, to show without a network: lists, and the pages of events that concern the account. No DOM.

import { keptMillisecondsMax } from "../connection/kepttable.js";

const prefix = "campanile.events.";
/** Of one list. */
export const listedMax = 40;
/** Pages besides those of lists; the oldest go first. */
export const pagesMax = 40;
/** Changes within this time are written once. */
const writeAfterMilliseconds = 300;

/** Whether an event's page can be read without a network. */
const concerns = ({ mine }) => mine.owns || mine.saved || mine.queue || mine.invitedBy || ["going", "maybe"].includes(mine.answer);

/** Events that are kept of one account, or of guests. `now` is the time of the device, in ms. */
export class KeptEvents {
  #key = null;
  /** `{workouts, lists: {name: {at, ids}}, events: {id: {at, event}}}` */
  #kept = null;
  #timer = 0;
  #withWaiting;

  /** `withWaiting(event)` gives an event with the changes that wait to be sent. */
  constructor(withWaiting = (event) => event) {
    this.#withWaiting = withWaiting;
    addEventListener("pagehide", () => this.#write());
  }

  /** Takes another account, null for guests, and removes the events of all others. */
  use(account) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const before = this.#key;
    this.#key = prefix + (account ?? "guest");
    // A sign-out in this tab is none of an account that has signed in in another tab.
    const isOthers = (key) => (account === null && before !== null ? key === before : key !== this.#key);
    try {
      if (before !== this.#key) {
        for (const key of Object.keys(localStorage)) if (key.startsWith(prefix) && isOthers(key)) localStorage.removeItem(key);
      }
      this.#kept = checked(JSON.parse(localStorage.getItem(this.#key)));
    } catch {
      this.#kept = checked(null);
    }
  }

  get workouts() {
    return this.#kept.workouts;
  }

  /** `{events, at}` of a list, or null; `at` is the time when the server sent it. */
  list(name) {
    const list = this.#kept.lists[name];
    if (!list) return null;
    return { events: list.ids.map((id) => this.#kept.events[id]?.event).filter(Boolean).map(this.#withWaiting), at: list.at };
  }

  /** `{event, at}`, or null. */
  event(id) {
    const kept = this.#kept.events[id];
    return kept ? { ...kept, event: this.#withWaiting(kept.event) } : null;
  }

  /** Keeps a list that the server sent just now. */
  putList(name, events, workouts, now) {
    const listed = events.slice(0, listedMax);
    if (workouts.length > 0) this.#kept.workouts = workouts;
    this.#kept.lists[name] = { at: now, ids: listed.map(({ id }) => id) };
    for (const event of listed) this.#kept.events[event.id] = { at: now, event };
    this.#writeSoon();
  }

  /** Keeps an event that the server sent just now. */
  put(event, now) {
    if (!concerns(event) && !this.#isListed(event.id)) delete this.#kept.events[event.id];
    else this.#kept.events[event.id] = { at: now, event };
    this.#writeSoon();
  }

  /** Removes an event that does not exist any more, or that the account cannot see. */
  remove(id) {
    delete this.#kept.events[id];
    for (const list of Object.values(this.#kept.lists)) list.ids = list.ids.filter((other) => other !== id);
    this.#writeSoon();
  }

  #isListed(id) {
    return Object.values(this.#kept.lists).some(({ ids }) => ids.includes(id));
  }

  #writeSoon() {
    if (this.#timer === 0) this.#timer = setTimeout(() => this.#write(), writeAfterMilliseconds);
  }

  #write() {
    if (this.#timer === 0) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    const others = Object.entries(this.#kept.events).filter(([id]) => !this.#isListed(Number(id)));
    const isStale = ([, { event }]) => !concerns(event);
    const old = others.filter((entry) => !isStale(entry)).sort(([, one], [, other]) => other.at - one.at).slice(pagesMax);
    for (const [id] of [...others.filter(isStale), ...old]) delete this.#kept.events[id];
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#kept));
    } catch {
      // Storage is full or blocked: the server has it all.
    }
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const entriesOf = (value) => (isObject(value) ? Object.entries(value) : []);

/** The valid members of what was stored, without old ones. */
function checked(kept) {
  const isNew = (at) => Number.isFinite(at) && Date.now() - at <= keptMillisecondsMax;
  const isList = (list) => isNew(list?.at) && Array.isArray(list.ids);
  const isEvent = (id, one) => isNew(one?.at) && one.event?.id === Number(id) && one.event.details && one.event.mine;
  return {
    workouts: Array.isArray(kept?.workouts) ? kept.workouts : [],
    lists: Object.fromEntries(entriesOf(kept?.lists).filter(([, list]) => isList(list))),
    events: Object.fromEntries(entriesOf(kept?.events).filter(([id, one]) => isEvent(id, one))),
  };
}
