// One conversation's log in memory: its messages by offset, with later edits, deletions and reactions. No DOM, no network.

/** Changes are kept for pages of history that were read before them. */
const changesMax = 500;
const kindsShown = new Set(["message", "joined", "left", "removed", "role", "renamed", "opened", "closed"]);
const changes = new Set(["edited", "deleted", "reaction"]);

/** Takes pages of history and pushes. Both may repeat each other: the result is the same. */
export class ConversationLog {
  /** offset → item: the event's members, `offset`, and `reactions`, a map of emoji → set of accounts. */
  items = new Map();
  /** Messages that were loaded to be quoted only, as `items`. */
  quoted = new Map();
  /** Where the log stands: the last publication that was applied; null before the first page. */
  epoch = null;
  offset = null;
  /** The `before` for older messages; null when there are none; undefined until a page was loaded. */
  older = undefined;

  #changes = [];
  #ordered = null;

  /** For a subscription's `since`. */
  get position() {
    return this.offset === null ? null : { epoch: this.epoch, offset: this.offset };
  }

  /** The items to show, oldest first. */
  get ordered() {
    this.#ordered ??= [...this.items.values()].filter(({ type }) => kindsShown.has(type)).sort((a, b) => a.offset - b.offset);
    return this.#ordered;
  }

  /** The newest message's offset; 0 when there is none. */
  get newest() {
    return this.ordered.findLast(({ type }) => type === "message")?.offset ?? 0;
  }

  /** Forgets everything. */
  clear() {
    this.items.clear();
    this.quoted.clear();
    this.epoch = this.offset = null;
    this.older = undefined;
    this.#changes = [];
    this.#ordered = null;
  }

  /** Takes a page of `chat.history`: the newest (`before` undefined), which starts over, or an older one. */
  page({ epoch, head, items, next }, before) {
    if (before === undefined) {
      this.clear();
      this.epoch = epoch;
      this.offset = head;
    } else if (epoch !== this.epoch) {
      return false;
    }
    for (const { offset, event, reactions } of items) this.items.set(offset, makeItem(offset, event, reactions));
    this.older = next ?? null;
    this.#ordered = null;
    // Changes after the server read the page and before it arrived.
    for (const { offset, event } of this.#changes) if (offset > head) this.#change(event);
    return true;
  }

  /** The newest `limit` items as a page of `chat.history` has them, with all later changes. */
  newestPage(limit) {
    const all = [...this.items.values()].sort((one, other) => one.offset - other.offset);
    const items = all.slice(-limit).map(({ offset, reactions, ...event }) => (
      { offset, event, reactions: [...reactions].map(([emoji, by]) => ({ emoji, by: [...by] })) }));
    return { epoch: this.epoch, head: this.offset, items, next: all.length > limit ? items[0].offset : this.older ?? null };
  }

  /** Takes one message that is quoted but not loaded. */
  quote({ head, items }) {
    for (const { offset, event, reactions } of items) this.quoted.set(offset, makeItem(offset, event, reactions));
    for (const { offset, event } of this.#changes) if (offset > head) this.#change(event);
  }

  /** A publication: `new` when it was the next, `old` when it is known, `gap` when something is missing before it. */
  take(event, { epoch, offset }) {
    if (this.offset === null || epoch !== this.epoch || offset > this.offset + 1) return "gap";
    if (offset <= this.offset) return "old";
    this.offset = offset;
    this.#apply(event, offset);
    return "new";
  }

  /** Takes the position up to which the log was read: the last publications may be of nothing that is shown. */
  moveTo({ epoch, offset }) {
    if (epoch === this.epoch && offset > this.offset) this.offset = offset;
  }

  /** Adds an own message at the offset that the reply to `chat.send` gave, before its push arrives. */
  placeOwn(message, offset) {
    if (this.items.has(offset) || this.offset === null) return;
    this.items.set(offset, makeItem(offset, { ...message, type: "message" }));
    this.#ordered = null;
  }

  /** Changes a message, as the event that will be pushed later does: a reaction, an edit or a deletion. */
  change(event) {
    this.#change(event);
  }

  /** Whether a message with this id (its sender's) is here. */
  has(id) {
    return this.ordered.some((item) => item.id === id);
  }

  #apply(event, offset) {
    if (changes.has(event.type)) {
      this.#changes.push({ offset, event });
      if (this.#changes.length > changesMax) this.#changes.shift();
      this.#change(event);
      return;
    }
    this.items.set(offset, makeItem(offset, event));
    this.#ordered = null;
  }

  #change(event) {
    for (const items of [this.items, this.quoted]) {
      const item = items.get(event.message);
      if (item) items.set(item.offset, changed(item, event));
    }
    this.#ordered = null;
  }
}

function makeItem(offset, event, reactions = null) {
  return { ...event, offset, reactions: new Map((reactions ?? []).map(({ emoji, by }) => [emoji, new Set(by)])) };
}

/** The item after a change, a new object: drawings compare objects. */
function changed(item, { type, text, at, by, emoji, on }) {
  if (type === "deleted") {
    return { ...item, text: undefined, picture: undefined, deletedAt: at ?? item.deletedAt ?? true, reactions: new Map() };
  }
  // A late change does not bring a deleted message back.
  if (item.deletedAt) return item;
  if (type === "edited") return text === undefined || text === null ? item : { ...item, text, editedAt: at };
  const reactions = new Map(item.reactions);
  const accounts = new Set(reactions.get(emoji));
  if (on) accounts.add(by);
  else accounts.delete(by);
  if (accounts.size > 0) reactions.set(emoji, accounts);
  else reactions.delete(emoji);
  return { ...item, reactions };
}

/** How far an own message got: `read`, `delivered` or `sent`. In a group, with all members that send receipts. */
export function tickOf(offset, members, me) {
  const others = members.filter(({ person, state }) => person.account !== me && state === "joined");
  const all = (isThere, sendsReceipts) => {
    const asked = others.filter(sendsReceipts);
    return asked.length > 0 && asked.every(isThere);
  };
  const isSet = (value) => value !== null && value !== undefined;
  if (all(({ read }) => read >= offset, ({ read }) => isSet(read))) return "read";
  const got = ({ read, delivered }) => (delivered ?? -1) >= offset || (read ?? -1) >= offset;
  return all(got, ({ read, delivered }) => isSet(delivered) || isSet(read)) ? "delivered" : "sent";
}
