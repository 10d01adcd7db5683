// Where an uploader keeps what the server has not acknowledged.

/**
 * A session as an uploader keeps it. An outbox stores also members that it does not know.
 * @typedef {object} KeptSession
 * @property {string} clientId
 * @property {number} account Number of the account whose session it is.
 * @property {number | null} id Number of the session on the server; null before the start was acknowledged.
 * @property {Record<string, number>} refused Number of refused points by reason.
 * @property {string | null} problem Why the server refuses the session for good; null if it does not.
 */

/**
 * A step of a session that the server has not acknowledged. An outbox sets `order`, which grows from entry to entry.
 * @typedef {object} Entry
 * @property {number} [order]
 * @property {string} clientId
 * @property {number} account
 * @property {"start" | "point" | "pause" | "resume" | "stop"} kind
 * @property {any} [params] Of a start.
 * @property {any} [point]
 * @property {string} [at] Time of a pause, a resume or a stop.
 * @property {number} [local] Local distance up to this point.
 */

/**
 * Storage of an uploader. `MemoryOutbox` is one; a program that must not lose anything when it ends stores the same in a file or database.
 * Each method stores what it does in one transaction.
 * @typedef {object} OutboxStorage
 * @property {() => Promise<any[]>} sessions All sessions.
 * @property {(session: any, entry?: Entry | null) => Promise<any>} save Stores a session as it is now, and an entry.
 * @property {(account: number, limit: number, isWanted?: (entry: Entry) => boolean) => Promise<Entry[]>} head The oldest entries of an
 *   account, in order.
 * @property {(clientId: string) => Promise<Entry[]>} entriesOf All entries of a session, in order.
 * @property {(orders: number[], session: any) => Promise<any>} settle Removes entries, and stores a session unless it is null.
 * @property {(clientId: string) => Promise<any>} forget Removes a session and its entries.
 */

/**
 * An outbox in memory: what it keeps is lost when the program ends.
 * @implements {OutboxStorage}
 */
export class MemoryOutbox {
  /** @type {Map<string, any>} */
  #sessions = new Map();
  /** @type {(Entry & {order: number})[]} */
  #entries = [];
  #order = 0;

  async sessions() {
    return [...this.#sessions.values()];
  }

  /**
   * @param {any} session
   * @param {Entry | null} [entry]
   */
  async save(session, entry = null) {
    this.#sessions.set(session.clientId, session);
    if (entry) this.#entries.push({ ...entry, order: ++this.#order });
  }

  /**
   * @param {number} account
   * @param {number} limit
   * @param {(entry: Entry) => boolean} [isWanted]
   */
  async head(account, limit, isWanted = () => true) {
    return this.#entries.filter((entry) => entry.account === account && isWanted(entry)).slice(0, limit);
  }

  /** @param {string} clientId */
  async entriesOf(clientId) {
    return this.#entries.filter((entry) => entry.clientId === clientId);
  }

  /**
   * @param {number[]} orders
   * @param {any} session
   */
  async settle(orders, session) {
    const done = new Set(orders);
    this.#entries = this.#entries.filter(({ order }) => !done.has(order));
    if (session) this.#sessions.set(session.clientId, session);
  }

  /** @param {string} clientId */
  async forget(clientId) {
    this.#sessions.delete(clientId);
    this.#entries = this.#entries.filter((entry) => entry.clientId !== clientId);
  }
}
