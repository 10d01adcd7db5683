// Sharing of the account as this device knows it: its shares, shares with it, and where-requests. No DOM.

import { nobodyKnown } from "../kit/known.js";
import { uuid } from "../client/uuid.js";
import { HiddenShares } from "./hiddenshares.js";
import { KeptShares } from "./keptshares.js";
import { OwnShareTopics } from "./owntopics.js";
import { SharingSignals } from "./signals.js";
import { StopList } from "./stoplist.js";

const askAgainMilliseconds = 5_000;
const timerMillisecondsMax = 60_000;

/**
 * Emits `change` when anything listed changed, `shared` and `invited` with `detail: SharedWithMe` for one that is new here, `asked` and
 * `answered` with `detail: WhereRequest`, and `stopped` with `detail: SharingReceipt`. `loaded` comes after each of the server's lists of
 * the account's shares, with `detail: {askedAt}` by `performance.now()`, and `privacy` when another device may have changed the privacy
 * settings.
 */
export class Sharing extends EventTarget {
  /** The account's working shares, latest first. Until the server has answered, those kept on this device, with `isKept`. */
  shares = [];
  /** Shares with the account or with its groups. */
  withMe = [];
  /** Shares that strangers offer. None is opened before it is accepted. */
  invitations = [];
  /** Where-requests: open ones to the account, and those of the account. */
  requests = { toMe: [], mine: [] };
  /** Whether the account's shares were loaded since the account is known. */
  isLoaded = false;
  /** Error of the last load; null after a successful one. */
  problem = null;

  #net;
  #people;
  #account = null;
  #signals;
  #topics;
  #kept = new KeptShares();
  /** Shares that are to end as soon as the server can be reached. */
  #stopping = new StopList();
  /** Promise of the requests that stop them, while they are in flight. */
  #sending = null;
  #againTimer = 0;
  #endTimer = 0;
  #known = null;
  #knownQuestions = null;
  /** When the account became known here, by `performance.now()`: shares that begin later are new. */
  #accountAt = 0;
  /** Number of the last request for a list. A reply is ignored if a later request has been answered. */
  #turn = 0;
  #taken = new Map();
  #hidden = new HiddenShares();

  /** `people` has the names and pictures of people whom the account knows. */
  constructor(net, people = nobodyKnown) {
    super();
    this.#net = net;
    this.#people = people;
    this.#topics = this.#makeTopics();
    this.#signals = this.#makeSignals();
    people.addEventListener("change", () => this.#rename());
    net.addEventListener("account", () => this.#useAccount());
    net.addEventListener("state", () => { if (net.state === "live") this.#sendStops(); });
    document.addEventListener("visibilitychange", () => this.#watchOwn());
    addEventListener("storage", (event) => this.#mergeStops(event));
    this.#useAccount();
  }

  /** A share or a where-request with the names and pictures that the account knows. */
  named(one) {
    const named = { ...one };
    for (const part of ["person", "from", "to"]) if (one[part]) named[part] = this.#people.shown(one[part]);
    return named;
  }

  #rename() {
    const named = (one) => this.named(one);
    // The watched share stays the same object.
    for (const share of this.shares) Object.assign(share, named(share));
    this.withMe = this.withMe.map(named);
    this.requests = { ...this.requests, toMe: this.requests.toMe.map(named), mine: this.requests.mine.map(named) };
    this.#changed();
  }

  /** Shares that work and are not about to be stopped. */
  get working() {
    return this.shares.filter(({ id }) => !this.#stopping.includes(id));
  }

  /** Whether a share, or any share, is still to be stopped on the server. */
  isStopping(id = null) {
    return id === null ? !this.#stopping.isEmpty : this.#stopping.includes(id);
  }

  /** Shares of others that this device's map leaves out. */
  get hidden() {
    return this.#hidden.ids;
  }

  setHidden(id, isHidden) {
    this.#hidden.set(id, isHidden);
    this.#changed();
  }

  // MARK: The account's shares

  /** Begins a share; `params` are as in the protocol. A link whose reply was lost is replaced: the server sends its path only once. */
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

  /** Ends a share, or all (`"all"`), here immediately and on the server as soon as it can be reached. Resolves to whether it could. */
  async stop(id) {
    this.#stopping.add(id);
    this.#changed();
    await this.#sendStops();
    return !this.#stopping.ids.has(id);
  }

  /** Stops on the server what is to be stopped; resolves to whether all of it is stopped. */
  async settle() {
    await this.#sendStops();
    return this.#stopping.isEmpty;
  }

  #sendStops() {
    if (this.#stopping.isEmpty || this.#net.state !== "live" || this.#account === null) return this.#sending;
    return this.#sending ??= this.#sendEach();
  }

  async #sendEach() {
    const account = this.#account;
    try {
      // The iteration includes shares that are added meanwhile.
      for (const id of this.#stopping.ids) {
        const askedAt = performance.now();
        let [receipt, isNone] = [null, false];
        try {
          if (id === "all") {
            await this.#net.request("sharing.stopAll");
            isNone = true;
          } else receipt = await this.#net.request("sharing.stop", { share: id });
        } catch (error) {
          if (error.isTransient) break;
          // The share does not exist any more, as wanted.
        }
        if (account !== this.#account) return;
        this.#stopping.settle(id);
        this.#drop(id);
        if (isNone) this.dispatchEvent(new CustomEvent("loaded", { detail: { askedAt } }));
        if (receipt) this.dispatchEvent(new CustomEvent("stopped", { detail: receipt }));
      }
    } finally {
      this.#sending = null;
      this.#changed();
      if (!this.#stopping.isEmpty && this.#net.state === "live") setTimeout(() => this.#sendStops(), askAgainMilliseconds);
    }
  }

  #drop(id) {
    this.#kept.drop(id);
    this.#setShares(id === "all" ? [] : this.shares.filter((share) => share.id !== id));
  }

  /**
   * Takes over stops of another tab, which may be offline or about to be closed: this tab sends no positions for those shares either, and
   * stops them on the server.
   */
  #mergeStops(event) {
    const settled = this.#stopping.merge(event);
    if (settled === null) return;
    for (const id of settled) this.#drop(id);
    this.#changed();
    this.#sendStops();
    // Another share may have begun in the other tab since.
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

  /** What viewers get of the working shares, as `OwnShareTopics.stateOf`; null while it is not known. */
  get toldState() {
    return this.#topics.stateOf(this.working.map(({ id }) => id));
  }

  /** Without a visible page the number of viewers is not needed. */
  #watchOwn() {
    const isWatching = document.visibilityState === "visible" && this.#account !== null;
    this.#topics.watch(isWatching ? this.shares.map(({ id }) => id) : []);
  }

  #makeTopics() {
    return new OwnShareTopics(this.#net, {
      find: (id) => this.shares.find((share) => share.id === id),
      state: (set) => {
        const before = this.toldState;
        set();
        if (this.toldState !== before) this.#changed();
      },
      changed: (share, type) => {
        if (type !== "watching") this.#kept.put(share);
        this.#scheduleEnds();
        this.#changed();
      },
      closed: (id) => {
        this.#drop(id);
        this.#changed();
      },
      reload: () => this.loadShares(),
    });
  }

  /** Removes shares at their end, also without a network. */
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

  // MARK: Where-requests

  async ask(params) {
    const { request } = await this.#net.request("sharing.ask", params);
    this.#takeOwnQuestion(request);
    return request;
  }

  /** Answers with the current position once; without a precision, declines. */
  async answer(request, precision = null) {
    const reply = await this.#net.request("sharing.answer", { request, ...(precision && { precision }) });
    this.requests = { ...this.requests, toMe: this.requests.toMe.filter(({ id }) => id !== request) };
    this.#changed();
    return reply;
  }

  /** Reads an answer. It can be read once. */
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

  /** Accepts or declines the share of a stranger, who does not learn which. */
  async respond(id, accept) {
    const { share = null } = await this.#net.request("sharing.respond", { share: id, accept });
    this.invitations = this.invitations.filter((one) => one.id !== id);
    if (share && !this.withMe.some((one) => one.id === id)) this.withMe = [...this.withMe, share];
    this.#known?.add(id);
    this.#scheduleEnds();
    this.#changed();
  }

  #loadWithMe() {
    return this.#ask("sharing.withMe", ({ shares: listed, invitations: offered = [] }) => {
      const shares = listed.map((share) => this.named(share));
      const invitations = offered.map((share) => this.named(share));
      this.withMe = shares;
      this.invitations = invitations;
      const known = this.#known;
      this.#known = new Set([...shares, ...invitations].map(({ id }) => id));
      this.#scheduleEnds();
      // For the first list, shares that began since the account is known here are new.
      const since = this.#net.clock.now() - (performance.now() - this.#accountAt);
      const isNew = ({ id, startedAt }) => (known ? !known.has(id) : Date.parse(startedAt) >= since);
      for (const share of shares) if (isNew(share)) this.dispatchEvent(new CustomEvent("shared", { detail: share }));
      for (const share of invitations) if (isNew(share)) this.dispatchEvent(new CustomEvent("invited", { detail: share }));
    });
  }

  #loadRequests() {
    return this.#ask("sharing.requests", (listed) => {
      const [toMe, mine] = [listed.toMe, listed.mine].map((requests) => requests.map((one) => this.named(one)));
      const requests = { ...listed, toMe, mine };
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
    this.#signals.follow(null);
    this.#topics.watch([]);
    for (const timer of [this.#againTimer, this.#endTimer]) clearTimeout(timer);
    [this.shares, this.withMe, this.invitations, this.requests, this.isLoaded, this.problem] = [[], [], [], { toMe: [], mine: [] }, false,
      null];
    [this.#known, this.#knownQuestions] = [null, null];
    this.#stopping.use(account);
    this.#hidden.use(account);
    this.#kept.use(account);
    this.#setShares(this.#kept.read(this.#net.clock.now()));
    this.#signals.follow(account);
    this.#changed();
  }

  #makeSignals() {
    return new SharingSignals(this.#net, {
      begin: () => {
        this.#sendStops();
        this.load();
      },
      privacy: () => this.dispatchEvent(new Event("privacy")),
      changed: (types) => {
        if (types.has("resync")) return void this.load();
        if (types.has("share")) {
          this.loadShares();
          this.#loadWithMe();
        }
        if (types.has("where")) this.#loadRequests();
      },
    });
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
