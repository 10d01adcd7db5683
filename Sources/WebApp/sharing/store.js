// Sharing as this device knows it: what one shares, what is shared with one, and questions where one is. No DOM.

import { nobodyKnown } from "../client/known.js";
import { uuid } from "../kit/uuid.js";
import { KeptShares } from "./keptshares.js";

const askTogetherMilliseconds = 200;
const askAgainMilliseconds = 5_000;
/** The server tells how many watch soon after one asks; if it does not, the count of before may be wrong. */
const watchingMilliseconds = 3_000;
const timerMillisecondsMax = 60_000;
const hiddenMax = 200;
/** Of each account its own: what one stopped waits while another is signed in. */
const stoppingKey = (account) => `campanile.sharesToStop.${account}`;
const hiddenKey = "campanile.sharesHidden";

/**
 * Emits `change` when anything listed changed, `shared` and `invited` with `detail: SharedWithMe` for one that is new here, `asked` and
 * `answered` with `detail: WhereRequest`, and `stopped` with `detail: SharingReceipt`. `loaded` comes after each of the server's lists of
 * one's own, with `detail: {askedAt}` by `performance.now()`, and `privacy` when another device may have changed what is shown of one.
 */
export class Sharing extends EventTarget {
  /** One's own that work, latest first. Before the server was asked those that were kept here, which say `isKept`. */
  shares = [];
  /** What others share with one, or one's groups. */
  withMe = [];
  /** What strangers want to share with one: not opened before it is accepted. */
  invitations = [];
  /** Questions to one that wait, and one's own. */
  requests = { toMe: [], mine: [] };
  /** Whether one's own were loaded since the account is known. */
  isLoaded = false;
  /** Why they could not be, until they could. */
  problem = null;

  #net;
  #people;
  #account = null;
  #subscription = null;
  #own = new Map();
  /** What others get of one's own: `state` by the share's number. */
  #told = new Map();
  #kept = new KeptShares();
  /** Shares that are to end as soon as the server can be told; `all` for all of them. */
  #stopping = new Set();
  /** Telling the server of them, while that is under way. */
  #sending = null;
  #asked = new Set();
  #askTimer = 0;
  #againTimer = 0;
  #endTimer = 0;
  #known = null;
  #knownQuestions = null;
  /** When the account came to be known here, by `performance.now()`: what begins later is news. */
  #accountAt = 0;
  /** Requests for lists are numbered: an answer that was overtaken by that to a later one is old. */
  #turn = 0;
  #taken = new Map();
  #hidden = new Set();

  /** `people` has the names and pictures of those whom the account knows. */
  constructor(net, people = nobodyKnown) {
    super();
    this.#net = net;
    this.#people = people;
    people.addEventListener("change", () => this.#rename());
    net.addEventListener("account", () => this.#useAccount());
    net.addEventListener("state", () => { if (net.state === "live") this.#sendStops(); });
    document.addEventListener("visibilitychange", () => this.#watchOwn());
    addEventListener("storage", (event) => this.#heardStops(event));
    this.#useAccount();
  }

  /** A share or a question with the names and pictures that the account knows. */
  named(one) {
    const named = { ...one };
    for (const part of ["person", "from", "to"]) if (one[part]) named[part] = this.#people.shown(one[part]);
    return named;
  }

  #rename() {
    const named = (one) => this.named(one);
    // The share that is watched is the same object.
    for (const share of this.shares) Object.assign(share, named(share));
    this.withMe = this.withMe.map(named);
    this.requests = { ...this.requests, toMe: this.requests.toMe.map(named), mine: this.requests.mine.map(named) };
    this.#changed();
  }

  /** Those that work and are not about to end. */
  get working() {
    return this.#stopping.has("all") ? [] : this.shares.filter(({ id }) => !this.#stopping.has(id));
  }

  /** Whether a share, or anything, waits for the network to be stopped. */
  isStopping(id = null) {
    return id === null ? this.#stopping.size > 0 : this.#stopping.has("all") || this.#stopping.has(id);
  }

  /** Shares of others that are not to be seen on this device's map. */
  get hidden() {
    return this.#hidden;
  }

  setHidden(id, isHidden) {
    this.#hidden.delete(id);
    if (isHidden) this.#hidden.add(id);
    while (this.#hidden.size > hiddenMax) this.#hidden.delete(this.#hidden.values().next().value);
    localStorage.setItem(hiddenKey, JSON.stringify([...this.#hidden]));
    this.#changed();
  }

  // MARK: One's own

  /** Begins a share; what is given is as in the protocol. A link whose reply was lost is made anew: it is told only once. */
  async start(params) {
    const begun = await this.#net.request("sharing.start", params);
    if (params.audience === "link" && !begun.path) {
      await this.#net.request("sharing.stop", { share: begun.share.id });
      return this.start({ ...params, clientId: uuid() });
    }
    this.#take(begun.share);
    return begun;
  }

  async change(share, changes) {
    const { share: changed } = await this.#net.request("sharing.change", { share, ...changes });
    this.#take(changed);
    return changed;
  }

  /** Ends a share, or all (`"all"`): here at once, on the server as soon as it can be told. Resolves to whether it was. */
  async stop(id) {
    this.#stopping.add(id);
    this.#keepStops();
    this.#changed();
    await this.#sendStops();
    return !this.#stopping.has(id);
  }

  /** Tells the server what waits to be stopped; resolves to whether nothing waits any more. */
  async settle() {
    await this.#sendStops();
    return this.#stopping.size === 0;
  }

  #sendStops() {
    if (this.#stopping.size === 0 || this.#net.state !== "live" || this.#account === null) return this.#sending;
    return this.#sending ??= this.#sendEach();
  }

  async #sendEach() {
    const account = this.#account;
    try {
      // What is stopped meanwhile has its turn, too.
      for (const id of this.#stopping) {
        const askedAt = performance.now();
        let [receipt, isNone] = [null, false];
        try {
          if (id === "all") {
            await this.#net.request("sharing.stopAll");
            isNone = true;
          } else receipt = await this.#net.request("sharing.stop", { share: id });
        } catch (error) {
          if (error.isTransient) break;
          // Not there any more, which is what was wanted.
        }
        if (account !== this.#account) return;
        this.#stopped(id);
        this.#keepStops(id);
        if (isNone) this.dispatchEvent(new CustomEvent("loaded", { detail: { askedAt } }));
        if (receipt) this.dispatchEvent(new CustomEvent("stopped", { detail: receipt }));
      }
    } finally {
      this.#sending = null;
      this.#changed();
      if (this.#stopping.size > 0 && this.#net.state === "live") setTimeout(() => this.#sendStops(), askAgainMilliseconds);
    }
  }

  #stopped(id) {
    this.#stopping.delete(id);
    this.#kept.drop(id);
    this.#setShares(id === "all" ? [] : this.shares.filter((share) => share.id !== id));
  }

  /** A page that is closed before the network is back must not forget it. What other tabs are to stop stays until one was answered. */
  #keepStops(answered = null) {
    const key = stoppingKey(this.#account);
    const kept = new Set([...readList(localStorage.getItem(key)), ...this.#stopping]);
    kept.delete(answered);
    if (kept.size === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify([...kept]));
  }

  /**
   * Another tab stops something, offline perhaps and about to be closed: this one tells nothing more either, and sees to it. A tab that the
   * browser froze hears one after the other what has long been settled: what is kept now counts.
   */
  #heardStops({ key, oldValue, newValue }) {
    if (this.#account === null || key !== stoppingKey(this.#account)) return;
    const now = localStorage.getItem(key);
    const kept = new Set(readList(now));
    const settled = readList(oldValue).filter((id) => !kept.has(id) && this.#stopping.has(id));
    for (const id of settled) this.#stopped(id);
    // The other tab did not know of what this one stops. If more was written since, that may have settled it.
    const isOwnMissing = now === newValue && [...this.#stopping].some((id) => !kept.has(id));
    for (const id of kept) this.#stopping.add(id);
    if (isOwnMissing) this.#keepStops();
    this.#changed();
    this.#sendStops();
    // By now another share may have begun there.
    if (settled.length > 0 && this.#net.state === "live") this.loadShares();
  }

  #take(share) {
    this.#kept.put(share);
    this.#setShares([share, ...this.shares.filter(({ id }) => id !== share.id)].sort((one, other) => other.id - one.id));
    this.#changed();
  }

  #setShares(shares) {
    this.shares = shares.map((share) => this.named(share));
    this.#watchOwn();
    this.#scheduleEnds();
  }

  /** What others get of what one shares, from whichever server: `live`, `old`, `hidden` or `none`; null while it is not known. */
  get toldState() {
    const states = this.working.map(({ id }) => this.#told.get(id) ?? null);
    return ["live", "hidden", "old", "none"].find((state) => states.includes(state)) ?? null;
  }

  /** Who watches is told while somebody looks: a phone in a pocket need not know. */
  #watchOwn() {
    const wanted = new Set(document.visibilityState === "visible" && this.#account !== null ? this.shares.map(({ id }) => id) : []);
    for (const [id, subscription] of this.#own) {
      if (wanted.has(id)) continue;
      subscription.close();
      this.#own.delete(id);
      this.#told.delete(id);
    }
    for (const id of wanted) {
      if (this.#own.has(id)) continue;
      let isTold = false;
      this.#own.set(id, this.#net.subscribe(`share/${id}`, {
        snapshot: (data) => {
          this.#tell(id, data?.state);
          isTold = false;
          setTimeout(() => {
            if (!isTold && this.shares.find((share) => share.id === id)?.watching > 0) this.loadShares();
          }, watchingMilliseconds);
        },
        push: ({ type, state, watching, precision, expiresAt }) => {
          const share = this.shares.find((one) => one.id === id);
          if (!share) return;
          if (type === "closed") return void this.#gone(id);
          if (type === "watching") isTold = true;
          else this.#tell(id, state);
          const before = JSON.stringify(share);
          Object.assign(share, type === "watching" ? { watching: watching ?? 0 }
            : { ...(precision && { precision }), ...(expiresAt && { expiresAt }) });
          if (JSON.stringify(share) === before) return;
          if (type !== "watching") this.#kept.put(share);
          this.#scheduleEnds();
          this.#changed();
        },
        error: (error) => { if (!error.isTransient) this.loadShares(); },
      }));
    }
  }

  #tell(id, state = null) {
    const before = this.toldState;
    if (state !== null) this.#told.set(id, state);
    if (this.toldState !== before) this.#changed();
  }

  #gone(id) {
    this.#kept.drop(id);
    this.#setShares(this.shares.filter((share) => share.id !== id));
    this.#changed();
  }

  /** By this clock, too: without a network nobody says that the time is over. */
  #scheduleEnds() {
    clearTimeout(this.#endTimer);
    const soonest = Math.min(...[...this.shares, ...this.withMe, ...this.invitations].map(({ expiresAt }) => Date.parse(expiresAt)));
    if (!Number.isFinite(soonest)) return;
    this.#endTimer = setTimeout(() => {
      const now = this.#net.clock.now();
      const holds = ({ expiresAt }) => Date.parse(expiresAt) > now;
      const count = () => this.shares.length + this.withMe.length + this.invitations.length;
      const before = count();
      this.withMe = this.withMe.filter(holds);
      this.invitations = this.invitations.filter(holds);
      this.#setShares(this.shares.filter(holds));
      if (before !== count()) this.#changed();
    }, Math.min(timerMillisecondsMax, Math.max(0, soonest - this.#net.clock.now()) + 50));
  }

  // MARK: Questions

  async ask(params) {
    const { request } = await this.#net.request("sharing.ask", params);
    this.#takeOwnQuestion(request);
    return request;
  }

  /** Says it once; without a precision, that one does not want to. */
  async answer(request, precision = null) {
    const reply = await this.#net.request("sharing.answer", { request, ...(precision && { precision }) });
    this.requests = { ...this.requests, toMe: this.requests.toMe.filter(({ id }) => id !== request) };
    this.#changed();
    return reply;
  }

  /** Reads an answer, which is gone then. */
  async read(request) {
    const reply = await this.#net.request("sharing.answered", { request });
    this.#takeOwnQuestion(reply.request);
    return reply;
  }

  #takeOwnQuestion(request) {
    this.requests = { ...this.requests,
      mine: [request, ...this.requests.mine.filter(({ id }) => id !== request.id)].sort((one, other) => other.id - one.id) };
    this.#knownQuestions?.set(request.id, request.state);
    this.#changed();
  }

  // MARK: Loading

  load() {
    return Promise.all([this.loadShares(), this.#loadWithMe(), this.#loadRequests()]);
  }

  loadShares() {
    const askedAt = performance.now();
    return this.#ask("sharing.mine", ({ shares }) => {
      this.isLoaded = true;
      this.#kept.replace(shares);
      this.#setShares(shares);
      this.dispatchEvent(new CustomEvent("loaded", { detail: { askedAt } }));
    });
  }

  /** Accepts or declines what a stranger wants to share; they learn neither. */
  async respond(id, accept) {
    const { share = null } = await this.#net.request("sharing.respond", { share: id, accept });
    this.invitations = this.invitations.filter((one) => one.id !== id);
    if (share && !this.withMe.some((one) => one.id === id)) this.withMe = [...this.withMe, share];
    this.#known?.add(id);
    this.#scheduleEnds();
    this.#changed();
  }

  #loadWithMe() {
    return this.#ask("sharing.withMe", ({ shares: told, invitations: asked = [] }) => {
      const shares = told.map((share) => this.named(share));
      const invitations = asked.map((share) => this.named(share));
      this.withMe = shares;
      this.invitations = invitations;
      const known = this.#known;
      this.#known = new Set([...shares, ...invitations].map(({ id }) => id));
      this.#scheduleEnds();
      // Before the first list nothing is known: then what began since this page is there is new.
      const since = this.#net.clock.now() - (performance.now() - this.#accountAt);
      const isNew = ({ id, startedAt }) => (known ? !known.has(id) : Date.parse(startedAt) >= since);
      for (const share of shares) if (isNew(share)) this.dispatchEvent(new CustomEvent("shared", { detail: share }));
      for (const share of invitations) if (isNew(share)) this.dispatchEvent(new CustomEvent("invited", { detail: share }));
    });
  }

  #loadRequests() {
    return this.#ask("sharing.requests", (told) => {
      const requests = { ...told, toMe: told.toMe.map((one) => this.named(one)), mine: told.mine.map((one) => this.named(one)) };
      this.requests = requests;
      const known = this.#knownQuestions;
      this.#knownQuestions = new Map([...requests.toMe, ...requests.mine].map(({ id, state }) => [id, state]));
      for (const request of requests.toMe) if (!known?.has(request.id)) this.dispatchEvent(new CustomEvent("asked", { detail: request }));
      for (const request of requests.mine) {
        const isNew = request.state === "answered" || request.state === "declined";
        if (known && isNew && known.get(request.id) !== request.state) this.dispatchEvent(new CustomEvent("answered", { detail: request }));
      }
    });
  }

  async #ask(method, take) {
    const account = this.#account;
    if (account === null) return;
    const turn = ++this.#turn;
    try {
      const result = await this.#net.request(method);
      if (account !== this.#account || turn < (this.#taken.get(method) ?? 0)) return;
      this.#taken.set(method, turn);
      take(result);
      this.problem = null;
    } catch (error) {
      if (account !== this.#account) return;
      this.problem = error;
      clearTimeout(this.#againTimer);
      if (error.isTransient) this.#againTimer = setTimeout(() => { if (this.#net.state === "live") this.load(); }, askAgainMilliseconds);
    }
    this.#changed();
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    this.#account = account;
    this.#accountAt = performance.now();
    this.#subscription?.close();
    this.#subscription = null;
    for (const subscription of this.#own.values()) subscription.close();
    this.#own.clear();
    for (const timer of [this.#askTimer, this.#againTimer, this.#endTimer]) clearTimeout(timer);
    this.#asked.clear();
    [this.shares, this.withMe, this.invitations, this.requests, this.isLoaded, this.problem] = [[], [], [], { toMe: [], mine: [] }, false,
      null];
    [this.#known, this.#knownQuestions] = [null, null];
    this.#stopping = new Set(account === null ? [] : readList(localStorage.getItem(stoppingKey(account))));
    this.#hidden = new Set(account === null ? [] : readList(localStorage.getItem(hiddenKey)));
    this.#kept.use(account);
    this.#setShares(this.#kept.read(this.#net.clock.now()));
    if (account !== null) this.#follow(account);
    this.#changed();
  }

  #follow(account) {
    const begin = () => {
      this.#sendStops();
      this.load();
    };
    const subscription = this.#net.subscribe(`user/${account}`, {
      snapshot: begin,
      push: ({ type }) => this.#signal(type),
      // The lists are worth having without the signals, which are asked for again.
      error: (error) => {
        begin();
        if (error.isTransient) setTimeout(() => { if (this.#subscription === subscription) subscription.again(); }, askAgainMilliseconds);
      },
    });
    this.#subscription = subscription;
  }

  #signal(type) {
    if (type === "privacy" || type === "resync") this.dispatchEvent(new Event("privacy"));
    if (!["share", "where", "resync"].includes(type)) return;
    this.#asked.add(type);
    clearTimeout(this.#askTimer);
    this.#askTimer = setTimeout(() => {
      const asked = this.#asked;
      this.#asked = new Set();
      if (asked.has("resync")) return void this.load();
      if (asked.has("share")) {
        this.loadShares();
        this.#loadWithMe();
      }
      if (asked.has("where")) this.#loadRequests();
    }, askTogetherMilliseconds);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** What is stored as a list; nothing when it is none. */
function readList(text) {
  try {
    const list = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
