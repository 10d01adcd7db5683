// The settings that follow the account on all its devices: theme, units, default audience, location, whether the tutorial was seen. A
// guest's stay in this browser. No DOM.

import { retryDelay } from "../client/backoff.js";
import { Timer, systemScheduler } from "../client/scheduler.js";

const prefix = "campanile.settings.";
export const defaults = { theme: "system", units: "auto", audience: "private", location: true, tutorial: "new" };
const names = Object.keys(defaults);
/** Signals after which a setting may be another. */
const signals = new Set(["settings", "resync"]);
const versionsOfNone = { theme: 0, units: 0, audience: 0, location: 0, tutorial: 0 };

/**
 * Emits `signal` when any setting of the account may have changed on another device, and `change` when a value or the state of one may be
 * another. What is chosen holds at once, is kept in this browser until the server has it, and is then sent to the other devices.
 */
export class AccountSettings extends EventTarget {
  #net;
  #storage;
  #apply;
  #account = null;
  #subscription = null;
  #values;
  #versions = { ...versionsOfNone };
  /** Names of the settings that the server has answered with since the account is known. */
  #answered = new Set();
  /** Values that the server does not have yet, by name. */
  #pending = {};
  #problems = {};
  #isSending = false;
  #failures = 0;
  #retry;

  /**
   * `apply(name, value)` puts a value into force in this browser. `local()` gives the values that this browser keeps without an account.
   * @param {any} net
   * @param {{storage?: Storage, apply?: (name: string, value: any) => void, local?: () => object,
   *   scheduler?: import("../client/scheduler.js").Scheduler}} options
   */
  constructor(net, { storage = localStorage, apply = () => {}, local = () => ({}), scheduler = systemScheduler } = {}) {
    super();
    this.#retry = new Timer(scheduler);
    this.#net = net;
    this.#storage = storage;
    this.#apply = apply;
    this.#values = { ...defaults, ...local() };
    net.addEventListener("account", () => this.#useAccount());
    this.#useAccount();
  }

  /** Value of the setting with this name. */
  value(name) {
    return this.#values[name];
  }

  /** Whether the value is that of the account, and not what a browser begins with: the server has sent it, or it was chosen here. */
  isKnown(name) {
    return this.#answered.has(name) || this.#versions[name] > 0 || name in this.#pending;
  }

  /** `saving`, `waiting` (for the connection), `bad`, or an empty text when the server has it. */
  state(name) {
    if (this.#problems[name]) return "bad";
    if (!(name in this.#pending)) return "";
    return this.#net.state === "live" ? "saving" : "waiting";
  }

  /** Why a choice was not saved, or null. */
  problem(name) {
    return this.#problems[name] ?? null;
  }

  /** How many choices the server does not have yet. */
  get waiting() {
    return Object.keys(this.#pending).length;
  }

  /** Chooses a value. Resolves when the server has it, or cannot be asked now. */
  choose(name, value) {
    delete this.#problems[name];
    this.#set(name, value);
    if (this.#account === null) {
      this.#changed();
      return Promise.resolve();
    }
    this.#pending[name] = value;
    this.#keep();
    this.#changed();
    return this.#send();
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    const wasMember = this.#account !== null;
    this.#account = account;
    this.#subscription?.close();
    this.#subscription = null;
    [this.#pending, this.#problems, this.#versions] = [{}, {}, { ...versionsOfNone }];
    this.#answered.clear();
    this.#resetRetry();
    // Nothing of the account before stays (T-6), also when another follows without a guest between them.
    if (wasMember) for (const name of names) this.#set(name, defaults[name]);
    if (account === null) {
      this.#changed();
      return;
    }
    this.#restore();
    this.#subscription = this.#net.subscribe(`user/${account}`, {
      snapshot: () => this.#renew(), push: ({ type }) => { if (signals.has(type)) this.#signalled(); }, error: () => {},
    });
    this.#changed();
  }

  /** Also of settings that other pages load: those of notifications and chats. */
  #signalled() {
    this.dispatchEvent(new Event("signal"));
    this.#load();
  }

  async #renew() {
    this.#resetRetry();
    await this.#send();
    await this.#load();
  }

  async #load() {
    const account = this.#account;
    try {
      this.#take(await this.#net.request("account.settings"), account);
    } catch {
      // The next connection or signal brings them.
    }
  }

  /** Forgets earlier failures, because the connection or the account is another. */
  #resetRetry() {
    this.#retry.clear();
    this.#failures = 0;
  }

  async #send() {
    if (this.#isSending) return;
    this.#retry.clear();
    this.#isSending = true;
    try {
      while (Object.keys(this.#pending).length > 0 && this.#net.state === "live") {
        const account = this.#account;
        const sent = { ...this.#pending };
        const reply = await this.#request(sent, account);
        if (!reply) return;
        if (account !== this.#account) continue;
        this.#failures = 0;
        for (const [name, value] of Object.entries(sent)) {
          if (this.#pending[name] === value) delete this.#pending[name];
          // A choice made meanwhile follows the one that the server has now.
          else this.#versions[name] = Math.max(this.#versions[name], reply.versions[name]);
        }
        this.#take(reply, account);
      }
    } finally {
      this.#isSending = false;
    }
  }

  async #request(sent, account) {
    try {
      // Of a setting that waits, the version is the one that the person saw: a newer choice on another device is not opened again.
      return await this.#net.request("account.saveSettings", { ...sent, base: { ...this.#versions } });
    } catch (error) {
      if (account !== this.#account) {
        // What the account now here chose meanwhile waits for this request alone.
        if (this.#account !== null) this.#retryLater(error);
      } else if (error.isTransient) this.#retryLater(error);
      else {
        for (const name of Object.keys(sent)) {
          delete this.#pending[name];
          this.#problems[name] = error.message;
        }
        this.#keep();
        this.#load();
        // What was chosen meanwhile was not refused.
        if (Object.keys(this.#pending).length > 0) this.#retryLater(error);
      }
      this.#changed();
      return null;
    }
  }

  /** Sends again later; a connection that is lost sends when it is back. */
  #retryLater(error) {
    if (this.#net.state !== "live") return;
    this.#retry.set(retryDelay(this.#failures, error.data?.retryAfter), () => { this.#send(); });
    this.#failures += 1;
  }

  /** Takes the server's settings. Of two answers the one with the higher version is newer; what waits here is newer than both. */
  #take(settings, account) {
    if (account !== this.#account || account === null) return;
    for (const name of names) {
      const version = settings.versions[name];
      // A server of an earlier release does not know the setting.
      if (version === undefined) continue;
      this.#answered.add(name);
      // A setting that was never chosen leaves this browser as it is.
      if (name in this.#pending || version < this.#versions[name] || version === 0) continue;
      this.#versions[name] = version;
      this.#set(name, settings[name]);
    }
    this.#keep();
    this.#changed();
  }

  #set(name, value) {
    if (this.#values[name] === value) return;
    this.#values[name] = value;
    this.#apply(name, value);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** Begins with what this browser knows of the account, also without a network. */
  #restore() {
    try {
      const { values = {}, versions = {}, pending = {} } = JSON.parse(this.#storage.getItem(prefix + this.#account) ?? "{}");
      this.#versions = { ...versionsOfNone, ...versions };
      this.#pending = pending;
      for (const name of names) if (name in values) this.#set(name, values[name]);
    } catch {
      // Nothing readable is kept: the server has them.
    }
  }

  #keep() {
    const values = Object.fromEntries(names.filter((name) => this.#versions[name] > 0 || name in this.#pending)
      .map((name) => [name, this.#values[name]]));
    try {
      this.#storage.setItem(prefix + this.#account, JSON.stringify({ values, versions: this.#versions, pending: this.#pending }));
    } catch {
      // Storage is full or blocked: the server has what was sent.
    }
  }
}

/** Forgets the account's settings, and edits of its profile and other changes that wait, when it was signed out elsewhere (T-6). */
export function forgetSettings(account, storage = localStorage) {
  for (const start of [prefix, "campanile.profileEdits.", "campanile.writes."]) storage.removeItem(start + account);
}
