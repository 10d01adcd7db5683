// The notices for this person (N-7): live, and recovered after an absence, each once; receipts go to the server. No DOM.

import { noticeDrafts } from "./drafts.js";
import { NoticeLog } from "./log.js";

const prefix = "campanile.notices.";
const pageLimit = 50;
/** Numbers in one acknowledgement. */
const numbersMax = 100;
/** Delay of the first acknowledgement, which then carries others; random, so that not all devices send at once. */
const receiptMilliseconds = [200, 2_000];
const askAgainMilliseconds = 5_000;
const owedMax = 1_000;
/** Audiences whose notices guests get. */
const guestsGet = new Set(["campus", "zone"]);

/**
 * Emits `change`; `arrived` with `detail: {notices, isLive}` for notices that are new or corrected here and not read, each as
 * `{notice, isCorrection}` (`isLive` for a push, else they were missed); `withdrawn` with `detail: number`.
 */
export class NoticeFeed extends EventTarget {
  log = new NoticeLog();
  /** Whether the server has answered. */
  isLoaded = false;
  /** Time of the device when what is shown was current, in ms, or null. */
  updatedAt = null;
  /** Why the list could not be loaded, until it could. */
  problem = null;
  /** The `before` of the next older page; null when there is none. */
  next = null;

  #net;
  #account;
  #subscription = null;
  #generation = 0;
  #listTimer = 0;
  #receiptTimer = 0;
  #owed = { received: new Set(), read: new Set() };
  #catching = [];

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("account", () => this.#useAccount());
    net.addEventListener("state", () => { if (net.state === "live") this.#sendSoon(); });
    addEventListener("storage", (event) => this.#otherTab(event));
    this.#useAccount();
  }

  get now() {
    return this.#net.clock.now();
  }

  get unread() {
    return this.log.unreadCount(this.now);
  }

  /** How many notices were read here that the server does not know of. */
  get waiting() {
    return this.#owed.read.size;
  }

  /** Whether nobody is signed in: the server keeps nothing of guests. */
  get isGuest() {
    return this.#account === null;
  }

  /** Marks notices as read, here and at the server. */
  read(numbers) {
    const changed = this.log.read(numbers, new Date(this.now).toISOString());
    if (changed.length === 0) return;
    this.#owe("read", changed);
    this.#keep();
    this.#send("read");
    this.#changed();
  }

  /** Marks all as read, also those that are not loaded. */
  async readAll() {
    this.read(this.log.unread(this.now).map(({ number }) => number));
    if (this.isGuest || this.log.others === 0) return;
    const generation = this.#generation;
    let before;
    do {
      const page = await this.#net.request("notices.list", { limit: pageLimit, unread: true, ...(before && { before }) });
      const numbers = page.notices.map(({ number }) => number);
      const { unread } = numbers.length > 0 ? await this.#net.request("notices.read", { notices: numbers }) : page;
      if (generation !== this.#generation) return;
      this.log.others = page.next ? unread : 0;
      before = page.next;
    } while (before);
    this.#keep();
    this.#changed();
  }

  /** Loads the newest page. */
  async load() {
    clearTimeout(this.#listTimer);
    if (this.isGuest) return;
    const generation = this.#generation;
    const { mark } = this.log;
    try {
      const page = await this.#net.request("notices.list", { limit: pageLimit });
      if (generation !== this.#generation) return;
      this.log.page(page, { isFirst: true, mark });
      this.log.read([...this.#owed.read], new Date(this.now).toISOString());
      this.next = page.next ?? null;
      this.#loaded();
    } catch (error) {
      if (generation !== this.#generation) return;
      this.problem = error;
      if (error.isTransient) this.#listTimer = setTimeout(() => { if (this.#net.state === "live") this.load(); }, askAgainMilliseconds);
    }
    this.#keep();
    this.#changed();
  }

  /** Loads the next older page. Throws the errors of the request. */
  async loadOlder() {
    if (this.next === null) return;
    const generation = this.#generation;
    const { mark } = this.log;
    const page = await this.#net.request("notices.list", { limit: pageLimit, before: this.next });
    if (generation !== this.#generation) return;
    this.log.page(page, { isFirst: false, mark });
    this.next = page.next ?? null;
    this.#changed();
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    // The next person at this device finds nothing of the one before.
    if (typeof this.#account === "number") {
      localStorage.removeItem(prefix + this.#account);
    }
    if (typeof this.#account === "number" || account !== null) noticeDrafts.clear(account ?? this.#net.returning);
    this.#account = account;
    this.#generation += 1;
    this.#subscription?.close();
    clearTimeout(this.#listTimer);
    clearTimeout(this.#receiptTimer);
    this.#receiptTimer = 0;
    // The person who logs out has read here notices that the guest gets, too.
    const seen = account === null ? [...this.log.items.values()].filter(({ readAt, to }) => readAt && guestsGet.has(to?.kind)) : [];
    this.#readBefore = new Map(seen.map(({ number, readAt }) => [number, readAt]));
    const kept = read(prefix + (account ?? "guest"));
    this.log = NoticeLog.from(kept);
    for (const [number, readAt] of this.#readBefore) this.log.read([number], readAt);
    this.#owed = { received: new Set(kept?.received), read: new Set(kept?.read) };
    this.isLoaded = false;
    this.updatedAt = kept?.updatedAt ?? null;
    this.problem = null;
    this.next = null;
    this.#catching = [];
    this.#isFirstSight = false;
    this.#knownBefore.clear();
    // Answers for the account before are ignored: the position of another topic would make all of them news.
    const generation = this.#generation;
    const ours = (body) => (...values) => { if (generation === this.#generation) body(...values); };
    this.#subscription = this.#net.subscribe(account === null ? "campus/notices" : "notices", {
      publication: ours((data, position, { isRecovered }) => this.#publication(data, position, isRecovered)),
      // An emergency that overtakes others has no offset: it comes again in its order, and is known then.
      push: ours((data) => this.#live(data)),
      lost: ours(() => this.#forget()),
      caughtUp: ours((position) => this.#caughtUp(position)),
      error: ours((error) => {
        this.problem = error;
        this.#changed();
      }),
    }, { since: () => this.#readerPosition() });
    this.#changed();
  }

  /** Position to subscribe from. Without one the current notices come. */
  #readerPosition() {
    if (this.log.position === null) this.#isFirstSight = true;
    return this.log.position;
  }

  #publication(data, position, isRecovered) {
    this.log.moveTo(position);
    if (!isRecovered) {
      this.#live(data);
      return;
    }
    const item = this.#take(data);
    if (item) this.#catching.push(item);
  }

  #caughtUp(position) {
    this.log.moveTo(position);
    if (this.isGuest && this.#isFirstSight) this.#readOlder();
    this.#keep();
    // The first notices of a device are no news to it.
    const arrived = this.#isFirstSight ? [] : this.#catching.filter(({ notice }) => this.#isNews(notice));
    this.#catching = [];
    this.#isFirstSight = false;
    this.#knownBefore.clear();
    if (arrived.length > 0) this.dispatchEvent(new CustomEvent("arrived", { detail: { notices: arrived, isLive: false } }));
    if (this.isGuest) this.#loaded();
    else this.load();
    this.#changed();
  }

  /** A guest's notices from before the first visit count as read: nobody knows whether they were. */
  #readOlder() {
    const older = this.log.unread(this.now).filter(({ level }) => level !== "emergency");
    this.log.read(older.map(({ number }) => number), new Date(this.now).toISOString());
  }

  /** Whether a missed notice is news. For a guest only an emergency is: an account that was signed in meanwhile got the others. */
  #isNews({ number, revision, level }) {
    return (this.#knownBefore.get(number) ?? 0) < revision && (!this.isGuest || level === "emergency");
  }

  /** Forgets the notices, since too much was missed. Read ones stay read, and alerts for known ones are not repeated. */
  #forget() {
    const reads = [...this.log.items.values()].filter(({ readAt }) => readAt);
    for (const { number, revision } of this.log.items.values()) this.#knownBefore.set(number, revision);
    this.log.clear();
    if (this.isGuest) for (const { number, readAt } of reads) this.#readBefore.set(number, readAt);
  }

  /** Notices that were read before the log was forgotten: number → time. */
  #readBefore = new Map();
  /** Notices that were known before the log was forgotten: number → revision. */
  #knownBefore = new Map();
  /** Whether the first notices of a device without any are requested. */
  #isFirstSight = false;

  #live(data) {
    const item = this.#take(data);
    this.#keep();
    if (item) this.dispatchEvent(new CustomEvent("arrived", { detail: { notices: [item], isLive: true } }));
    this.#changed();
  }

  /** Takes a publication. Gives `{notice, isCorrection}` for news, else null. */
  #take(data) {
    if (data?.type !== "notice" && data?.type !== "withdrawn") return null;
    const readAt = this.#readBefore.get(data.number);
    const outcome = this.log.take(readAt ? { ...data, readAt } : data);
    if (data.type === "notice" && !this.isGuest) this.#owe("received", [data.number]);
    if (outcome === "withdrawn") this.dispatchEvent(new CustomEvent("withdrawn", { detail: data.number }));
    if (outcome !== "new" && outcome !== "corrected") return null;
    const notice = this.log.items.get(data.number);
    if (!notice || (outcome === "new" && notice.readAt)) return null;
    return { notice, isCorrection: outcome === "corrected" };
  }

  #loaded() {
    this.isLoaded = true;
    this.problem = null;
  }

  // MARK: receipts

  #owe(kind, numbers) {
    if (this.isGuest) return;
    for (const number of numbers) if (this.#owed[kind].size < owedMax) this.#owed[kind].add(number);
    this.#sendSoon();
  }

  #sendSoon() {
    if (this.#receiptTimer !== 0 || this.#owed.received.size + this.#owed.read.size === 0) return;
    const [least, most] = receiptMilliseconds;
    this.#receiptTimer = setTimeout(async () => {
      const isDone = (await this.#send("received")) && (await this.#send("read"));
      this.#receiptTimer = 0;
      // A failed receipt is sent again when the connection is back, or here.
      if (isDone) this.#sendSoon();
      else setTimeout(() => this.#sendSoon(), askAgainMilliseconds);
    }, least + Math.random() * (most - least));
  }

  /** Sends all receipts of a kind. Gives whether none is left to be sent again later. */
  async #send(kind) {
    const generation = this.#generation;
    const owed = this.#owed[kind];
    while (owed.size > 0) {
      if (this.#net.state !== "live") return false;
      const numbers = [...owed].slice(0, numbersMax);
      try {
        await this.#net.request(`notices.${kind}`, { notices: numbers });
      } catch (error) {
        if (error.isTransient) return false;
        // The server refused them: sending them again is of no use.
      }
      if (generation !== this.#generation) return false;
      for (const number of numbers) owed.delete(number);
      this.#keep();
    }
    return true;
  }

  // MARK: storage

  #keep() {
    if (this.isLoaded && this.#net.state === "live") this.updatedAt = Date.now();
    const kept = { ...this.log.kept, updatedAt: this.updatedAt, received: [...this.#owed.received], read: [...this.#owed.read] };
    try {
      localStorage.setItem(prefix + (this.#account ?? "guest"), JSON.stringify(kept));
    } catch {
      // Storage is full or blocked: the server has it all.
    }
  }

  #otherTab({ key, newValue }) {
    if (newValue === null || key !== prefix + (this.#account ?? "guest")) return;
    if (this.log.merge(NoticeLog.from(parse(newValue)))) this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function read(key) {
  try {
    return parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
