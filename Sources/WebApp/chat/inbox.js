// The account's conversations, newest first, with counts of unread messages. No DOM, no network.

/** Messages that were pushed since the list was loaded; more than a list can miss. */
const recentMax = 1_000;

/** Counts as the server does. Between two lists of the server each pushed message counts once, however often it is pushed. */
export class Inbox {
  /** id → the conversation as `chat.list` gives it. */
  conversations = new Map();
  isLoaded = false;

  #me;
  /** id → `[{message}]`, pushed since the list was loaded, oldest first. */
  #recent = new Map();

  constructor(me) {
    this.#me = me;
  }

  /** Invitations first, then by time, newest first. */
  get ordered() {
    const isInvited = ({ state }) => state === "invited";
    const byTime = (a, b) => Date.parse(b.at) - Date.parse(a.at) || b.id - a.id;
    return [...this.conversations.values()].sort((a, b) => Number(isInvited(b)) - Number(isInvited(a)) || byTime(a, b));
  }

  /** Number of unread messages and invitations. */
  get unread() {
    let sum = 0;
    for (const { state, unread } of this.conversations.values()) sum += state === "invited" ? 1 : unread;
    return sum;
  }

  /** Takes the reply to `chat.list`. Returns the conversations whose unread count is uncertain. */
  load(conversations) {
    const before = this.conversations;
    this.conversations = new Map();
    for (const conversation of conversations) this.conversations.set(conversation.id, before.get(conversation.id));
    for (const id of this.#recent.keys()) if (!this.conversations.has(id)) this.#recent.delete(id);
    this.isLoaded = true;
    return conversations.filter((conversation) => !this.put(conversation)).map(({ id }) => id);
  }

  /** Takes one conversation of the server. False when its count may be older than a reading here: then it is requested again. */
  put(conversation) {
    const known = this.conversations.get(conversation.id);
    const taken = { ...conversation };
    this.conversations.set(taken.id, taken);
    // Pushed while the reply was in flight.
    const later = (this.#recent.get(taken.id) ?? []).filter(({ message }) => message.offset > taken.head);
    this.#recent.set(taken.id, later);
    let isCertain = true;
    if (known && known.read > taken.read) {
      taken.read = known.read;
      isCertain = known.read >= taken.head || taken.unread === 0;
      if (known.read >= taken.head) taken.unread = 0;
    }
    for (const { message } of later) this.#count(taken, message);
    return isCertain;
  }

  /** Takes a message. True when it is new here; false also when the conversation is not known, which is then requested. */
  message(id, message) {
    const conversation = this.conversations.get(id);
    if (!conversation) return false;
    const recent = this.#recent.get(id) ?? [];
    const isKnown = message.offset <= conversation.head || recent.some((other) => other.message.offset === message.offset);
    if (isKnown) return false;
    recent.push({ message });
    if (recent.length > recentMax) recent.shift();
    this.#recent.set(id, recent);
    this.#count(conversation, message);
    return true;
  }

  /** Marks messages up to `offset` as read. False when the unread count is uncertain: then the conversation is requested. */
  read(id, offset) {
    const conversation = this.conversations.get(id);
    if (!conversation || offset <= conversation.read) return true;
    conversation.read = offset;
    const recent = this.#recent.get(id) ?? [];
    const left = recent.filter(({ message }) => message.offset > offset && message.by !== this.#me).length;
    const isCertain = offset >= conversation.head || conversation.unread === 0;
    conversation.unread = isCertain ? left : conversation.unread;
    return isCertain;
  }

  /** Removes a conversation that the account is not in any more. */
  remove(id) {
    this.#recent.delete(id);
    return this.conversations.delete(id);
  }

  #count(conversation, message) {
    if (!conversation.last || message.offset >= conversation.last.offset) {
      conversation.last = message;
      conversation.at = message.at;
    }
    if (message.by !== this.#me && message.offset > conversation.read) conversation.unread += 1;
  }
}

/** Whether alerts of a conversation are muted now. */
export function isMuted({ mutedUntil }, now = Date.now()) {
  return Boolean(mutedUntil) && Date.parse(mutedUntil) > now;
}
