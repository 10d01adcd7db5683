// A live group as this device knows it: its members and their progress, by its topic. People who were invited or have left see it by the
// list of groups. No DOM.

import { RequestError } from "../client/errors.js";
import { topicCloseReasons } from "../client/registry.js";

/**
 * Emits `change` when anything is another, and `members` with `detail: {before}`, the members before, with each message.
 * `state` is `loading`, `live`, `closed` (see `reason`) or `failed` (see `problem`).
 */
export class LiveGroup extends EventTarget {
  state = "loading";
  /** `LiveGroup` of the protocol, without its members; null before it is there. */
  info = null;
  /** Members by username. */
  members = new Map();
  /** Why the group is over, by its topic. */
  reason = null;
  /** Why the group could not be loaded. */
  problem = null;
  /** Time of the last message, by the clock of the server; null before. */
  receivedAt = null;

  #net;
  #subscription;
  /** Whether a request is in flight that hides the zone. */
  #isHiding = false;
  /** Whether the topic brings the changes. */
  #isSubscribed = false;

  constructor(net, id) {
    super();
    this.#net = net;
    this.id = id;
    this.again();
  }

  /** The reader's own member, or null. */
  get own() {
    return this.members.get(this.#net.account?.username) ?? null;
  }

  get isHost() {
    return this.own?.isHost ?? false;
  }

  /** Takes the group as the reply to another request has it. */
  taken(group) {
    this.#replace(group);
  }

  /**
   * Shows the caller's heart-rate zone to the others, or hides it. To hide it holds here at once, and is sent when there is a connection;
   * to show it needs one. Resolves to the reply of `together.join`, or to null when the change waits.
   */
  async shareZone(sharesZone) {
    const { account, writes, state } = this.#net;
    if (sharesZone && state !== "live") throw new RequestError("offline", "You're offline. Share your zone when you're back online.");
    this.#isHiding = !sharesZone;
    this.#noteHidden();
    try {
      const reply = await writes.write("together.join", { group: this.id, sharesZone, username: account.username });
      this.#isHiding = false;
      if (!reply?.group) return null;
      this.#replace(reply.group);
      return reply;
    } finally {
      this.#isHiding = false;
    }
  }

  /** Whether the server may still show the zone that the caller hides. */
  get #hidesZone() {
    return this.#isHiding || this.#net.writes?.find("together.join", this.id)?.sharesZone === false;
  }

  #noteHidden() {
    const { own } = this;
    if (!this.#hidesZone || !own?.sharesZone) return;
    this.members = new Map(this.members).set(own.username, { ...own, sharesZone: false });
    this.dispatchEvent(new Event("change"));
  }

  /** Subscribes, once more for a person who has joined: the topic is for those who take part. */
  again() {
    this.#subscription?.close();
    this.#subscription = this.#net.subscribe(`workout/${this.id}`, {
      snapshot: (snapshot) => {
        this.#isSubscribed = true;
        this.#replace(snapshot.group);
      },
      push: (update) => this.#take(update),
      error: (error) => (error.isTransient ? undefined : this.#reload(error)),
    });
  }

  /** The group changed for the account: without the topic, the list of groups has it. */
  changed() {
    return this.#isSubscribed || this.state === "closed" ? undefined : this.#reload(null);
  }

  close() {
    this.#subscription.close();
  }

  #replace({ members, ...info }) {
    const before = this.members;
    this.info = info;
    this.members = new Map(members.map((member) => [member.username, member]));
    this.state = info.endedAt ? "closed" : "live";
    if (info.endedAt) this.reason = topicCloseReasons.groupEnded;
    this.#received(before);
  }

  #take({ type, members = [], gone = [], full = false, reason = null }) {
    if (type === "closed") return this.#closed(reason);
    if (type !== "members") return undefined;
    const before = this.members;
    this.members = new Map(full ? [] : before);
    for (const member of members) this.members.set(member.username, member);
    for (const username of gone) this.members.delete(username);
    return this.#received(before);
  }

  #closed(reason) {
    this.#isSubscribed = false;
    this.#subscription.close();
    this.reason = reason;
    if (reason !== topicCloseReasons.groupEnded) return this.#reload(null);
    this.state = "closed";
    return this.#received(this.members);
  }

  #received(before) {
    this.#noteHidden();
    this.receivedAt = this.#net.clock.now();
    this.dispatchEvent(new CustomEvent("members", { detail: { before } }));
    this.dispatchEvent(new Event("change"));
  }

  /** Takes the group from the list; `error` is why its topic could not be subscribed. */
  async #reload(error) {
    this.#isSubscribed = false;
    try {
      const { groups } = await this.#net.request("together.list");
      const group = groups.find(({ id }) => id === this.id);
      if (group) this.#replace(group);
      else this.#gone(error);
      // On another device.
      if (group && !error && ["joined", "finished"].includes(this.own?.state)) this.again();
    } catch (failure) {
      if (!failure.isTransient) this.#gone(error ?? failure);
    }
  }

  #gone(error) {
    this.state = this.state === "loading" ? "failed" : "closed";
    this.problem = error;
    this.dispatchEvent(new Event("change"));
  }
}

/** Names of exercises by their ids, each asked for once. Emits `change` when a name came. */
export class ExerciseNames extends EventTarget {
  #net;
  #names = new Map();

  constructor(net) {
    super();
    this.#net = net;
  }

  /** Takes the names of exercises that are known already. */
  know(exercises) {
    for (const { id, name } of exercises) this.#names.set(id, name);
  }

  /** The name, or null while it is not known. */
  of(id) {
    if (!id) return null;
    if (!this.#names.has(id)) this.#load(id);
    return this.#names.get(id);
  }

  async #load(id) {
    this.#names.set(id, null);
    try {
      const { name } = await this.#net.request("exercises.get", { exercise: id });
      this.#names.set(id, name);
      this.dispatchEvent(new Event("change"));
    } catch (error) {
      // Without a name the set alone is shown.
      if (error.isTransient) this.#names.delete(id);
    }
  }
}
