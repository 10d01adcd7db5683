// The list of events: its filter with address and request, its days, its pages from the server, and the last list of each filter. No DOM.

import { dayHeading, phaseOf, startOf } from "./times.js";

export const searchCharactersMax = 100;
const pageSize = 20;
/** A page may be shorter than asked for and not the last: at most so many are requested for one load. */
const pagesAtOnceMax = 12;
const rememberedMax = 8;

/** Filter and account → list, for coming back from an event's page. */
const remembered = new Map();

/** Lists to choose from: `{id, label}`. */
export const views = [
  { id: "all", label: "All" }, { id: "coming", label: "Upcoming" }, { id: "invited", label: "Invited" }, { id: "saved", label: "Saved" },
  { id: "own", label: "Mine" },
];

/** The filter that a page's query (`URLSearchParams` or undefined) has: `{which, workout, zone, text}`. Guests have one list. */
export function filterOf(query, { isGuest }) {
  const which = query?.get("which");
  return {
    which: !isGuest && views.some(({ id }) => id === which) ? which : "all",
    workout: query?.get("kind") ?? "", zone: query?.get("zone") ?? "", text: (query?.get("q") ?? "").slice(0, searchCharactersMax),
  };
}

/** The page's address with a filter. */
export function pathOf({ which, workout, zone, text }) {
  const members = { which: which === "all" ? "" : which, kind: workout, zone, q: text };
  const query = new URLSearchParams(Object.entries(members).filter(([, value]) => value !== ""));
  return query.size > 0 ? `/events?${query}` : "/events";
}

/** Whether it leaves events of the list out. */
export function isFiltered({ workout, zone, text }) {
  return workout !== "" || zone !== "" || text !== "";
}

/** Its part of the parameters of `events.list`. */
export function listParams({ which, workout, zone, text }) {
  return {
    ...(which !== "all" && { which }), ...(workout && { workout }), ...(Number(zone) > 0 && { zone: Number(zone) }), ...(text && { text }),
  };
}

/** Events that are not over, by day: `[{heading, events}]` with headings as of `dayHeading`, both in the order of the list. */
export function groupsByDay(events, now) {
  const groups = [];
  for (const event of events.filter((one) => phaseOf(one, now) !== "over")) {
    const heading = dayHeading(startOf(event), now);
    const last = groups.at(-1);
    if (last?.heading.key === heading.key) last.events.push(event);
    else groups.push({ heading, events: [event] });
  }
  return groups;
}

/** Forgets the lists of all filters. */
export function forgetLists() {
  remembered.clear();
}

/** The list of one filter after another: `{events, next, at}` with the time of the device, in ms; null when none is known. */
export class ListPages {
  list = null;

  #net;
  #kept;
  #account;

  /** `kept` are the events that the device keeps. */
  constructor({ net, kept }) {
    this.#net = net;
    this.#kept = kept;
    this.#account = net.account?.id ?? null;
  }

  /** Takes the list that is known of a filter. */
  recall(filter) {
    const known = remembered.get(this.#keyOf(filter)) ?? (isFiltered(filter) ? null : this.#kept.list(filter.which));
    this.list = known && { next: null, ...known };
  }

  /** Replaces the events of the list. */
  setEvents(filter, events) {
    this.list = { ...this.list, events };
    this.#remember(filter);
  }

  /** Takes an event out of the list. */
  remove(id) {
    if (this.list) this.list = { ...this.list, events: this.list.events.filter((event) => event.id !== id) };
  }

  /**
   * Requests the list again, as long as it was, or with `isMore` its next page. Gives `{list, firstNew}`, where `firstNew` is the number of
   * the first event of the answer, or null once `isCurrent()` is false. The list is not taken before `take`.
   */
  async request(filter, { isMore, isCurrent }) {
    const params = { limit: pageSize, ...listParams(filter) };
    // As many as were shown, so that none goes away under the finger.
    const wanted = isMore ? this.list.events.length + 1 : Math.max(pageSize, this.list?.events.length ?? 0);
    let found = isMore ? this.list.events : [];
    let next = isMore ? this.list.next : null;
    let firstNew = null;
    for (let page = 0; page < pagesAtOnceMax; page++) {
      const reply = await this.#net.request("events.list", { ...params, ...(next && { after: next }) });
      if (!isCurrent()) return null;
      firstNew ??= reply.events[0]?.id ?? null;
      const ids = new Set(found.map(({ id }) => id));
      found = [...found, ...reply.events.filter(({ id }) => !ids.has(id))];
      next = reply.next ?? null;
      if (!next || found.length >= wanted) break;
    }
    return { list: { events: found, next, at: Date.now() }, firstNew };
  }

  /** Takes what `request` gave, and keeps it on the device. */
  take(filter, list, workouts) {
    this.list = list;
    if (!isFiltered(filter)) this.#kept.putList(filter.which, list.events, workouts, list.at);
    this.#remember(filter);
  }

  #keyOf(filter) {
    return JSON.stringify([this.#account, filter]);
  }

  #remember(filter) {
    remembered.delete(this.#keyOf(filter));
    remembered.set(this.#keyOf(filter), this.list);
    while (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value);
  }
}
