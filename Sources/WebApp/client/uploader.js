// Uploads what an outbox has: one request at a time, oldest first. No DOM.

import { retryDelay } from "./backoff.js";
import { afterError, nextRequest, pointAtFault, pointsPerRequestMax } from "./outboxplan.js";
import { Timer, systemScheduler } from "./scheduler.js";

/** @typedef {import("./memoryoutbox.js").KeptSession} KeptSession */

/**
 * The sessions that an `Uploader` sends, as their owner keeps them.
 * @typedef {object} UploadedSessions
 * @property {() => boolean} mayUpload Whether it may upload now.
 * @property {(clientId: string) => any} find The record of a session, a `KeptSession`, or undefined.
 * @property {(record: any, session: any, local: number | null) => void} acknowledge Updates the record after a reply. `session` is the
 *   server's: after points only what changes. `local` is the local distance up to the last point of the request.
 * @property {(record: any, points: number) => void} uploaded Points were acknowledged, or refused one by one.
 * @property {(record: any, session: any) => void} saved A stop was acknowledged; `session` is the server's.
 * @property {(record: any, error: import("./errors.js").RequestError) => void} dropped The server refused the end of a session.
 * @property {(record: any) => Promise<void>} deleted The session was deleted on another device.
 * @property {() => Promise<void>} settled Entries left the outbox.
 * @property {() => Promise<void>} drained Nothing more can be sent now.
 * @property {() => void} ended The uploader has stopped sending.
 */

/** Sends the entries of the account's outbox. */
export class Uploader {
  /**
   * Why sending waits although the connection is live, or null.
   * @type {import("./errors.js").RequestError | null}
   */
  problem = null;

  #net; #outbox; #sessions;
  #isSending = false;
  #failures = 0;
  #retry;

  /**
   * @param {{net: any, outbox: import("./memoryoutbox.js").OutboxStorage, sessions: UploadedSessions,
   *   scheduler?: import("./scheduler.js").Scheduler}} parts `net` is the client.
   */
  constructor({ net, outbox, sessions, scheduler = systemScheduler }) {
    this.#retry = new Timer(scheduler);
    this.#net = net;
    this.#outbox = outbox;
    this.#sessions = sessions;
  }

  /** Forgets earlier failures, because the connection is a new one. */
  reset() {
    this.#retry.clear();
    this.#failures = 0;
  }

  /** Sends until nothing is left, or something is in the way. After a failure it waits for the time of the next attempt. */
  async send() {
    if (this.#isSending || this.#retry.isSet || !this.#sessions.mayUpload()) return;
    this.#isSending = true;
    const find = (clientId) => this.#sessions.find(clientId);
    try {
      while (this.#net.state === "live" && this.#net.account) {
        const items = await this.#outbox.head(this.#net.account.id, pointsPerRequestMax, ({ clientId }) => !find(clientId)?.problem);
        const request = nextRequest(items, (clientId) => find(clientId)?.id);
        if (!request) break;
        if (!await this.#deliver(request, items)) break;
      }
      await this.#sessions.drained();
    } finally {
      this.#isSending = false;
      this.#sessions.ended();
    }
  }

  /** Sends one request; true to go on with the next. */
  async #deliver({ method, params, orders, clientId, kind }, items) {
    const record = this.#sessions.find(clientId);
    if (!method || !record) {
      // Kept while its session is kept (the account may just have changed); an orphan would block the rest for good.
      const kept = await this.#outbox.sessions();
      if (!record && kept.some((session) => session.clientId === clientId)) return false;
      await this.#outbox.settle(orders, null);
      return true;
    }
    try {
      const result = await this.#net.request(method, params);
      const local = kind === "point" ? items[orders.length - 1].local ?? null : null;
      this.#sessions.acknowledge(record, result.session, local);
      for (const { reason } of result.refused ?? []) record.refused[reason] = (record.refused[reason] ?? 0) + 1;
      this.problem = null;
      this.#failures = 0;
      await this.#settle(record, { orders, kind });
      return true;
    } catch (error) {
      return this.#failed(record, { kind, orders }, error);
    }
  }

  async #settle(record, { orders, kind }) {
    if (kind === "stop") {
      await this.#outbox.settle(orders, null);
      await this.#outbox.forget(record.clientId);
      this.#sessions.saved(record, record.server);
    } else {
      await this.#outbox.settle(orders, structuredClone(record));
      if (kind === "point") this.#sessions.uploaded(record, orders.length);
    }
    await this.#sessions.settled();
  }

  async #failed(record, { kind, orders }, error) {
    switch (afterError(kind, error)) {
      case "done":
        await this.#settle(record, { orders, kind });
        return true;
      case "signIn":
        this.problem = error;
        return false;
      case "retry":
        if (error.code !== "offline") this.problem = error;
        this.#retryLater(error.data?.retryAfter);
        return false;
      default:
        return this.#refused(record, { kind, orders }, error);
    }
  }

  #retryLater(retryAfterSeconds) {
    this.#retry.set(retryDelay(this.#failures, retryAfterSeconds), () => { this.send(); });
    this.#failures += 1;
  }

  /** The same request would be refused again: goes on without it. */
  async #refused(record, { kind, orders }, error) {
    if (kind === "start") {
      record.problem = error.message;
      await this.#outbox.save(structuredClone(record));
      return true;
    }
    if (error.isNotFound && record.id !== null) {
      await this.#sessions.deleted(record);
      return true;
    }
    // One point that can never be sent must not take those around it along.
    const fault = kind === "point" ? pointAtFault(error, orders.length) : null;
    const refused = fault === null ? orders : [orders[fault]];
    const reason = error.data?.name ?? "refused";
    record.refused[reason] = (record.refused[reason] ?? 0) + refused.length;
    if (kind === "stop") {
      await this.#outbox.forget(record.clientId);
      this.#sessions.dropped(record, error);
      return true;
    }
    await this.#settle(record, { orders: refused, kind });
    return true;
  }
}
