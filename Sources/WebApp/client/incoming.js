// The order of replies and pushes. No DOM.

/** Turns of the microtask queue that a request's result needs at most until the code that awaits it has run. */
const turnsMax = 12;

/**
 * Messages of a connection, one after the other. A browser runs what awaits a reply before it gives the next message; `ws` for Node.js may
 * give both in one turn, and a snapshot would arrive before the reply that announces it was taken. So messages after a reply wait.
 */
export class IncomingMessages {
  #take;
  #waiting = [];
  #isSettling = false;

  /** @param {(data: any) => void} take */
  constructor(take) {
    this.#take = take;
  }

  receive(data) {
    if (this.#isSettling) this.#waiting.push(data);
    else this.#take(data);
  }

  /** A reply was taken: the messages after it wait until the code that awaits it has run. */
  async settle() {
    if (this.#isSettling) return;
    this.#isSettling = true;
    for (let turn = 0; turn < turnsMax; turn += 1) await Promise.resolve();
    this.#isSettling = false;
    while (this.#waiting.length > 0 && !this.#isSettling) this.#take(this.#waiting.shift());
  }

  /** The connection is lost: takes what waits, so that no reply is missed. */
  flush() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const data of waiting) this.#take(data);
  }
}
