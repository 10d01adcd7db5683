// Sends what a training has new, and takes what the server replies. Without a connection the record keeps it. No DOM.

import { changesOf, chunksOf, finishOf, startOf } from "./record.js";

/** The server gives it to the device that starts a training; each take-over by another device makes it higher. */
const firstGeneration = 1;

/**
 * Emits `finished` when the training has ended at the server, `lost` when another device guides it, `problem` with `detail: error` when
 * the server refuses a change, `sent` after a change that it took, and `refused` with `detail: error` when it refuses the start: nothing is
 * sent then until `start` is called again.
 */
export class TrainingSync extends EventTarget {
  /** Whether the server refused the start. */
  isRefused = false;

  #net; #guide;
  #isBusy = false;
  #isAgain = false;
  #end = new AbortController();

  constructor(net, guide) {
    super();
    this.#net = net;
    this.#guide = guide;
    const { signal } = this.#end;
    const isMine = ({ method, params }) => method.startsWith("training.") && [params.id, params.training].includes(guide.record.id);
    net.writes.addEventListener("sent", ({ detail }) => {
      if (isMine(detail)) this.#took(detail.method, detail.params, detail.reply);
    }, { signal });
    net.writes.addEventListener("refused", ({ detail }) => { if (isMine(detail)) this.#failed(detail.method, detail.error); }, { signal });
    net.addEventListener("state", () => this.push(), { signal });
  }

  /** Sends the start of the training; the request waits without a connection. Resolves to an outcome, as `finish` does. */
  start() {
    this.isRefused = false;
    return this.#write("training.start", startOf(this.#guide.record));
  }

  /** Sends what is new, one request after the other, while there is a connection. */
  async push() {
    if (this.#net.state !== "live" || this.#end.signal.aborted || this.isRefused) return;
    if (this.#isBusy) {
      this.#isAgain = true;
      return;
    }
    this.#isBusy = true;
    try {
      do {
        this.#isAgain = false;
        const params = changesOf(this.#guide.record);
        if (params) await this.#write("training.record", params);
        await this.#sendPulse();
      } while (this.#isAgain && this.#net.state === "live");
    } finally {
      this.#isBusy = false;
    }
  }

  /** Makes a request of the heart rates since the last one. */
  flushPulse() {
    const { pulse, chunks } = this.#guide.record;
    if (pulse.length === 0) return;
    this.#guide.noteSent({ pulse: [], chunks: [...chunks, ...chunksOf(pulse)] });
  }

  /**
   * Ends the training at the server; the request waits without a connection. Resolves to `{reply}`, to `{waits: true}`, or to `{error}`
   * when the server refuses it.
   */
  async finish() {
    this.flushPulse();
    if (this.isRefused) {
      const started = await this.start();
      if (started.error) return started;
    }
    await this.#sendPulse();
    return this.#write("training.finish", finishOf(this.#guide.record));
  }

  /** Leaves what is new to the queue of the app, for when there is a connection. */
  close() {
    const params = this.isRefused || this.#guide.state === "finished" ? null : changesOf(this.#guide.record);
    this.stop();
    if (params && this.#net.account) this.#net.writes.write("training.record", params).catch(() => {});
  }

  /** Follows the connection no longer, and sends nothing more. */
  stop() {
    this.#end.abort();
  }

  async #sendPulse() {
    const { id, generation, chunks } = this.#guide.record;
    for (const pulse of chunks) await this.#write("training.record", { training: id, generation, pulse });
  }

  async #write(method, params) {
    let reply;
    try {
      reply = await this.#net.writes.write(method, params);
    } catch (error) {
      this.#failed(method, error);
      return { error };
    }
    if (!reply) return { waits: true };
    this.#took(method, params, reply);
    return { reply };
  }

  #failed(method, error) {
    if (method === "training.start") this.isRefused = true;
    this.dispatchEvent(new CustomEvent(method === "training.start" ? "refused" : "problem", { detail: error }));
  }

  #took(method, params, reply) {
    // What is gone at the server has no reply.
    if (!reply || !("generation" in reply)) return;
    const { record } = this.#guide;
    const acked = { ...record.acked };
    for (const { id, at } of params.sets ?? []) acked[id] = at;
    const isStart = method === "training.start";
    // The start may have been sent by another tab, from the queue that they share.
    const generation = isStart ? reply.generation : record.generation || firstGeneration;
    // The server ignores the pauses of a request without the generation.
    const arePausesTaken = params.pauses && params.generation !== 0;
    this.#guide.noteSent({
      acked, isSent: true, generation, ...(arePausesTaken && { sentPauses: JSON.stringify(params.pauses) }),
      ...(params.pulse && { chunks: record.chunks.filter((chunk) => chunk[0].at !== params.pulse[0].at) }),
    });
    if (reply.sets.length > 0) this.#guide.merge(reply.sets);
    this.dispatchEvent(new Event("sent"));
    if (method === "training.finish") return;
    if (reply.state === "finished") this.dispatchEvent(new Event("finished"));
    else if (isStart ? reply.device !== record.device : reply.generation > generation) this.dispatchEvent(new Event("lost"));
  }
}
