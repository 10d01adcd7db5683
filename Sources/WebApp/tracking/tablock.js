// A lock between the tabs of a browser, for work that only one may do at a time.

/** Emits `held` when this tab holds the lock, and `lost` when another has taken it away. */
export class TabLock extends EventTarget {
  isHeld = false;
  #name;
  /** Lets go of the lock, or ends the waiting for it. */
  #letGo = new AbortController();

  constructor(name) {
    super();
    this.#name = name;
  }

  /**
   * Resolves once it is known whether this tab holds the lock; while another does, this one waits for it in the background. `steal` takes
   * it away from the other, which does not wait for it again: only another `take` can bring it back there.
   */
  take({ steal = false } = {}) {
    if (!navigator.locks) {
      this.isHeld = true;
      return Promise.resolve();
    }
    const { signal } = this.#letGo;
    return new Promise((known) => {
      const hold = (lock) => {
        if (signal.aborted) {
          known();
          return undefined;
        }
        if (!lock) {
          known();
          navigator.locks.request(this.#name, { signal }, hold).catch(() => this.#lost());
          return undefined;
        }
        this.isHeld = true;
        known();
        this.dispatchEvent(new Event("held"));
        // Held until it is released, the tab is closed or another steals it.
        return new Promise((released) => { signal.addEventListener("abort", () => released()); });
      };
      navigator.locks.request(this.#name, steal ? { steal: true } : { ifAvailable: true }, hold).catch(() => this.#lost());
    });
  }

  /** Lets go of the lock, or of waiting for it. No event follows. */
  release() {
    this.isHeld = false;
    this.#letGo.abort();
    this.#letGo = new AbortController();
  }

  #lost() {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.dispatchEvent(new Event("lost"));
  }
}
