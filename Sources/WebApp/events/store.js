// Events as this device knows them: invitations that wait for an answer, what one does with an event, and what is new. No DOM.

import { clearEventDrafts } from "./drafts.js";
import { KeptEvents } from "./kept.js";

/** Signals of one event that come together are one question to the server. */
const askTogetherMilliseconds = 300;
/** Of more events at once only the lists are loaded anew. */
const askedAtOnceMax = 8;
const invitationsMax = 50;
const askAgainMilliseconds = 5_000;
/** The server tells at least once; what was told is remembered for so many. */
const toldMax = 200;

/** What matters most of several news of one event. */
const newsOrder = ["answered", "changed", "invited", "movedUp", "cancelled"];

/**
 * Emits `event` with `detail: Event` when one is known anew, `gone` with `detail: id`, `invitations` when that list changed, `renew`
 * when anything may have changed, `goal` when this month's goal was reached, `notices` when some were read, and `news` with `detail: {event, news}` for what others did.
 */
export class Events extends EventTarget {
  /** One is invited to these and has not answered. */
  invitations = [];
  /** What to show while there is no network. */
  kept = new KeptEvents();

  #net;
  #account = null;
  #subscription = null;
  #options = null;
  #asked = new Map();
  #askTimer = 0;
  #listTimer = 0;
  #hasRenewed = false;
  /** `event news` → the revision that was told. */
  #told = new Map();

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("account", () => this.#useAccount());
    this.kept.use(net.account?.id ?? null);
    this.#useAccount();
  }

  /** Kinds of workouts and what one may do, asked for once and again after a failure. */
  options() {
    this.#options ??= this.#net.request("events.options").catch((error) => {
      this.#options = null;
      throw error;
    });
    return this.#options;
  }

  async get(id) {
    try {
      return await this.#request("events.get", { event: id });
    } catch (error) {
      if (error.code === 1003) this.kept.remove(id);
      throw error;
    }
  }

  /** `going`, `maybe`, `no`; null takes it back. */
  async answer(id, answer) {
    return this.#request("events.answer", { event: id, ...(answer && { answer }) });
  }

  async save(id, saved) {
    return this.#request("events.save", { event: id, saved });
  }

  async create({ id, audience, details, publish }) {
    return this.#request("events.create", { id, audience, details, publish });
  }

  async update(id, revision, details) {
    return this.#request("events.update", { event: id, revision, details });
  }

  async publish(id) {
    return this.#request("events.publish", { event: id });
  }

  async cancel(id, reason) {
    return this.#request("events.cancel", { event: id, ...(reason && { reason }) });
  }

  /** A draft goes. */
  async remove(id) {
    await this.#net.request("events.delete", { event: id });
    this.#isGone(id);
  }

  /** Loads anew what waits for an answer. */
  async loadInvitations() {
    clearTimeout(this.#listTimer);
    const account = this.#account;
    if (account === null) return;
    try {
      const { events } = await this.#net.request("events.list", { which: "invited", limit: invitationsMax });
      if (account === this.#account) this.#setInvitations(events);
    } catch (error) {
      if (account === this.#account && error.isTransient) this.#listTimer = setTimeout(() => { if (this.#net.state === "live") this.loadInvitations(); }, askAgainMilliseconds);
    }
  }

  async #request(method, params) {
    const account = this.#account;
    const event = await this.#net.request(method, params);
    if (account === this.#account) this.#take(event);
    return event;
  }

  #take(event) {
    // Who waits again can move up again.
    if (event.mine.queue) this.#told.delete(`${event.id} movedUp`);
    this.kept.put(event, Date.now());
    this.dispatchEvent(new CustomEvent("event", { detail: event }));
    const isOpen = event.mine.invitedBy && !event.mine.answer && event.state === "published";
    const isListed = this.invitations.some(({ id }) => id === event.id);
    if (isOpen && !isListed) this.loadInvitations();
    else if (isListed) this.#setInvitations(isOpen ? this.invitations.map((other) => (other.id === event.id ? event : other)) : this.invitations.filter(({ id }) => id !== event.id));
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
    this.#told.clear();
    clearTimeout(this.#listTimer);
    // The next one at this device is not to find anything of the one before.
    if (before !== null || account !== null) clearEventDrafts(account ?? this.#net.returning);
    this.#setInvitations([]);
    if (account !== null) this.#subscription = this.#net.subscribe(`user/${account}`, { snapshot: () => this.#renew(), push: (signal) => this.#signal(signal) });
  }

  /** After a reconnect signals may be missing. */
  #renew() {
    this.loadInvitations();
    if (this.#hasRenewed) this.dispatchEvent(new Event("renew"));
    this.#hasRenewed = true;
  }

  #signal({ type, event, news }) {
    if (type === "resync") return this.#renew();
    if (type === "goal" || type === "notices") return this.dispatchEvent(new Event(type));
    if (type !== "event") return undefined;
    const before = this.#asked.get(event);
    if (!before || newsOrder.indexOf(news) > newsOrder.indexOf(before)) this.#asked.set(event, news);
    // Not put off by each that follows: answers may come all the time.
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
      // Not open to us any more.
      if (error.code === 1003) this.#isGone(id);
    }
  }

  #isGone(id) {
    this.kept.remove(id);
    this.dispatchEvent(new CustomEvent("gone", { detail: id }));
  }

  #isNew(event, news) {
    // It shows in the counts.
    if (news === "answered") return false;
    const key = `${event.id} ${news}`;
    const isKnown = this.#told.has(key) && (news !== "changed" || this.#told.get(key) === event.revision);
    this.#told.delete(key);
    this.#told.set(key, event.revision);
    if (this.#told.size > toldMax) this.#told.delete(this.#told.keys().next().value);
    return !isKnown;
  }
}
