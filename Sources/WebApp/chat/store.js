// Chat as a whole: the list with its counts, open conversations, waiting messages, delivery receipts. No DOM.

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { OpenConversation, historyParams } from "./conversation.js";
import { clearDrafts } from "./drafts.js";
import { Inbox } from "./inbox.js";
import { Sender } from "./sender.js";

/** Conversations whose messages are kept in memory. */
const openedMax = 20;
const askAgainMilliseconds = 5_000;
const askTogetherMilliseconds = 60;
/** Changes within this time are kept together. */
const keepAfterMilliseconds = 500;
const receiptsAtOnceMax = 20;
/** Conversations whose messages are loaded again to be kept, after a start. */
const renewedMax = 3;
/** Changes of the list and of what it names. */
const isOfList = ({ method }) => /^(chat\.mute|group\.(?!create)|buddies\.|safety\.)/.test(method);
/** Of an own message in the list. */
const shownCharactersMax = 200;

/**
 * Emits `change` (list, counts, queue), `arrived` with `detail: {conversation, message}` for messages of others that are new
 * here (null for an invitation or a new buddy), `gone` with `detail: id`, `report` for admins, and `poor` when a message has to wait.
 */
export class Chat extends EventTarget {
  inbox = new Inbox(null);
  sender;
  /** Time of the list that this device kept, in ms; null once the server has sent one. */
  keptAt = null;
  /** The error of the last attempt to load the list, or null. */
  problem = null;
  /** The conversation on screen, or null. */
  shown = null;

  #net;
  #pictures;
  #account = null;
  #subscription = null;
  #opened = new Map();
  #asked = new Set();
  #askTimer = 0;
  #listTimer = 0;
  #keepTimer = 0;
  /** Whether the list may name people whom the account must not see any more. */
  #isStale = false;
  #delivered = new Map();

  constructor(net, pictures) {
    super();
    this.#net = net;
    this.#pictures = pictures;
    this.sender = new Sender(net);
    this.sender.addEventListener("change", () => this.#changed());
    this.sender.addEventListener("poor", () => this.dispatchEvent(new Event("poor")));
    this.sender.addEventListener("sent", (event) => {
      const { entry, place } = /** @type {CustomEvent} */ (event).detail;
      this.#sent(entry, place);
    });
    net.addEventListener("account", () => this.#useAccount());
    followWaiting(net.writes, isOfList, () => this.#waitingChanged());
    // A change that was shown already was not taken.
    net.writes.addEventListener("refused", ({ detail: { params } }) => this.#opened.get(params.conversation)?.renew());
    this.#useAccount();
  }

  get unread() {
    return this.inbox.unread;
  }

  /** Waiting and refused messages of one conversation. */
  waiting(conversation) {
    return this.sender.entries.filter((entry) => entry.conversation === conversation);
  }

  /** The conversation as far as it is known here, or undefined. */
  opened(id) {
    return this.#opened.get(id);
  }

  /** The conversation, opened; `close()` it when it is not shown any more. */
  open(id) {
    let opened = this.#opened.get(id);
    if (!opened || opened.isClosed) {
      opened = new OpenConversation(id, this.#net, {
        read: (which, offset) => {
          const isCertain = this.inbox.read(which, offset);
          this.#changed();
          return isCertain;
        },
        message: (which, message) => this.#message(which, message),
        put: (conversation) => {
          this.inbox.put(conversation);
          this.#changed();
        },
      });
    }
    this.#opened.delete(id);
    this.#opened.set(id, opened);
    for (const other of this.#opened.keys()) {
      if (this.#opened.size <= openedMax) break;
      if (other !== id && other !== this.shown) this.#opened.delete(other);
    }
    opened.open();
    return opened;
  }

  /** Loads the list again. */
  async load() {
    clearTimeout(this.#listTimer);
    const account = this.#account;
    if (account === null) return;
    try {
      const reply = await this.#net.request("chat.list");
      const { conversations } = this.#net.writes.shown("chat.list", {}, reply);
      if (account !== this.#account) return;
      this.problem = null;
      this.keptAt = null;
      this.#isStale = false;
      for (const id of this.inbox.load(conversations)) this.#ask(id);
      this.#sendDelivered(conversations);
      this.#renewKept(reply.conversations);
    } catch (error) {
      if (account !== this.#account) return;
      this.problem = error;
      if (error.isTransient) this.#listTimer = setTimeout(() => { if (this.#net.state === "live") this.load(); }, askAgainMilliseconds);
    }
    this.#changed();
  }

  /** Loads one conversation again; calls that come together are one request. */
  refresh(id) {
    this.#ask(id);
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    const before = this.#account;
    this.#account = account;
    this.#subscription?.close();
    this.#subscription = null;
    for (const opened of this.#opened.values()) opened.close();
    this.#opened.clear();
    this.#delivered.clear();
    this.#asked.clear();
    this.inbox = new Inbox(account);
    this.problem = this.keptAt = null;
    this.#isStale = false;
    clearTimeout(this.#keepTimer);
    this.#pictures.clear();
    // The next account on this device must not find anything of the previous one. Drafts wait for an account that an admin only changed.
    clearDrafts(account ?? this.#net.returning);
    if (before !== null || account === null) this.sender.use(null);
    if (account !== null) {
      this.sender.use(account);
      this.#restore(account);
      // The list is loaded once signals come: no change is lost between the two.
      this.#subscription = this.#net.subscribe(`user/${account}`, {
        snapshot: () => this.load(), push: (signal) => this.#signal(signal), error: () => this.load(),
      });
    }
    this.#changed();
  }

  /** Begins with the list that this device kept. */
  async #restore(account) {
    const kept = await this.#net.replies?.get("chat.list");
    if (!kept || account !== this.#account || this.inbox.isLoaded) return;
    this.inbox.load(this.#net.writes.shown("chat.list", {}, kept).conversations);
    this.keptAt = keptAt(kept);
    this.#changed();
  }

  /** A change of the list waits, or waits no longer. */
  #waitingChanged() {
    if (this.#net.state === "live") this.load();
    else if (this.inbox.isLoaded) {
      const conversations = [...this.inbox.conversations.values()];
      this.inbox.load(this.#net.writes.shown("chat.list", {}, { conversations }).conversations);
    }
    for (const opened of this.#opened.values()) opened.showWaiting();
    this.#changed();
  }

  /**
   * Loads the kept messages of conversations again in which something happened while this was closed: a message that was deleted since does
   * not stay on the device.
   */
  async #renewKept(conversations) {
    const { replies } = this.#net;
    if (!replies) return;
    const heads = new Map(conversations.map(({ id, head }) => [id, head]));
    const stale = await replies.removeIf("chat.history", (reply, { conversation }) => (
      heads.has(conversation) && reply.head < heads.get(conversation) && !this.#opened.get(conversation)?.isFollowed));
    for (const { conversation } of stale.slice(0, renewedMax)) {
      await this.#net.request("chat.history", historyParams(conversation)).catch(() => {});
    }
  }

  /** Keeps the list as it is now: messages and conversations come and go after the server sent it. */
  #keepLater() {
    clearTimeout(this.#keepTimer);
    if (!this.inbox.isLoaded || this.keptAt !== null || this.#isStale || !this.#net.replies) return;
    this.#keepTimer = setTimeout(() => {
      this.#net.keep("chat.list", {}, { conversations: [...this.inbox.conversations.values()] });
      this.#net.replies.keepConversations(this.inbox.conversations.keys());
    }, keepAfterMilliseconds);
  }

  #signal({ type, conversation, offset, message }) {
    switch (type) {
      case "message":
        if (!this.inbox.conversations.has(conversation)) this.#ask(conversation);
        else this.#message(conversation, message);
        break;
      case "conversation":
        this.#ask(conversation);
        this.#opened.get(conversation)?.refresh();
        // Perhaps a message was deleted: only an open conversation learns which one.
        if (!this.#opened.get(conversation)?.isFollowed) this.#net.replies?.remove("chat.history", historyParams(conversation));
        break;
      case "gone":
        this.inbox.remove(conversation);
        this.dispatchEvent(new CustomEvent("gone", { detail: conversation }));
        break;
      case "read":
        if (!this.inbox.read(conversation, offset)) this.#ask(conversation);
        break;
      case "report":
        this.dispatchEvent(new Event("report"));
        break;
      case "resync":
        this.#isStale = true;
        this.load();
        for (const opened of this.#opened.values()) opened.renew();
        break;
      default:
        // A signal of a newer server.
        break;
    }
    this.#changed();
  }

  #message(id, message) {
    const isNew = this.inbox.message(id, message);
    if (isNew && message.by !== this.#account) {
      const conversation = this.inbox.conversations.get(id);
      if (this.shown !== id) this.#deliver(id, message.offset);
      this.dispatchEvent(new CustomEvent("arrived", { detail: { conversation, message } }));
    }
    if (isNew) this.#changed();
  }

  #sent(entry, place) {
    const { conversation, text, blob } = entry;
    this.#opened.get(conversation)?.placed(entry, place);
    const known = this.inbox.conversations.get(conversation);
    if (known && place.offset) {
      this.inbox.message(conversation, {
        offset: place.offset, by: this.#account, name: "", at: place.at ?? entry.at, text: text?.slice(0, shownCharactersMax),
        picture: Boolean(blob), deleted: false,
      });
    }
  }

  #ask(id) {
    this.#asked.add(id);
    clearTimeout(this.#askTimer);
    this.#askTimer = setTimeout(() => {
      const ids = [...this.#asked];
      this.#asked.clear();
      // Instead of many conversations the list is loaded.
      if (ids.length > 5) this.load();
      else for (const each of ids) this.#askOne(each);
    }, askTogetherMilliseconds);
  }

  async #askOne(id) {
    const account = this.#account;
    try {
      const before = this.inbox.conversations.get(id);
      const reply = await this.#net.request("chat.conversation", { conversation: id });
      if (account !== this.#account) return;
      const { conversation } = this.#net.writes.shown("chat.conversation", {}, reply);
      this.inbox.put(conversation);
      if (!before) this.#announceUnknown(conversation);
    } catch (error) {
      if (error.isForbidden || error.isNotFound) this.inbox.remove(id);
    }
    this.#changed();
  }

  /** A conversation that was not known here has arrived with its first message, as an invitation, or as a new buddy. */
  #announceUnknown(conversation) {
    const { kind, state, last, unread } = conversation;
    const arrived = (message) => this.dispatchEvent(new CustomEvent("arrived", { detail: { conversation, message } }));
    if (last && last.by !== this.#account && unread > 0) arrived(last);
    if (state === "invited" || (kind === "direct" && conversation.new && !last)) arrived(null);
  }

  #sendDelivered(conversations) {
    const unread = conversations.filter((each) => each.unread > 0 && each.last && each.last.by !== this.#account);
    for (const { id, last } of unread.slice(0, receiptsAtOnceMax)) this.#deliver(id, last.offset);
  }

  #deliver(id, offset) {
    if ((this.#delivered.get(id) ?? 0) >= offset) return;
    this.#delivered.set(id, offset);
    this.#net.request("chat.delivered", { conversation: id, offset }).catch(() => {});
  }

  #changed() {
    this.#keepLater();
    this.dispatchEvent(new Event("change"));
  }
}
