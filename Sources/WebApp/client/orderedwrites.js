// Writing to the outbox in order. No DOM.

/** Writes one after the other, so that entries keep the order in which they were made. */
export class OrderedWrites {
  #outbox; #failed;
  /** @type {Promise<boolean>} */
  #last = Promise.resolve(true);

  /**
   * @param {{save: (session: any, entry: any) => Promise<any>}} outbox
   * @param {() => void} [failed] Called when a write fails; later ones are tried all the same.
   */
  constructor(outbox, failed = () => {}) {
    this.#outbox = outbox;
    this.#failed = failed;
  }

  /** Resolves when everything so far is written, or has failed. */
  get settled() { return this.#last; }

  /** Saves a record as it is now, with an entry to send; resolves to whether that was possible. */
  write(record, entry = null) {
    const copy = structuredClone(record);
    this.#last = this.#last.then(() => this.#outbox.save(copy, entry)).then(() => true, () => {
      this.#failed();
      return false;
    });
    return this.#last;
  }
}
