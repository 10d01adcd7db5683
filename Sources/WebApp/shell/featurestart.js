// Loads the features and starts them, and recovers when they cannot be loaded. After a failed import a browser may give the same failure to
// each later import of that module, until the document is loaded again (Chromium does). No DOM.

import { backoffDelay } from "../client/backoff.js";

/** Automatic reloads of a tab, until the features start: a fault that they do not mend must not reload it for ever. */
const reloadsMax = 2;
const reloadsKey = "campanile.reloads";
/** A shorter failure is not shown. */
const failureShownAfterMilliseconds = 3_000;
const delayShownAfterMilliseconds = 30_000;
const probeMillisecondsMax = 30_000;
/** A newer release has replaced the file. */
const notFound = 404;

/**
 * The start of the features, once. Its states: `waiting` until the features are loaded, `recovering` after a failed load, `started`, and
 * `failed`, after which only a reload by hand helps.
 */
export class FeatureStart {
  /** Resolves when the features have started. It stays pending while they cannot be loaded, and never rejects. */
  started;

  #state = "waiting";
  #page;
  #attempt = null;
  #resolve;

  /**
   * `page` is what the document does: `load()` imports the module, `start(module)` starts the features. `files()` gives the addresses of
   * the module and of what it imports, `fetch` requests one. `show(problem)` shows that the features are `late` or `failed`, `hide()`
   * removes that, `report(error)` reports an error of the start. `reload()` reloads the document, `storage` is that of the tab.
   * `after(milliseconds)` resolves after that time, `pause(milliseconds)` then or when the network is back; `delay(failures)` is the time
   * before the next probe.
   */
  constructor(page) {
    this.#page = { delay: backoffDelay, ...page };
    this.started = new Promise((resolve) => { this.#resolve = resolve; });
  }

  /** One attempt, for a page that cannot be shown without the features. Rejects when it fails; a later call is another attempt. */
  attempt() {
    this.#attempt ??= this.#try();
    return this.#attempt;
  }

  /** Starts the features, after reloads of the document if need be. Returns `started`. */
  begin() {
    this.attempt().catch(() => {});
    return this.started;
  }

  get #isOpen() {
    return this.#state === "waiting" || this.#state === "recovering";
  }

  async #try() {
    this.#showAfter(delayShownAfterMilliseconds, "late");
    let module;
    try {
      module = await this.#page.load();
    } catch (error) {
      this.#attempt = null;
      if (this.#state === "waiting") this.#recover();
      throw error;
    }
    this.#start(module);
  }

  #start(module) {
    try {
      this.#page.start(module);
    } catch (error) {
      // Some features have started, and cannot do so twice.
      this.#fail();
      this.#page.report(error);
      throw error;
    }
    this.#state = "started";
    forgetReloads(this.#page.storage);
    this.#page.hide();
    this.#resolve();
  }

  /** Reloads the document as soon as the files can be loaded. */
  async #recover() {
    const { after, delay, pause, reload, storage } = this.#page;
    this.#state = "recovering";
    this.#showAfter(failureShownAfterMilliseconds, "failed");
    for (let failures = 0; this.#isOpen; failures += 1) {
      await pause(delay(failures));
      if (!this.#isOpen || !(await Promise.race([this.#canLoad(), after(probeMillisecondsMax)])) || !this.#isOpen) continue;
      if (mayReload(storage)) return reload();
      this.#fail();
    }
    return undefined;
  }

  /** Whether a reload may help: the server has all files, which are then in the browser's cache, or it has a newer release. */
  async #canLoad() {
    try {
      const replies = await Promise.all(this.#page.files().map((file) => this.#page.fetch(file)));
      await Promise.all(replies.map((reply) => reply.arrayBuffer()));
      return replies.every(({ ok }) => ok) || replies.some(({ status }) => status === notFound);
    } catch {
      return false;
    }
  }

  async #showAfter(milliseconds, problem) {
    await this.#page.after(milliseconds);
    const isShown = problem === "failed" ? this.#isOpen : this.#state === "waiting";
    if (isShown) this.#page.show(problem);
  }

  #fail() {
    this.#state = "failed";
    this.#page.show("failed");
  }
}

/** Counts a reload of this tab. Returns false when there were enough, or when the browser stores nothing to count them. */
function mayReload(storage) {
  try {
    const reloads = Number(storage.getItem(reloadsKey));
    if (reloads >= reloadsMax) return false;
    storage.setItem(reloadsKey, String(reloads + 1));
    return true;
  } catch {
    return false;
  }
}

function forgetReloads(storage) {
  try {
    storage.removeItem(reloadsKey);
  } catch {
    // Nothing was stored.
  }
}
