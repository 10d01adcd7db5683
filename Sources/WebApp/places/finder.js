// When a search is sent to the server: after a pause in typing, one at a time, and only the newest answer counts. No DOM.

/** Between the last key and the request. */
const pauseMilliseconds = 180;

/** Searches while a person types. */
export class Finder {
  #ask; #shows;
  #timer = null;
  /** What is wanted now, or null; and what was asked for last. */
  #wanted = null;
  #asked = null;
  #isClosed = false;

  /**
   * `ask(wish)` asks the server. `began()` is called when an answer is waited for, `found(result, wish)` with the answer to the newest
   * wish, and `failed(error, wish)` in its place.
   */
  constructor({ ask, began = () => {}, found, failed }) {
    this.#ask = ask;
    this.#shows = { began, found, failed };
  }

  /** Whether an answer to what is wanted is missing. */
  get isWaiting() { return this.#wanted !== null; }

  /** Asks for `wish` after a pause, or immediately with `isUrgent`; null wants nothing any more. */
  want(wish, { isUrgent = false } = {}) {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#wanted = wish;
    if (wish === null) return;
    this.#shows.began();
    if (isUrgent) this.#send();
    else this.#timer = setTimeout(() => this.#send(), pauseMilliseconds);
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #send() {
    this.#timer = null;
    // The answer to an earlier wish leads on to this one.
    if (this.#asked !== null) return;
    const wish = this.#wanted;
    this.#asked = wish;
    let end;
    try {
      const result = await this.#ask(wish);
      end = () => this.#shows.found(result, wish);
    } catch (error) {
      end = () => this.#shows.failed(error, wish);
    }
    this.#asked = null;
    if (this.#isClosed || this.#wanted === null) return;
    if (this.#wanted === wish) {
      this.#wanted = null;
      end();
    } else if (this.#timer === null) this.#send();
  }
}
