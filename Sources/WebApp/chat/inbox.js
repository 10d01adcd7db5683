// One's conversations, newest first, with counts of what is unread. No DOM, no network.

/** Messages that were told of one by one since the list was loaded; more than a list can miss. */
const recentMax = 1_000;

/** The server counts; between its lists each message that is told of counts once, however often and by whom it is told. */
export class Inbox {
  /** id → the conversation as `chat.list` gives it. */
  conversations = new Map();
  isLoaded = false;

  #me;
  /** id → `[{offset, by}]`, messages told of since, oldest first. */
  #recent = new Map();

  constructor(me) {
    this.#me = me;
  }

  /** Invitations first, then by time, newest first. */
  get ordered() {
    const isInvited = ({ state }) => state === "invited";
    return [...this.conversations.values()].sort((a, b) => isInvited(b) - isInvited(a) || Date.parse(b.at) - Date.parse(a.at) || b.id - a.id);
  }

  /** All that is unread, and invitations. */
  get unread() {
    let sum = 0;
    for (const { state, unread } of this.conversations.values()) sum += state === "invited" ? 1 : unread;
    return sum;
  }

  /** Takes `chat.list`'s reply. Returns those of which it is not known how much is unread. */
  load(conversations) {
    const before = this.conversations;
    this.conversations = new Map();
    for (const conversation of conversations) this.conversations.set(conversation.id, before.get(conversation.id));
    for (const id of this.#recent.keys()) if (!this.conversations.has(id)) this.#recent.delete(id);
    this.isLoaded = true;
    return conversations.filter((conversation) => !this.put(conversation)).map(({ id }) => id);
  }

  /** Takes one conversation as the server has it. False when its count may be of before what was read here: ask again. */
  put(conversation) {
    const known = this.conversations.get(conversation.id);
    const taken = { ...conversation };
    this.conversations.set(taken.id, taken);
    // Told of while the reply was under way.
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

  /** Somebody wrote. True when that is new here; false as well when the conversation is not known: ask for it. */
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

  /** Read up to there, here or elsewhere. False when it is not known what is left unread: ask. */
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

  /** A conversation that is not one's own any more. */
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

/** Whether a conversation is to be silent now. */
export function isMuted({ mutedUntil }, now = Date.now()) {
  return Boolean(mutedUntil) && Date.parse(mutedUntil) > now;
}
