// Writing to the outbox in order. No DOM.

/** Writes one after the other, so that entries keep the order in which they were made. */
export class OrderedWrites {
  #outbox; #failed;
  #last = Promise.resolve();

  /** `failed()` is called when a write fails; those after it are tried. */
  constructor(outbox, failed) {
    this.#outbox = outbox;
    this.#failed = failed;
  }

  /** Resolves when everything so far is written, or has failed. */
  get settled() { return this.#last; }

  /** Saves a record as it is now, with an entry to send. */
  write(record, entry = null) {
    const copy = structuredClone(record);
    this.#last = this.#last.then(() => this.#outbox.save(copy, entry)).catch(() => this.#failed());
    return this.#last;
  }
}
