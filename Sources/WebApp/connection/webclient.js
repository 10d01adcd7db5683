// The client of the web app: it keeps the last replies of methods that read, and refuses writes that nothing would send later. No DOM.

import { CampanileClient } from "../client/campanileclient.js";
import { RequestError } from "../client/errors.js";

/** A connection that is being opened is waited for so long before a kept reply is shown. */
const liveMillisecondsMax = 2_000;
/** Signals after which the account must not see somebody any more, or may have missed that. */
const changesPeople = new Set(["gone", "resync"]);

export class WebClient extends CampanileClient {
  /**
   * The replies that are kept, when the features have started.
   * @type {import("./keptreplies.js").KeptReplies | null}
   */
  replies = null;
  /**
   * Changes that wait for the connection, when the features have started.
   * @type {import("./writequeue.js").WriteQueue}
   */
  writes = /** @type {any} */ (null);

  #isOnline;
  #reading = 0;
  #keptOf = null;
  #subscription = null;

  /**
   * @param {string} url
   * @param {import("../client/campanileclient.js").ClientOptions & {isOnline: () => boolean}} options
   */
  constructor(url, options) {
    super(url, options);
    this.#isOnline = options.isOnline;
    this.addEventListener("account", () => this.#useAccount());
    this.#useAccount();
  }

  /**
   * As that of the client. Without a network it fails at once instead of waiting for one.
   * @template {keyof import("../client/registrytypes.js").Methods} M
   * @param {M} method
   * @param {import("../client/registrytypes.js").Methods[M]["params"]} [params]
   * @param {{timeout?: number}} [options]
   * @returns {Promise<import("../client/registrytypes.js").Methods[M]["result"]>}
   */
  async request(method, params, options) {
    if (this.state === "offline" && !this.#isOnline()) {
      throw new RequestError("offline", "You're offline. Try again when you're back online.");
    }
    const before = this.state === "live" ? { account: this.account?.id ?? null } : null;
    try {
      const reply = await super.request(method, params, options);
      // A request that waited for the connection was sent by the account that the server named at its opening.
      this.replies?.put(before ? before.account : this.account?.id ?? null, method, params, reply);
      return reply;
    } catch (error) {
      if (error.isNotFound || error.isForbidden) this.replies?.remove(method, params);
      throw error;
    }
  }

  /** How many calls of `read` have no reply yet. */
  get reading() { return this.#reading; }

  /**
   * The reply to a method that reads: the server's, or without a connection the last one that this device has. `keptAt(reply)` tells which.
   * It has the changes that wait.
   * @template {keyof import("../client/registrytypes.js").Methods} M
   * @param {M} method
   * @param {import("../client/registrytypes.js").Methods[M]["params"]} [params]
   * @returns {Promise<import("../client/registrytypes.js").Methods[M]["result"]>}
   */
  async read(method, params) {
    this.#reading += 1;
    let reply;
    try {
      reply = await this.#read(method, params);
    } finally {
      this.#reading -= 1;
    }
    return this.writes ? this.writes.shown(method, params, reply) : reply;
  }

  async #read(method, params) {
    const account = this.account?.id ?? null;
    const isSame = () => account === (this.account?.id ?? null);
    const kept = this.state === "live" ? null : await this.replies?.get(method, params);
    if (kept && !(await this.#isLiveSoon()) && isSame()) return kept;
    try {
      return await this.request(method, params);
    } catch (error) {
      const late = error.isUnanswered && this.state !== "live" && isSame() ? await this.replies?.get(method, params) : null;
      if (late) return late;
      throw error;
    }
  }

  /** Keeps the replies from now on. Emits `replies`. */
  keepReplies(replies) {
    this.replies = replies;
    replies.use(this.account?.id ?? null);
    this.dispatchEvent(new Event("replies"));
  }

  /** Keeps what is known by now in place of a reply, such as a list to which messages were added. */
  keep(method, params, reply) {
    this.replies?.put(this.account?.id ?? null, method, params, reply);
  }

  #isLiveSoon() {
    return new Promise((resolve) => {
      const end = (isLive) => {
        clearTimeout(timer);
        this.removeEventListener("state", follow);
        resolve(isLive);
      };
      const timer = setTimeout(() => end(false), liveMillisecondsMax);
      const follow = () => {
        if (this.state === "live") end(true);
        else if (this.state === "offline") end(false);
      };
      this.addEventListener("state", follow);
      follow();
    });
  }

  #useAccount() {
    const account = this.account?.id ?? null;
    this.replies?.use(account);
    if (account === this.#keptOf) return;
    this.#keptOf = account;
    this.#subscription?.close();
    this.#subscription = account === null ? null : this.subscribe(`user/${account}`, { push: ({ type, conversation }) => {
      if (!changesPeople.has(type)) return;
      if (conversation) this.replies?.removeConversation(conversation);
      else this.replies?.removePeople();
    } });
  }
}
