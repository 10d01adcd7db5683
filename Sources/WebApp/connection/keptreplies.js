// The last replies of methods that read, in IndexedDB: pages show them without a network, with their age. Of one account. No DOM.

import { Database } from "./database.js";
import { noteKept } from "./keptage.js";
import { isKept, isOwn, keptMethods, keptMillisecondsMax, keyOf, surplus } from "./kepttable.js";

/** Every operation fails silently: without storage the app works, but not offline. */
export class KeptReplies {
  // The size and age of each reply stand beside it, so that the limits are checked without reading all replies.
  #database = new Database("campanile-kept", { entries: { keyPath: "key" }, replies: { keyPath: "key" } }, "relaxed");
  #account = null;
  #last = Promise.resolve();
  #writing = 0;

  /** The number of changes that are not written yet. A page that is closed before then loses them. */
  get writing() { return this.#writing; }

  /** Changes to another account, null for a guest. Removes the replies of all others, and old ones. */
  use(account) {
    const before = this.#account;
    // A tab that was left open may have an account that this browser has no more: then it removes nothing of the one that has come.
    if (account !== null && account === before) return;
    this.#account = account;
    const now = Date.now();
    // A sign-out in this tab is none of an account that has signed in in another tab.
    const isOthers = account === null && before !== null ? (entry) => entry.account === before : (entry) => entry.account !== account;
    this.#removeIf((entry) => isOthers(entry) || now - entry.at > keptMillisecondsMax);
  }

  /** The reply that was kept, or null. */
  async get(method, params) {
    if (this.#account === null || !isKept(method, params)) return null;
    const account = this.#account;
    await this.#last;
    try {
      const found = await this.#database.run("readonly", ({ replies }) => replies.get(keyOf(account, method, params)));
      if (!found || account !== this.#account || Date.now() - found.at > keptMillisecondsMax) return null;
      noteKept(found.reply, found.at);
      return found.reply;
    } catch {
      return null;
    }
  }

  /** Keeps a reply that the server sent just now to this account. */
  put(account, method, params, reply) {
    if (account === null || account !== this.#account || !isKept(method, params) || !isOwn(account, method, reply)) return;
    const text = JSON.stringify(reply);
    const key = keyOf(account, method, params);
    if (text.length > keptMethods[method].bytes) return this.#removeIf((entry) => entry.key === key);
    const at = Date.now();
    this.#write(({ entries, replies }) => {
      // It was signed out meanwhile.
      if (account !== this.#account) return;
      replies.put({ key, account, at, reply: JSON.parse(text) });
      entries.put({ key, account, method, at, bytes: text.length, subject: subjectOf(params) });
      entries.getAll().onsuccess = ({ target: { result } }) => {
        for (const old of surplus(result, at)) [entries, replies].forEach((store) => store.delete(old));
      };
    });
  }

  /** Replaces the replies of an account to `methods` by `changed(method, params, reply)`. Their age stays. */
  change(account, methods, changed) {
    if (account === null || account !== this.#account || methods.length === 0) return;
    this.#write(({ entries, replies }) => {
      entries.getAll().onsuccess = ({ target: { result } }) => {
        for (const entry of result.filter((one) => one.account === account && methods.includes(one.method))) {
          replies.get(entry.key).onsuccess = ({ target: { result: kept } }) => {
            if (kept) replies.put({ ...kept, reply: changed(entry.method, { conversation: entry.subject }, kept.reply) });
          };
        }
      };
    });
  }

  /** Removes the replies to a method of which `isUnwanted(reply, {conversation})`. Resolves to what it removed, the latest first. */
  async removeIf(method, isUnwanted) {
    const removed = [];
    await this.#write(({ entries, replies }) => {
      entries.getAll().onsuccess = ({ target: { result } }) => {
        for (const { key, at, subject } of result.filter((one) => one.account === this.#account && one.method === method)) {
          replies.get(key).onsuccess = ({ target: { result: kept } }) => {
            if (!kept || !isUnwanted(kept.reply, { conversation: subject })) return;
            removed.push({ conversation: subject, at });
            [entries, replies].forEach((store) => store.delete(key));
          };
        }
      };
    });
    return removed.sort((one, other) => other.at - one.at);
  }

  /** Removes a reply that is not true any more. */
  remove(method, params) {
    const key = keyOf(this.#account, method, params);
    if (isKept(method, params)) this.#removeIf((entry) => entry.key === key);
  }

  /** Removes what is kept of a conversation, and all lists that name people. */
  removeConversation(id) {
    this.#removeIf((entry) => entry.subject === id || (isOfPeople(entry) && entry.subject === null));
  }

  /** Removes conversations that are not among `ids` any more. */
  keepConversations(ids) {
    const known = new Set(ids);
    this.#removeIf((entry) => isOfPeople(entry) && entry.subject !== null && !known.has(entry.subject));
  }

  /** Removes everything that names other people. */
  removePeople() {
    this.#removeIf(isOfPeople);
  }

  /** Removes everything of an account. */
  forgetAccount(account) {
    return this.#removeIf((entry) => entry.account === account);
  }

  /** Bytes of all replies, as JSON. */
  async size() {
    const entries = await this.#database.run("readonly", (stores) => stores.entries.getAll());
    return entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #removeIf(isUnwanted) {
    return this.#write(({ entries, replies }) => {
      entries.getAll().onsuccess = ({ target: { result } }) => {
        for (const { key } of result.filter(isUnwanted)) [entries, replies].forEach((store) => store.delete(key));
      };
    });
  }

  /** Writes one after the other: a removal is not overtaken. */
  #write(body) {
    this.#writing += 1;
    this.#last = this.#last.then(() => this.#database.transact("readwrite", body)).catch(() => {}).finally(() => { this.#writing -= 1; });
    return this.#last;
  }
}

/** The conversation that parameters name, or null. */
const subjectOf = (params) => params?.conversation ?? null;
const isOfPeople = ({ method }) => keptMethods[method]?.people === true;
