// A request of a page: which answer counts, and when. No DOM.

/** Loads one thing: only the newest answer counts, and none after `close()`. */
export class Loader {
  #fetch;
  #shows;
  #generation = 0;
  #isClosed = false;
  #isLoading = false;
  #hasLoaded = false;

  /**
   * `fetch()` asks for the result. `loading()` draws that it is under way, `loaded(result)` draws it, and `failed(error)` draws a failure,
   * also one of `loaded`.
   */
  constructor({ fetch, loading: showLoading = () => {}, loaded, failed }) {
    this.#fetch = fetch;
    this.#shows = { loading: showLoading, loaded, failed };
  }

  /** Whether an answer is outstanding. */
  get isLoading() {
    return this.#isLoading;
  }

  /** Whether a result came since the loader was made. */
  get hasLoaded() {
    return this.#hasLoaded;
  }

  async load() {
    this.#generation += 1;
    const generation = this.#generation;
    const isOld = () => this.#isClosed || generation !== this.#generation;
    this.#isLoading = true;
    this.#shows.loading();
    try {
      const result = await this.#fetch();
      if (isOld()) return;
      this.#isLoading = false;
      this.#hasLoaded = true;
      this.#shows.loaded(result);
    } catch (error) {
      if (isOld()) return;
      this.#isLoading = false;
      this.#shows.failed(error);
    }
  }

  close() {
    this.#isClosed = true;
  }
}
