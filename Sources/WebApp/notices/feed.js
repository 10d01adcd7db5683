// The notices that are for this person (N-7): live, caught up after being away, each once; what was received and read is told. No DOM.

import { noticeDrafts } from "./drafts.js";
import { NoticeLog } from "./log.js";

const prefix = "campanile.notices.";
const pageLimit = 50;
/** Numbers in one acknowledgement. */
const numbersMax = 100;
/** How long the first acknowledgement waits for others; not all devices at once. */
const receiptMilliseconds = [200, 2_000];
const askAgainMilliseconds = 5_000;
const owedMax = 1_000;
/** Whose notices everybody gets, also without an account. */
const guestsGet = new Set(["campus", "zone"]);

/**
 * Emits `change`; `arrived` with `detail: {notices, isLive}` for what is new or corrected here and not read (`isLive` when it came by itself,
 * else it is what was missed), each as `{notice, isCorrection}`; `withdrawn` with `detail: number`.
 */
export class NoticeFeed extends EventTarget {
  log = new NoticeLog();
  /** Whether the server's word is in. */
  isLoaded = false;
  /** Why the list could not be loaded, until it could. */
  problem = null;
  /** What to give as `before` for older ones; null when there is none. */
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
    net.addEventListener("state", () => { if (net.state === "live") this.#tellSoon(); });
    addEventListener("storage", (event) => this.#otherTab(event));
    this.#useAccount();
  }

  get now() {
    return this.#net.clock.now();
  }

  get unread() {
    return this.log.unreadCount(this.now);
  }

  /** Of guests nothing is known at the server. */
  get isGuest() {
    return this.#account === null;
  }

  /** They were before the person's eyes. */
  read(numbers) {
    const changed = this.log.read(numbers, new Date(this.now).toISOString());
    if (changed.length === 0) return;
    this.#owe("read", changed);
    this.#keep();
    this.#tell("read");
    this.#changed();
  }

  /** All, also those that are not loaded. */
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

  /** The newest, anew. */
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

  /** Older ones; throws what the request throws. */
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
    // The next one at this device is not to find anything of the one before.
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
    // Who logs out has seen here what the guest would be told of.
    const seen = account === null ? [...this.log.items.values()].filter(({ readAt, to }) => readAt && guestsGet.has(to?.kind)) : [];
    this.#readBefore = new Map(seen.map(({ number, readAt }) => [number, readAt]));
    const kept = read(prefix + (account ?? "guest"));
    this.log = NoticeLog.from(kept);
    for (const [number, readAt] of this.#readBefore) this.log.read([number], readAt);
    this.#owed = { received: new Set(kept?.received), read: new Set(kept?.read) };
    this.isLoaded = false;
    this.problem = null;
    this.next = null;
    this.#catching = [];
    this.#isFirstSight = false;
    this.#knownBefore.clear();
    // What is still on its way to the one before is not for this one: another topic's position would make all of it news.
    const generation = this.#generation;
    const ours = (body) => (...values) => (generation === this.#generation ? body(...values) : false);
    this.#subscription = this.#net.subscribe(account === null ? "campus/notices" : "notices", {
      reply: ours((result) => this.#caughtUp(result)), push: ours((data, place) => this.#push(data, place)),
      error: ours((error) => {
        this.problem = error;
        this.#changed();
      }),
    }, { since: () => this.log.position });
    this.#changed();
  }

  #caughtUp({ epoch, offset, recovered, reason, more, publications = [] }) {
    // Nothing was asked for since a place: what holds now comes. A page that logs in may ask so twice.
    if (!recovered && !reason) this.#isFirstSight = true;
    if (reason) this.#forget();
    for (const { data, offset: place } of publications) {
      const item = this.#take(data);
      if (item) this.#catching.push(item);
      if (more) this.log.moveTo({ epoch, offset: place });
    }
    this.log.moveTo({ epoch, offset });
    // Of a guest nobody knows what was read: what was there before the first visit is not counted.
    if (this.isGuest && this.#isFirstSight) this.log.read(this.log.unread(this.now).filter(({ level }) => level !== "emergency").map(({ number }) => number), new Date(this.now).toISOString());
    this.#keep();
    if (more) return true;
    // What a device sees for the first time is no news to it. Nor is what a guest missed: whoever was signed in here meanwhile was told.
    const isNews = ({ notice }) => (this.#knownBefore.get(notice.number) ?? 0) < notice.revision && (!this.isGuest || notice.level === "emergency");
    const arrived = this.#isFirstSight ? [] : this.#catching.filter(isNews);
    this.#catching = [];
    this.#isFirstSight = false;
    this.#knownBefore.clear();
    if (arrived.length > 0) this.dispatchEvent(new CustomEvent("arrived", { detail: { notices: arrived, isLive: false } }));
    if (this.isGuest) this.#loaded();
    else this.load();
    this.#changed();
    return false;
  }

  /** Too much was missed; what was read stays read, and what was told is told. */
  #forget() {
    const reads = [...this.log.items.values()].filter(({ readAt }) => readAt);
    for (const { number, revision } of this.log.items.values()) this.#knownBefore.set(number, revision);
    this.log.clear();
    if (this.isGuest) for (const { number, readAt } of reads) this.#readBefore.set(number, readAt);
  }

  /** What was read here before the log began anew: number → when. */
  #readBefore = new Map();
  /** What was known here before the log began anew: number → revision. */
  #knownBefore = new Map();
  /** The first pages of a device that knows nothing yet are on their way. */
  #isFirstSight = false;

  #push(data, { epoch, offset }) {
    // An emergency that passes while others wait has no offset: it comes again in its place, and is known then.
    if (offset !== undefined) {
      const { position } = this.log;
      if (position && epoch !== position.epoch) {
        this.#subscription.again();
        return;
      }
      this.log.moveTo({ epoch, offset });
    }
    const item = this.#take(data);
    this.#keep();
    if (item) this.dispatchEvent(new CustomEvent("arrived", { detail: { notices: [item], isLive: true } }));
    this.#changed();
  }

  /** What is to be told of, or null. */
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

  // MARK: what the server is told

  #owe(kind, numbers) {
    if (this.isGuest) return;
    for (const number of numbers) if (this.#owed[kind].size < owedMax) this.#owed[kind].add(number);
    this.#tellSoon();
  }

  #tellSoon() {
    if (this.#receiptTimer !== 0 || this.#owed.received.size + this.#owed.read.size === 0) return;
    const [least, most] = receiptMilliseconds;
    this.#receiptTimer = setTimeout(async () => {
      const isDone = (await this.#tell("received")) && (await this.#tell("read"));
      this.#receiptTimer = 0;
      // One that failed is told again when the connection is back, or here.
      if (isDone) this.#tellSoon();
      else setTimeout(() => this.#tellSoon(), askAgainMilliseconds);
    }, least + Math.random() * (most - least));
  }

  /** True when there is nothing left to be told again later. */
  async #tell(kind) {
    const generation = this.#generation;
    const owed = this.#owed[kind];
    while (owed.size > 0) {
      if (this.#net.state !== "live") return false;
      const numbers = [...owed].slice(0, numbersMax);
      try {
        await this.#net.request(`notices.${kind}`, { notices: numbers });
      } catch (error) {
        if (error.isTransient) return false;
        // The server will not have them: asking again is of no use.
      }
      if (generation !== this.#generation) return false;
      for (const number of numbers) owed.delete(number);
      this.#keep();
    }
    return true;
  }

  // MARK: what is kept

  #keep() {
    try {
      localStorage.setItem(prefix + (this.#account ?? "guest"), JSON.stringify({ ...this.log.kept, received: [...this.#owed.received], read: [...this.#owed.read] }));
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
