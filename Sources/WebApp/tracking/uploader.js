// Uploading what the outbox has: one request at a time, oldest first. No DOM.

import { afterError, nextRequest, pointAtFault, pointsPerRequestMax, retryDelay } from "../client/outboxplan.js";
import { acknowledge } from "./recording.js";

/**
 * The sessions that an `Uploader` sends.
 * @typedef {object} UploadedSessions
 * @property {() => boolean} mayUpload Whether this tab uploads now.
 * @property {(clientId: string) => any} find The record of a session, or undefined.
 * @property {(record: any, points: number) => void} uploaded Points were acknowledged, or refused one by one.
 * @property {(record: any, session: any) => void} saved A stop was acknowledged; `session` is the server's.
 * @property {(record: any, error: Error) => void} dropped The server refused the end of a session; it was forgotten.
 * @property {(record: any) => Promise<void>} deleted The session was deleted on another device.
 * @property {() => Promise<void>} settled Entries left the outbox.
 * @property {() => Promise<void>} drained Nothing more can be sent now.
 * @property {() => void} ended The uploader has stopped sending.
 */

/** Sends the entries of the account's outbox. */
export class Uploader {
  /** Why sending waits although the connection is live, or null. */
  problem = null;

  #net; #outbox; #sessions;
  #isSending = false;
  #failures = 0;
  #retryTimer = 0;

  /** @param {{net: any, outbox: any, sessions: UploadedSessions}} parts */
  constructor({ net, outbox, sessions }) {
    this.#net = net;
    this.#outbox = outbox;
    this.#sessions = sessions;
  }

  /** Forgets earlier failures, as the connection is a new one. */
  reset() {
    clearTimeout(this.#retryTimer);
    this.#failures = 0;
  }

  /** Sends until nothing is left, or something is in the way. */
  async send() {
    if (this.#isSending || !this.#sessions.mayUpload()) return;
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
      acknowledge(record, result.session, local);
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
        this.problem = "Log in again to upload your session.";
        return false;
      case "retry":
        if (error.code !== "offline") this.problem = error.message;
        this.#retryLater(error.data?.retryAfter);
        return false;
      default:
        return this.#refused(record, { kind, orders }, error);
    }
  }

  #retryLater(retryAfterSeconds) {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.send(), retryDelay(this.#failures, retryAfterSeconds));
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
