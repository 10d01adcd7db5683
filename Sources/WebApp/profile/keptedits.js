// Edits of the profile on every page: the ones that wait in this browser are sent when the connection is back. No DOM.

import { systemScheduler } from "../client/scheduler.js";
import { ProfileEdits, hasKeptEdits } from "./profileedits.js";

/**
 * Owns the account's `ProfileEdits`, for the page of the profile and after it. It emits `change` when `waiting` may be another; while the
 * page is not open also `waiting` when edits wait for the connection, `sent` when the server has the ones that waited, and `refused` with
 * `detail: {field, text}`.
 */
export class KeptProfileEdits extends EventTarget {
  #net;
  #storage;
  #scheduler;
  #account = null;
  /** @type {ProfileEdits | null} */
  #edits = null;
  #isOpen = false;
  /** Whether `waiting` was emitted for the edits that wait. */
  #isReported = false;
  #refused = new Set();

  constructor(net, storage = localStorage, scheduler = systemScheduler) {
    super();
    this.#net = net;
    this.#storage = storage;
    this.#scheduler = scheduler;
    net.addEventListener("account", () => this.#useAccount());
    net.addEventListener("state", () => {
      // Another tab may have left edits.
      this.#begin();
      this.#follow();
    });
    this.#useAccount();
  }

  /** How many fields have an edit that the server does not have. */
  get waiting() {
    return this.#edits?.waiting ?? 0;
  }

  /** The edits, for the page. It calls `leave()` at its end. */
  open() {
    this.#isOpen = true;
    this.#isReported = false;
    this.#edits ??= this.#make();
    return this.#edits;
  }

  /** The page is closed: what was typed is sent now, or waits. */
  leave() {
    this.#isOpen = false;
    this.#edits?.finishAll();
    this.#follow();
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    this.#account = account;
    this.#end();
    this.#begin();
    this.#follow();
  }

  #begin() {
    if (this.#account !== null && this.#edits === null && hasKeptEdits(this.#account, this.#storage)) this.#edits = this.#make();
  }

  #make() {
    const edits = new ProfileEdits(this.#net, this.#storage, this.#scheduler);
    edits.addEventListener("change", () => this.#follow());
    return edits;
  }

  #end() {
    this.#edits?.close();
    this.#edits = null;
    this.#isReported = false;
    this.#refused.clear();
  }

  #follow() {
    if (!this.#isOpen && this.#edits) this.#report(this.#edits);
    this.dispatchEvent(new Event("change"));
  }

  #report(edits) {
    for (const [field, text] of edits.problems) {
      if (this.#refused.has(field)) continue;
      this.#refused.add(field);
      this.dispatchEvent(new CustomEvent("refused", { detail: { field, text } }));
    }
    if (edits.waiting > 0) {
      if (this.#isReported || this.#net.state !== "offline") return;
      this.#isReported = true;
      this.dispatchEvent(new Event("waiting"));
      return;
    }
    const wasSent = this.#isReported && this.#refused.size === 0;
    this.#end();
    if (wasSent) this.dispatchEvent(new Event("sent"));
  }
}
