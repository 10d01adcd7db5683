// Edits of the account's profile, saved while they are made: each field by itself, the last change holds on all devices. No DOM.

import { keptAt } from "../connection/keptage.js";
import { retryDelay } from "../client/backoff.js";
import { Timer, systemScheduler } from "../client/scheduler.js";

/** What a field says while its edit waits for the connection. */
export const waitingText = "Saved on this device. We'll send it when you're back online.";
const prefix = "campanile.profileEdits.";
const typedMilliseconds = 700;
/** Signals after which the profile may be another. */
const signals = new Set(["account", "resync"]);

/** Parameters of `account.updateProfile` for a field. */
function paramsOf(field, value) {
  if (field === "home" && value === null) return { removeHome: true };
  if (field === "picture" && value === null) return { removePicture: true };
  return { [field]: value };
}

/** Whether this browser keeps edits that the server does not have. */
export function hasKeptEdits(account, storage) {
  try {
    return storage.getItem(prefix + account) !== null;
  } catch {
    return false;
  }
}

/**
 * Emits `change` when the profile or the state of a field is another. Edits are kept in this browser, for all its tabs, until the server
 * has them.
 */
export class ProfileEdits extends EventTarget {
  /** The profile as the server last had it; null before. */
  profile = null;
  /** Interests to choose from: `[{id, label}]`. */
  interests = [];
  /** Why the profile could not be loaded; null otherwise. */
  failure = null;
  /** Time of the profile that this device kept, in ms; null for what the server sent. */
  keptAt = null;

  #net;
  #storage;
  #account;
  #subscription;
  #pending = {};
  /** Values from before the edits on this page, by field. */
  #before = new Map();
  #problems = {};
  #saved = new Set();
  #timers = new Map();
  #isSending = false;
  /** The field whose value is in flight, or null. */
  #inFlight = null;
  #failures = 0;
  #retry;
  #isClosed = false;
  /** Whether the browser stores edits; if not, they are in memory alone. */
  #isStored = true;
  #otherTab = ({ key }) => {
    if (key !== null && key !== prefix + this.#account) return;
    this.#pending = this.#kept();
    this.#changed();
  };

  constructor(net, storage = localStorage, scheduler = systemScheduler) {
    super();
    this.#retry = new Timer(scheduler);
    this.#net = net;
    this.#storage = storage;
    this.#account = net.account?.id ?? null;
    this.#pending = this.#kept();
    globalThis.addEventListener?.("storage", this.#otherTab);
    this.#subscription = net.subscribe(`user/${this.#account}`, {
      snapshot: () => this.#renew(), push: ({ type }) => { if (signals.has(type)) this.load(); }, error: () => {},
    });
  }

  /** The value that the person sees: their own edit, or else the server's. */
  value(field) {
    return field in this.#pending ? this.#pending[field] : this.profile?.[field] ?? null;
  }

  /** How many fields have an edit that is not saved yet. */
  get waiting() {
    return Object.keys(this.#pending).length;
  }

  /** Refused edits: `[field, text]` each. */
  get problems() {
    return Object.entries(this.#problems);
  }

  /** Whether an edit of the field is not saved yet. */
  isEdited(field) {
    return field in this.#pending;
  }

  /** `saving`, `waiting` (for the connection), `saved`, `bad`, or an empty text. */
  state(field) {
    if (this.#problems[field]) return "bad";
    if (field in this.#pending) return this.#net.state === "live" ? "saving" : "waiting";
    return this.#saved.has(field) ? "saved" : "";
  }

  /** Why an edit was refused, or null. */
  problem(field) {
    return this.#problems[field] ?? null;
  }

  /** Edits a field. With `isTyped`, it is sent when the person stops typing. */
  edit(field, value, { isTyped = false } = {}) {
    delete this.#problems[field];
    this.#saved.delete(field);
    clearTimeout(this.#timers.get(field));
    if (!this.#before.has(field)) this.#before.set(field, this.profile?.[field] ?? null);
    // The value in flight may already be the server's: an edit back to the old one must follow it.
    const isOld = this.#inFlight !== field && this.profile !== null && same(value, this.profile[field] ?? null);
    this.#change((pending) => {
      if (isOld) delete pending[field];
      else pending[field] = value;
    });
    if (isTyped) this.#timers.set(field, setTimeout(() => this.#typed(field), typedMilliseconds));
    this.#changed();
    return isTyped ? Promise.resolve() : this.#send();
  }

  /** Whether a field has another value than before it was edited on this page. */
  canUndo(field) {
    return this.#before.has(field) && !same(this.value(field), this.#before.get(field));
  }

  /** Puts a field back to what it was before (U-3). */
  undo(field) {
    const value = this.#before.get(field) ?? "";
    this.#before.delete(field);
    const sent = this.edit(field, value);
    this.#before.delete(field);
    return sent;
  }

  /** Sends what was typed in a field without waiting any longer. */
  finish(field) {
    if (!this.#timers.has(field)) return;
    clearTimeout(this.#timers.get(field));
    this.#typed(field);
  }

  /** Sends what was typed in any field without waiting any longer. */
  finishAll() {
    for (const field of this.#timers.keys()) this.finish(field);
  }

  async load() {
    try {
      const reply = await this.#net.read("account.profile");
      const { profile, interests } = reply;
      this.failure = null;
      this.keptAt = keptAt(reply);
      this.interests = interests;
      this.#take(profile);
    } catch (error) {
      if (!error.isTransient || !this.profile) this.failure = error;
      this.#changed();
    }
  }

  /** Takes the profile as another request has it. */
  taken(profile) {
    this.keptAt = null;
    this.#take(profile);
  }

  close() {
    this.finishAll();
    this.#isClosed = true;
    globalThis.removeEventListener?.("storage", this.#otherTab);
    this.#retry.clear();
    this.#subscription.close();
  }

  async #renew() {
    this.#retry.clear();
    this.#failures = 0;
    await this.load();
    await this.#send();
  }

  #typed(field) {
    this.#timers.delete(field);
    this.#send();
  }

  /** Sends the fields one after the other, so that a refusal concerns one of them. */
  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#retry.clear();
    try {
      for (let field = this.#next(); field; field = this.#next()) {
        const value = this.#pending[field];
        if (!(await this.#sendOne(field, value))) return;
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** A field to be sent now; one that is being typed waits. */
  #next() {
    if (this.#net.state !== "live" || this.#net.account?.id !== this.#account) return null;
    // Another tab may have sent an edit, or have a newer one.
    this.#pending = this.#kept();
    return Object.keys(this.#pending).find((field) => !this.#timers.has(field)) ?? null;
  }

  async #sendOne(field, value) {
    this.#inFlight = field;
    try {
      const profile = await this.#net.request("account.updateProfile", paramsOf(field, value));
      this.#failures = 0;
      if (this.#remove(field, value)) this.#saved.add(field);
      this.#take(profile);
      return true;
    } catch (error) {
      if (error.isTransient) this.#retryLater(error);
      else if (this.#remove(field, value)) this.#problems[field] = error.message;
      this.#changed();
      return !error.isTransient;
    } finally {
      this.#inFlight = null;
    }
  }

  /** Sends again later; a connection that is lost sends when it is back. */
  #retryLater(error) {
    if (this.#isClosed || this.#net.state !== "live") return;
    this.#retry.set(retryDelay(this.#failures, error.data?.retryAfter), () => { this.#send(); });
    this.#failures += 1;
  }

  #take(profile) {
    this.profile = profile;
    this.#changed();
  }

  #changed() {
    if (!this.#isClosed) this.dispatchEvent(new Event("change"));
  }

  #kept() {
    if (!this.#isStored) return this.#pending;
    try {
      return JSON.parse(this.#storage.getItem(prefix + this.#account) ?? "{}");
    } catch {
      return this.#pending;
    }
  }

  /** Removes an edit of that value. Returns false if there is a newer one. */
  #remove(field, value) {
    this.#pending = this.#kept();
    if (field in this.#pending && !same(this.#pending[field], value)) return false;
    this.#change((pending) => { delete pending[field]; });
    return true;
  }

  #change(body) {
    // Other tabs have edits of other fields.
    this.#pending = this.#kept();
    body(this.#pending);
    if (this.#account === null || this.#net.account?.id !== this.#account) return;
    try {
      if (this.waiting === 0) this.#storage.removeItem(prefix + this.#account);
      else this.#storage.setItem(prefix + this.#account, JSON.stringify(this.#pending));
      this.#isStored = true;
    } catch {
      // Storage is full or blocked: what waits is lost when the document is left.
      this.#isStored = false;
    }
  }
}

/** Whether two values of a field are the same; an empty text is none. */
function same(one, other) {
  const plain = (value) => JSON.stringify(value === "" ? null : value ?? null);
  return plain(one) === plain(other);
}
