// Sends waiting messages, each conversation in the order of writing, until the server has them.

import { uploadPicture } from "../kit/pictures.js";
import { retryDelay } from "../client/backoff.js";
import { uuid } from "../client/uuid.js";
import { afterSendError, nextEntries, sendParams } from "./sendplan.js";
import { ChatOutbox } from "./outbox.js";

/** Without a reply for so long the network is called poor. */
const poorAfterMilliseconds = 4_000;
const channelName = "campanile.chat";

/** Emits `change`; `sent` with `detail: {entry, place}`; `poor` when a message has to wait. Other tabs send from the same store. */
export class Sender extends EventTarget {
  /** Waiting and refused messages, in order. */
  entries = [];
  /** id → 0…1, for pictures that are uploaded now. */
  progress = new Map();

  #net;
  #outbox = new ChatOutbox();
  #canStore = true;
  #account = null;
  #using = Promise.resolve();
  #busy = new Set();
  #uploads = new Map();
  /** Ids of messages that are being written to the store. */
  #unstored = new Set();
  /** Conversation → number of momentary failures in a row. */
  #failures = new Map();
  /** Conversation → timer; nothing is sent to the conversation until it fires. */
  #held = new Map();
  #channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(channelName) : null;

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("state", () => {
      this.#goOn();
      this.#failures.clear();
      this.#pump();
    });
    if (this.#channel) this.#channel.onmessage = () => this.#reload();
  }

  /** Takes up the waiting messages of this account; null removes those of the previous one, here and on the device. Calls are queued. */
  use(account) {
    this.#using = this.#using.then(() => this.#use(account));
    return this.#using;
  }

  async #use(account) {
    const before = this.#account;
    this.#account = account;
    this.entries = [];
    this.progress.clear();
    for (const upload of this.#uploads.values()) upload.abort();
    this.#goOn();
    this.#failures.clear();
    this.#unstored.clear();
    this.#changed();
    if (account === null) await this.#stored(() => this.#outbox.forgetAccount(before));
    else await this.#reload();
  }

  /** Puts a message in the queue: `{conversation, text, blob, width, height, reply}`. It is stored when this resolves. */
  async add(message) {
    const order = Math.max(Date.now(), (this.entries.at(-1)?.order ?? 0) + 1);
    const entry = { ...message, id: uuid(), account: this.#account, order, at: this.#net.clock.toServer(Date.now()) };
    this.entries.push(entry);
    this.#unstored.add(entry.id);
    this.#changed();
    await this.#stored(() => this.#outbox.put(entry));
    this.#unstored.delete(entry.id);
    this.#notifyTabs();
    if (this.#net.state !== "live") this.dispatchEvent(new Event("poor"));
    this.#pump();
    return entry;
  }

  /** Sends a refused message again. */
  async retry(id) {
    await this.#change(id, { problem: undefined });
    this.#pump();
  }

  /** Gives a message up. If it is on its way, it may arrive nevertheless. */
  async remove(id) {
    this.#uploads.get(id)?.abort();
    this.entries = this.entries.filter((entry) => entry.id !== id);
    this.#changed();
    await this.#stored(() => this.#outbox.remove(id));
    this.#notifyTabs();
  }

  #pump() {
    if (this.#account === null || this.#net.state !== "live" || !this.#net.account) return;
    for (const entry of nextEntries(this.entries, this.#busy, this.#held)) this.#send(entry);
  }

  /** Ends the waits after momentary failures. */
  #goOn() {
    for (const timer of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }

  /** Sends nothing to a conversation until a while after a momentary failure. */
  #hold(conversation, retryAfter) {
    const failures = this.#failures.get(conversation) ?? 0;
    this.#failures.set(conversation, failures + 1);
    clearTimeout(this.#held.get(conversation));
    this.#held.set(conversation, setTimeout(() => {
      this.#held.delete(conversation);
      this.#pump();
    }, retryDelay(failures, retryAfter)));
  }

  async #send(entry) {
    const { id, account, conversation } = entry;
    this.#busy.add(conversation);
    const poor = setTimeout(() => this.dispatchEvent(new Event("poor")), poorAfterMilliseconds);
    try {
      // Of several tabs one sends at a time. Where there are no locks they may send the same twice: it has the same id.
      await this.#alone(conversation, async () => {
        if (!(await this.#isStillThere(id)) || this.#account !== account) return;
        const current = await this.#withPicture(this.entries.find((other) => other.id === id) ?? entry);
        const place = await this.#net.request("chat.send", sendParams(current));
        this.#failures.delete(conversation);
        await this.#sent(current, place);
      });
    } catch (error) {
      await this.#failed(entry, error);
    } finally {
      clearTimeout(poor);
      this.#busy.delete(conversation);
    }
    this.#pump();
  }

  async #withPicture(entry) {
    if (!entry.blob || entry.pictureId) return entry;
    const abort = new AbortController();
    this.#uploads.set(entry.id, abort);
    const onProgress = (part) => {
      this.progress.set(entry.id, part);
      this.#changed();
    };
    try {
      const { token } = this.#net;
      const { picture } = await uploadPicture({ token, blob: entry.blob, purpose: "chat", onProgress, signal: abort.signal });
      return await this.#change(entry.id, { pictureId: picture }) ?? entry;
    } finally {
      this.#uploads.delete(entry.id);
      this.progress.delete(entry.id);
    }
  }

  async #sent(entry, place) {
    this.entries = this.entries.filter(({ id }) => id !== entry.id);
    this.dispatchEvent(new CustomEvent("sent", { detail: { entry, place } }));
    this.#changed();
    await this.#stored(() => this.#outbox.remove(entry.id));
    this.#notifyTabs();
  }

  async #failed(entry, error) {
    const current = this.entries.find(({ id }) => id === entry.id);
    if (error.isAborted || !current) return;
    if (!("isTransient" in error)) throw error;
    const step = afterSendError(error, current);
    if (step === "upload") await this.#change(entry.id, { pictureId: undefined });
    if (step === "refuse") {
      // The same words as on the page of a conversation that has ended.
      const isEnded = error.data?.field === "conversation" && (error.isForbidden || error.isNotFound);
      await this.#change(entry.id, { problem: isEnded ? "This chat has ended." : error.message });
      return;
    }
    this.dispatchEvent(new Event("poor"));
    // A rate limit is the account's, for all of its conversations.
    const waiting = error.isRateLimited ? new Set(this.entries.map(({ conversation }) => conversation)) : [entry.conversation];
    for (const conversation of waiting) this.#hold(conversation, error.data?.retryAfter);
  }

  async #change(id, changes) {
    const at = this.entries.findIndex((entry) => entry.id === id);
    if (at < 0) return null;
    this.entries[at] = { ...this.entries[at], ...changes };
    this.#changed();
    await this.#stored(() => this.#outbox.change(id, changes));
    this.#notifyTabs();
    return this.entries.find((entry) => entry.id === id) ?? null;
  }

  #alone(conversation, work) {
    if (!navigator.locks) return work();
    return navigator.locks.request(`campanile.chat.${conversation}`, work);
  }

  async #isStillThere(id) {
    if (!this.#canStore) return this.entries.some((entry) => entry.id === id);
    const kept = await this.#stored(() => this.#outbox.entries(this.#account));
    if (!kept) return this.entries.some((entry) => entry.id === id);
    const isThere = kept.some((entry) => entry.id === id && !entry.problem);
    // Another tab has sent it, or gave it up.
    if (!isThere && !kept.some((entry) => entry.id === id)) this.entries = this.entries.filter((entry) => entry.id !== id);
    this.#changed();
    return isThere;
  }

  async #reload() {
    const account = this.#account;
    if (account === null) return;
    const kept = await this.#stored(() => this.#outbox.entries(account));
    if (!kept || account !== this.#account) return;
    this.entries = [...kept, ...this.entries.filter(({ id }) => this.#unstored.has(id))];
    this.#changed();
    this.#pump();
  }

  /** A browser without storage still sends: waiting messages are lost with the page then. */
  async #stored(work) {
    if (!this.#canStore) return null;
    try {
      return await work();
    } catch {
      this.#canStore = false;
      return null;
    }
  }

  #notifyTabs() {
    this.#channel?.postMessage("outbox");
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
