// Sends what a training has new, and takes what the server replies. Without a connection the record keeps it. No DOM.

import { changesOf, finishOf, startOf } from "./record.js";

/** The server takes no more heart rates in one request. */
const samplesMax = 600;

/** Emits `finished` when the training has ended at the server, `lost` when another device guides it, `problem` with `detail: error`. */
export class TrainingSync extends EventTarget {
  #net; #guide;
  #isBusy = false;
  #isAgain = false;
  #end = new AbortController();

  constructor(net, guide) {
    super();
    this.#net = net;
    this.#guide = guide;
    const { signal } = this.#end;
    net.writes.addEventListener("sent", ({ detail: { method, params, reply } }) => {
      if (method.startsWith("training.") && [params.id, params.training].includes(guide.record.id)) this.#took(method, params, reply);
    }, { signal });
    net.addEventListener("state", () => this.push(), { signal });
  }

  /** Tells the server that the training began; the request waits without a connection. */
  start() {
    return this.#write("training.start", startOf(this.#guide.record));
  }

  /** Sends what is new, one request after the other, while there is a connection. */
  async push() {
    if (this.#net.state !== "live" || this.#end.signal.aborted) return;
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
        for (const pulse of this.#guide.record.chunks) await this.#write("training.record", { ...this.#address, pulse });
      } while (this.#isAgain && this.#net.state === "live");
    } finally {
      this.#isBusy = false;
    }
  }

  /** Makes a request of the heart rates since the last one. */
  flushPulse() {
    const { pulse, chunks } = this.#guide.record;
    if (pulse.length === 0) return;
    const made = [];
    for (let first = 0; first < pulse.length; first += samplesMax) made.push(pulse.slice(first, first + samplesMax));
    this.#guide.noteSent({ pulse: [], chunks: [...chunks, ...made] });
  }

  /** Ends the training at the server; the request waits without a connection. Resolves to the reply, or null. */
  async finish() {
    this.flushPulse();
    for (const pulse of this.#guide.record.chunks) await this.#write("training.record", { ...this.#address, pulse });
    return this.#write("training.finish", finishOf(this.#guide.record));
  }

  /** Leaves what is new to the queue of the app, for when there is a connection. */
  close() {
    const params = this.#guide.state === "finished" ? null : changesOf(this.#guide.record);
    this.#end.abort();
    if (params && this.#net.account) this.#net.writes.write("training.record", params).catch(() => {});
  }

  get #address() {
    const { id, generation } = this.#guide.record;
    return { training: id, generation };
  }

  async #write(method, params) {
    try {
      const reply = await this.#net.writes.write(method, params);
      if (reply) this.#took(method, params, reply);
      return reply;
    } catch (error) {
      this.dispatchEvent(new CustomEvent("problem", { detail: error }));
      return null;
    }
  }

  #took(method, params, reply) {
    // What is gone at the server has no reply.
    if (!reply || !("generation" in reply)) return;
    const { record } = this.#guide;
    const acked = { ...record.acked };
    for (const { id, at } of params.sets ?? []) acked[id] = at;
    const isStart = method === "training.start";
    this.#guide.noteSent({
      acked, isSent: true, ...(isStart && { generation: reply.generation }),
        ...(params.pauses && { sentPauses: JSON.stringify(params.pauses) }),
      ...(params.pulse && { chunks: record.chunks.filter((chunk) => chunk[0].at !== params.pulse[0].at) }),
    });
    if (reply.sets.length > 0) this.#guide.merge(reply.sets);
    if (method === "training.finish") return;
    if (reply.state === "finished") this.dispatchEvent(new Event("finished"));
    else if (isStart ? reply.device !== record.device
      : reply.generation > this.#guide.record.generation) this.dispatchEvent(new Event("lost"));
  }
}
