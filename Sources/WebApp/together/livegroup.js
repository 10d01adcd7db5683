// A live group as this device knows it: its members and their progress, by its topic. No DOM.

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

  constructor(net, id) {
    super();
    this.#net = net;
    this.id = id;
    this.#subscription = net.subscribe(`workout/${id}`, {
      snapshot: (snapshot) => this.#replace(snapshot.group),
      push: (update) => this.#take(update),
      error: (error) => this.#failed(error),
    });
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

  /** Subscribes once more: a person who joined may see what an invited one may not. */
  again() {
    this.#subscription.again();
  }

  close() {
    this.#subscription.close();
  }

  #replace({ members, ...info }) {
    const before = this.members;
    this.info = info;
    this.members = new Map(members.map((member) => [member.username, member]));
    this.state = info.endedAt ? "closed" : "live";
    if (info.endedAt) this.reason = "the live group has ended";
    this.#received(before);
  }

  #take({ type, members = [], gone = [], full = false, reason = null }) {
    if (type === "closed") {
      this.state = "closed";
      this.reason = reason;
      this.#subscription.close();
      this.#received(this.members);
      return;
    }
    if (type !== "members") return;
    const before = this.members;
    this.members = new Map(full ? [] : before);
    for (const member of members) this.members.set(member.username, member);
    for (const username of gone) this.members.delete(username);
    this.#received(before);
  }

  #received(before) {
    this.receivedAt = this.#net.clock.now();
    this.dispatchEvent(new CustomEvent("members", { detail: { before } }));
    this.dispatchEvent(new Event("change"));
  }

  /** An invited person learns of the group by the list of invitations. */
  async #failed(error) {
    if (error.isTransient || this.state === "closed") return;
    try {
      const { groups } = await this.#net.request("together.list");
      const group = groups.find(({ id }) => id === this.id);
      if (group && this.state === "loading") return this.#replace(group);
    } catch {
      // The first error says it.
    }
    if (this.state === "loading") {
      this.state = "failed";
      this.problem = error;
    } else {
      this.state = "closed";
    }
    this.dispatchEvent(new Event("change"));
    return undefined;
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
