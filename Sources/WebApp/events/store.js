// Events as this device knows them: invitations without an answer, requests that change an event, and news. No DOM.

import { eventDrafts } from "./drafts.js";
import { KeptEvents } from "./kept.js";
import { answered } from "./words.js";

/** Signals of one event within this time are one request. */
const askTogetherMilliseconds = 300;
/** Signals of more events at once load the lists again, and these events alone. */
const askedAtOnceMax = 8;
const invitationsMax = 50;
const askAgainMilliseconds = 5_000;
/** The server publishes news at least once; so many are remembered, to emit each once. */
const newsMax = 200;

/** Changes by the host of an event. */
const ofHost = new Set(["events.update", "events.publish", "events.cancel", "events.delete"]);
/** Kinds of news of one event, the most important last. */
const newsOrder = ["answered", "changed", "invited", "movedUp", "cancelled"];

/**
 * Emits `event` with `detail: Event` for each event from the server, `waiting` with `detail: id` when a change of an event has to wait,
 * `gone` with `detail: id`, `invitations` when that list changed, `renew` when anything may have changed, `goal` when this month's goal was
 * reached, `notices` when some were read, and `news` with `detail: {event, news}` for changes by others.
 */
export class Events extends EventTarget {
  /** Events with an invitation that has no answer. */
  invitations = [];
  /** Events to show without a network. */
  kept = new KeptEvents((event) => this.withWaiting(event));

  #net;
  #account = null;
  #subscription = null;
  #options = null;
  #asked = new Map();
  #askTimer = 0;
  #listTimer = 0;
  #hasRenewed = false;
  /** `event news` → the revision that was emitted as news. */
  #emitted = new Map();

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("account", () => this.#useAccount());
    net.writes?.addEventListener("sent", ({ detail: { method, params, reply } }) => {
      if (method === "events.delete") this.#isGone(params.event);
      else if (method === "events.cancel" && !reply.id) this.get(params.event).catch(() => {});
      else if (method.startsWith("events.")) this.#take(reply);
    });
    net.writes?.addEventListener("refused", ({ detail }) => { if (detail.method.startsWith("events.")) this.#refused(detail); });
    this.kept.use(net.account?.id ?? null);
    this.#useAccount();
  }

  /** Kinds of workouts and the account's rights: requested once, and again after a failure. */
  options() {
    this.#options ??= this.#net.read("events.options").catch((error) => {
      this.#options = null;
      throw error;
    });
    return this.#options;
  }

  async get(id) {
    try {
      return await this.#request("events.get", { event: id });
    } catch (error) {
      if (error.isNotFound) this.kept.remove(id);
      throw error;
    }
  }

  /** `going`, `maybe`, `no`; null takes it back. Resolves to null when it waits for the connection. */
  async answer(id, answer) {
    return this.#write("events.answer", { event: id, ...(answer && { answer }) });
  }

  /** Resolves to null when it waits for the connection. */
  async save(id, saved) {
    return this.#write("events.save", { event: id, saved });
  }

  /** Whether a change of an event waits for the connection. */
  isWaiting(id) {
    const { writes } = this.#net;
    return Boolean(writes?.find("events.answer", id) ?? writes?.find("events.save", id));
  }

  /** Whether a change of its host waits for the connection. */
  isChangeWaiting(id) {
    return (this.#net.writes?.waiting ?? []).some(({ method, subject }) => subject === id && ofHost.has(method));
  }

  /** Resolves to null when it waits for the connection, as the others. `draft` is that of the form, which comes back if it is refused. */
  async create({ id, audience, details, publish }, draft) {
    return this.#write("events.create", { id, audience, details, publish }, draft && { draft });
  }

  async update(id, revision, details, draft) {
    return this.#write("events.update", { event: id, revision, details }, draft && { draft });
  }

  async publish(id) {
    return this.#write("events.publish", { event: id });
  }

  /** An event that nobody else has seen is a draft again: it resolves to that. Another device may have published it. */
  async cancel(id, reason) {
    const { writes } = this.#net;
    const isWithdrawn = writes.withdraw("events.publish", id);
    const known = this.kept.event(id)?.event ?? null;
    if (isWithdrawn && known?.state === "draft") {
      this.dispatchEvent(new CustomEvent("event", { detail: known }));
      return known;
    }
    const mayBeDraft = isWithdrawn ? known === null : writes.find("events.publish", id) !== null;
    return this.#write("events.cancel", { event: id, ...(reason && { reason }) }, { mayBeDraft });
  }

  /** Deletes a draft. */
  async remove({ id, details: { title } }) {
    const isSent = await this.#net.writes.write("events.delete", { event: id }, { title });
    this.#isGone(id);
    return isSent;
  }

  /** New events that wait, `{id, details}` each. */
  get waiting() {
    return (this.#net.writes?.waiting ?? []).filter(({ method }) => method === "events.create").map(({ params }) => params);
  }

  /** Deleted drafts that wait, `{id, title}` each. */
  get deleted() {
    return (this.#net.writes?.waiting ?? []).filter(({ method }) => method === "events.delete")
      .map(({ subject, shown }) => ({ id: subject, title: shown?.title ?? "Draft" }));
  }

  /** Loads the invitations again. */
  async loadInvitations() {
    clearTimeout(this.#listTimer);
    const account = this.#account;
    if (account === null) return;
    try {
      const { events } = await this.#net.request("events.list", { which: "invited", limit: invitationsMax });
      if (account === this.#account) this.#setInvitations(events);
    } catch (error) {
      if (account === this.#account && error.isTransient) this.#listTimer = setTimeout(() => this.#loadAgain(), askAgainMilliseconds);
    }
  }

  #loadAgain() {
    if (this.#net.state === "live") this.loadInvitations();
  }

  async #request(method, params) {
    const account = this.#account;
    const event = await this.#net.request(method, params);
    if (account === this.#account) this.#take(event);
    return this.withWaiting(event);
  }

  /** What was entered in a form is not lost when its event is refused later. */
  #refused({ method, params, shown }) {
    if (shown?.draft) eventDrafts.write(this.#account, params.event ?? "new", { ...shown.draft, at: Date.now() });
    if (method !== "events.create") this.get(params.event).catch(() => {});
  }

  async #write(method, params, shown = null) {
    const account = this.#account;
    const event = await this.#net.writes.write(method, params, shown);
    if (event === null) this.dispatchEvent(new CustomEvent("waiting", { detail: params.event }));
    // The end of what is a draft.
    else if (!event.id) return this.get(params.event);
    else if (account === this.#account) this.#take(event);
    return event;
  }

  /** The event with the changes by this account that wait. */
  withWaiting(given) {
    const event = this.#withChanges(given);
    const answer = this.#net.writes?.find("events.answer", event.id);
    const save = this.#net.writes?.find("events.save", event.id);
    const mine = { ...(answer ? answered(event, answer.answer ?? null) : event).mine, ...(save && { saved: save.saved }) };
    return answer ? { ...answered(event, answer.answer ?? null), mine } : save ? { ...event, mine } : event;
  }

  #withChanges(event) {
    const find = (method) => this.#net.writes?.find(method, event.id);
    const [update, cancel] = [find("events.update"), find("events.cancel")];
    if (!update && !cancel && !find("events.publish")) return event;
    const state = cancel ? "cancelled" : find("events.publish") ? "published" : event.state;
    return { ...event, state, ...(update && { details: update.details }), ...(cancel?.reason && { cancelReason: cancel.reason }) };
  }

  #take(event) {
    // On the waiting list again, the person can move up again.
    if (event.mine.queue) this.#emitted.delete(`${event.id} movedUp`);
    this.kept.put(event, Date.now());
    this.dispatchEvent(new CustomEvent("event", { detail: this.withWaiting(event) }));
    const isOpen = event.mine.invitedBy && !event.mine.answer && event.state === "published";
    const isListed = this.invitations.some(({ id }) => id === event.id);
    if (isOpen && !isListed) this.loadInvitations();
    else if (isOpen) this.#setInvitations(this.invitations.map((other) => (other.id === event.id ? event : other)));
    else if (isListed) this.#setInvitations(this.invitations.filter(({ id }) => id !== event.id));
  }

  #setInvitations(events) {
    this.invitations = events;
    this.dispatchEvent(new Event("invitations"));
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    const before = this.#account;
    this.#account = account;
    this.kept.use(account);
    this.#subscription?.close();
    this.#subscription = null;
    this.#options = null;
    this.#hasRenewed = false;
    this.#asked.clear();
    this.#emitted.clear();
    clearTimeout(this.#listTimer);
    // The next person at this device finds nothing of the one before.
    if (before !== null || account !== null) eventDrafts.clear(account ?? this.#net.returning);
    this.#setInvitations([]);
    if (account === null) return;
    this.#subscription = this.#net.subscribe(`user/${account}`, { snapshot: () => this.#renew(), push: (signal) => this.#signal(signal) });
  }

  /** After a reconnect signals may be missing. */
  #renew() {
    this.loadInvitations();
    if (this.#hasRenewed) this.dispatchEvent(new Event("renew"));
    this.#hasRenewed = true;
  }

  #signal({ type, event, news }) {
    if (type === "resync") return this.#renew();
    if (type === "goal" || type === "notices" || type === "account") return this.dispatchEvent(new Event(type));
    if (type !== "event") return undefined;
    const before = this.#asked.get(event);
    if (!before || newsOrder.indexOf(news) > newsOrder.indexOf(before)) this.#asked.set(event, news);
    // Signals that follow do not put it off: answers may come all the time.
    if (this.#askTimer === 0) this.#askTimer = setTimeout(() => this.#ask(), askTogetherMilliseconds);
    return undefined;
  }

  #ask() {
    this.#askTimer = 0;
    const asked = [...this.#asked];
    this.#asked.clear();
    if (asked.length > askedAtOnceMax) this.#renew();
    for (const [id, news] of asked.slice(0, askedAtOnceMax)) this.#askOne(id, news);
  }

  async #askOne(id, news) {
    const account = this.#account;
    try {
      const event = await this.get(id);
      if (account === this.#account && this.#isNew(event, news)) this.dispatchEvent(new CustomEvent("news", { detail: { event, news } }));
    } catch (error) {
      if (account !== this.#account) return;
      // The account cannot see it any more.
      if (error.isNotFound) this.#isGone(id);
    }
  }

  #isGone(id) {
    this.kept.remove(id);
    this.dispatchEvent(new CustomEvent("gone", { detail: id }));
  }

  #isNew(event, news) {
    // The counts show it.
    if (news === "answered") return false;
    const key = `${event.id} ${news}`;
    const isKnown = this.#emitted.has(key) && (news !== "changed" || this.#emitted.get(key) === event.revision);
    this.#emitted.delete(key);
    this.#emitted.set(key, event.revision);
    if (this.#emitted.size > newsMax) this.#emitted.delete(this.#emitted.keys().next().value);
    return !isKnown;
  }
}
