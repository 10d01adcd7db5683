// One conversation that is or was open: its log, members, receipts and typing. No DOM.

import { keptAt } from "../connection/keptage.js";
import { ConversationLog, tickOf } from "./log.js";

const pageLimit = 40;
/** Parameters of a conversation's newest messages, which the device keeps. */
export const historyParams = (conversation) => ({ conversation, limit: pageLimit });
const searchedPageLimit = 100;
/** Pages that a jump to one message loads at most. */
const pagesBackMax = 30;
const typingShownMilliseconds = 6_000;
const typingEveryMilliseconds = 2_000;
/** Changes within this time are kept together. */
const keepAfterMilliseconds = 500;
const receiptAfterMilliseconds = 250;
const receiptRetryMilliseconds = 2_000;
const receiptRetryMillisecondsMax = 60_000;

/** Emits `change`, and `closed` when the account is not a member any more. */
export class OpenConversation extends EventTarget {
  log = new ConversationLog();
  /** As in the list, once loaded. */
  conversation = null;
  members = [];
  /** `loading`, `ready`, or `failed` with `error`. */
  state = "loading";
  error = null;
  isLoadingOlder = false;
  isClosed = false;
  /** Time of what this device kept and is shown, in ms; null for what the server sent. */
  keptAt = null;
  /** account → local ms until which they are shown as writing. */
  typing = new Map();

  #net;
  #inbox;
  #subscription = null;
  #generation = 0;
  #typedAt = 0;
  #sentRead = 0;
  #sentDelivered = 0;
  #deliveredTimer = 0;
  #retryTimer = 0;
  #keepTimer = 0;
  #keepOf = null;
  #retryDelay = receiptRetryMilliseconds;
  #quotesUnderWay = new Set();
  /** The log may hold messages that the account must not see any more: it is replaced with the next answer. */
  #isStale = false;
  #isWanted = false;
  /** account → name, of all members while this was open, also after they left. */
  #names = new Map();

  /** `inbox` keeps the unread counts: `{read(id, offset), message(id, message), put(conversation)}`. */
  constructor(id, net, inbox) {
    super();
    this.id = id;
    this.#net = net;
    this.#inbox = inbox;
  }

  get me() {
    return this.#net.account?.id ?? null;
  }

  /** The name of a member or former member. */
  nameOf(account) {
    return this.#names.get(account) ?? null;
  }

  /** Whether changes of its messages arrive here. */
  get isFollowed() {
    return this.#subscription !== null;
  }

  /** Names of the members that are writing now. */
  get writing() {
    const now = Date.now();
    return [...this.typing].filter(([, until]) => until > now).map(([account]) => this.nameOf(account) ?? "Someone");
  }

  tick(offset) {
    return tickOf(offset, this.members, this.me);
  }

  /** Begins to follow it, from where it was left. */
  async open() {
    const mine = ++this.#generation;
    this.#isWanted = true;
    try {
      const known = this.#isStale ? null : this.log.position;
      const [details, page] = await Promise.all([
        this.#net.read("chat.conversation", { conversation: this.id, opens: true }),
        // An invited account may see the name of the conversation and not its messages.
        known ? null : this.#net.read("chat.history", historyParams(this.id)).catch((error) => ({ error })),
      ]);
      if (mine !== this.#generation) return;
      this.#details(details);
      this.keptAt = keptAt(details, page);
      if (page?.error && details.conversation.state === "joined") throw page.error;
      if (page && !page.error) {
        this.log.page(page);
        this.#isStale = false;
      }
      this.state = "ready";
      this.error = null;
      if (details.conversation.state === "joined") this.#follow();
    } catch (error) {
      if (mine !== this.#generation) return;
      this.error = error;
      if (!this.log.position) this.state = "failed";
      // The known log is shown. The subscription follows it again when the network is back.
      else if (!this.#isStale || !this.#subscription) this.#follow();
      if (error.isForbidden || error.isNotFound) this.#end();
    }
    this.#changed();
  }

  /** Loads everything again, now or when it is opened: somebody may have been blocked or unblocked. */
  renew() {
    this.#isStale = true;
    this.#quotesUnderWay.clear();
    if (this.#isWanted) this.open();
  }

  /** Stops to follow. The log is kept for the next time. */
  close() {
    this.#generation += 1;
    this.#keepNow();
    this.#isWanted = false;
    clearTimeout(this.#retryTimer);
    this.#subscription?.close();
    this.#subscription = null;
    this.typing.clear();
  }

  /** Loads members and name again: something about them changed. */
  async refresh() {
    try {
      this.#details(await this.#net.request("chat.conversation", { conversation: this.id }));
      this.keptAt = null;
      this.#changed();
    } catch {
      // Asked again after the next reconnect.
    }
  }

  /** Loads a page of older messages. True when there was one. */
  async loadOlder(limit = pageLimit) {
    if (this.isLoadingOlder || !this.log.older) return false;
    this.isLoadingOlder = true;
    this.#changed();
    try {
      const before = this.log.older;
      return this.log.page(await this.#net.request("chat.history", { conversation: this.id, before, limit }), before);
    } finally {
      this.isLoadingOlder = false;
      this.#changed();
    }
  }

  /** Loads back until the message is here. False when it is too far back, or gone. */
  async reach(offset) {
    for (let pages = 0; pages < pagesBackMax && !this.log.items.has(offset); pages += 1) {
      if (!this.log.older || this.log.older <= offset || !(await this.loadOlder(searchedPageLimit))) break;
    }
    return this.log.items.has(offset);
  }

  /** The message at `offset`, which another message quotes; requested when it is not loaded. Null until it is there. */
  quote(offset) {
    const item = this.log.items.get(offset) ?? this.log.quoted.get(offset);
    if (!item && !this.#quotesUnderWay.has(offset)) this.#loadQuote(offset);
    return item?.type === "message" ? item : null;
  }

  /** Marks all messages as read: the newest one is on screen. */
  readAll() {
    const { newest } = this.log;
    if (newest <= this.#sentRead || this.isClosed) return;
    const isCertain = this.#inbox.read(this.id, newest);
    const before = this.#sentRead;
    this.#sentRead = newest;
    // A message that was read was delivered.
    this.#sentDelivered = Math.max(this.#sentDelivered, newest);
    this.#net.request("chat.read", { conversation: this.id, offset: newest }).then(() => {
      this.#retryDelay = receiptRetryMilliseconds;
      if (!isCertain) this.refresh();
    }, () => {
      if (this.#sentRead === newest) this.#sentRead = before;
      this.#retryReceipt();
    });
  }

  /** Has the page ask for the receipt again, ever more rarely: without it, the others' messages look unread until something changes. */
  #retryReceipt() {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => { if (this.#isWanted) this.#changed(); }, this.#retryDelay);
    this.#retryDelay = Math.min(this.#retryDelay * 2, receiptRetryMillisecondsMax);
  }

  /** Notifies the others that the account is writing, not too often. */
  typed() {
    const now = Date.now();
    if (now - this.#typedAt < typingEveryMilliseconds || this.#net.state !== "live") return;
    this.#typedAt = now;
    this.#net.request("chat.typing", { conversation: this.id }).catch(() => {});
  }

  /** The text was sent: the next one is notified without a wait. */
  stoppedTyping() {
    this.#typedAt = 0;
  }

  /** Takes an own message, at the offset that the reply to `chat.send` gave. */
  placed(entry, { epoch, offset, at }) {
    if (epoch !== this.log.epoch || !offset) return;
    const picture = entry.pictureId ? { id: entry.pictureId, width: entry.width, height: entry.height } : undefined;
    this.log.placeOwn({ by: this.me, id: entry.id, text: entry.text, picture, reply: entry.reply, at: at ?? entry.at }, offset);
    this.#changed();
  }

  /** Gives a reaction or takes it back; shown at once, and as it was again when the server refuses. */
  async react(message, emoji, on) {
    this.#change({ type: "reaction", message, emoji, on });
    try {
      return await this.#net.writes.write("chat.react", { conversation: this.id, message, emoji, on });
    } catch (error) {
      this.#change({ type: "reaction", message, emoji, on: !on });
      throw error;
    }
  }

  /** Edits or deletes a message. What has to wait is shown at once, by the `event` that will be pushed later. */
  async write(method, params, event) {
    const reply = await this.#net.writes.write(method, { conversation: this.id, ...params });
    if (reply === null) this.#change({ ...event, message: params.message, at: new Date().toISOString() });
    return reply;
  }

  #change(event) {
    this.log.change({ ...event, by: this.me });
    this.#changed();
  }

  /** Shows its name and mute as changes that wait make them. */
  showWaiting() {
    if (!this.conversation) return;
    ({ conversation: this.conversation } = this.#net.writes.shown("chat.conversation", {}, { conversation: this.conversation }));
    this.#changed();
  }

  #follow() {
    if (this.#subscription) return this.#subscription.again();
    this.#subscription = this.#net.subscribe(`chat/${this.id}`, {
      publication: (data, position, { isRecovered }) => this.#publication(data, position, isRecovered),
      push: (data) => this.#aside(data),
      lost: () => this.#reload(),
      caughtUp: (position) => this.#caughtUp(position),
      error: (error) => { if (error.isForbidden || error.isNotFound) this.#end(); },
    }, { since: () => this.log.position });
    return undefined;
  }

  #publication(event, position, isRecovered) {
    const isGap = this.log.take(event, position) === "gap";
    if (isRecovered) {
      if (isGap) this.#reload();
      return;
    }
    // A gap: a page of history was loaded meanwhile that ends earlier.
    if (isGap) this.#subscription?.again();
    else this.#happened(event, position.offset);
    this.#changed();
  }

  #caughtUp(position) {
    // The request before the network was back has failed.
    if (this.#isStale) {
      this.open();
      return;
    }
    this.log.moveTo(position);
    this.#received();
    // Receipts are pushed from here on and never again: those since the members were loaded are in the newer members only.
    this.refresh();
    this.#changed();
  }

  /** Replaces the log by the newest page: too much was missed. */
  async #reload() {
    this.#subscription?.close();
    this.#subscription = null;
    this.log.clear();
    this.members = [];
    await this.open();
  }

  #happened(event, offset) {
    this.typing.delete(event.by);
    if (event.type === "message") {
      const { by, at, text, picture } = event;
      const last = { offset, by, name: this.nameOf(by) ?? "", at, text, picture: Boolean(picture), deleted: false };
      this.#inbox.message(this.id, last);
      if (event.by !== this.me) this.#received();
    } else if (["joined", "left", "removed", "role", "renamed"].includes(event.type)) {
      this.refresh();
    } else if (event.type === "closed") {
      this.#end();
    }
  }

  #aside({ type, by, read, delivered }) {
    if (type === "closed") this.#end();
    if (type === "typing" && by !== this.me) {
      this.typing.set(by, Date.now() + typingShownMilliseconds);
      setTimeout(() => this.#changed(), typingShownMilliseconds + 50);
    }
    if (type === "receipt") {
      const member = this.members.find(({ person }) => person.account === by);
      if (member) Object.assign(member, withReceipt({ read, delivered }, member));
    }
    this.#changed();
  }

  /** Sends the delivery receipt for the newest message, a moment later. */
  #received() {
    clearTimeout(this.#deliveredTimer);
    this.#deliveredTimer = setTimeout(() => {
      const { newest } = this.log;
      if (newest <= this.#sentDelivered || this.isClosed || this.#net.state !== "live") return;
      this.#sentDelivered = newest;
      this.#net.request("chat.delivered", { conversation: this.id, offset: newest }).catch(() => {});
    }, receiptAfterMilliseconds);
  }

  async #loadQuote(offset) {
    this.#quotesUnderWay.add(offset);
    try {
      const page = await this.#net.request("chat.history", { conversation: this.id, before: offset + 1, limit: 1 });
      this.log.quote(page);
      this.#changed();
    } catch {
      // It stays under way, so that it is not requested again with each drawing. The quote stands for an earlier message.
    }
  }

  #details({ conversation, members }) {
    this.conversation = conversation;
    // A receipt may overtake the answer.
    const known = new Map(this.members.map((member) => [member.person.account, member]));
    this.members = members.map((member) => withReceipt(member, known.get(member.person.account)));
    for (const { person: { account, name } } of members) {
      if (name) this.#names.set(account, name);
      else this.#names.delete(account);
    }
    this.#sentRead = Math.max(this.#sentRead, conversation.read);
    this.#inbox.put(conversation);
  }

  #end() {
    this.isClosed = true;
    this.close();
    this.dispatchEvent(new Event("closed"));
  }

  /** Keeps the newest messages as they are now: later ones, edits and deletions are not in the page that the server sent. */
  #keepLater() {
    if (this.state !== "ready" || this.keptAt !== null || this.isClosed || !this.#isWanted || !this.#net.replies) return;
    clearTimeout(this.#keepTimer);
    this.#keepOf = this.me;
    this.#keepTimer = setTimeout(() => this.#keepNow(), keepAfterMilliseconds);
  }

  /** Keeps what changed last, now. Once it is closed the log is not followed any more. */
  #keepNow() {
    if (this.#keepTimer === 0) return;
    clearTimeout(this.#keepTimer);
    this.#keepTimer = 0;
    if (this.log.position && this.#keepOf === this.me && !this.isClosed && !this.#isStale) {
      this.#net.keep("chat.history", historyParams(this.id), this.log.newestPage(pageLimit));
    }
  }

  #changed() {
    this.#keepLater();
    this.dispatchEvent(new Event("change"));
  }
}

/** A member with the later receipts of what is known and what was received. */
function withReceipt(received, known) {
  return { ...received, read: further(known?.read, received.read), delivered: further(known?.delivered, received.delivered) };
}

/** The later of two receipts. Without a received one there is none: the member has switched receipts off. */
function further(known, received) {
  return received === null || received === undefined ? null : Math.max(known ?? 0, received);
}
