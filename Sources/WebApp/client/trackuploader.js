// Records a session of the signed-in account: each fix is kept until the server has acknowledged it, and is stored there once. No DOM.
//
// For programs of app developers. The web app records with tracking/tracker.js, which shares the `Uploader` below it.

import { RequestError } from "./errors.js";
import { MemoryOutbox } from "./memoryoutbox.js";
import { OrderedWrites } from "./orderedwrites.js";
import { errorCodes } from "./registry.js";
import { systemScheduler } from "./scheduler.js";
import { Uploader } from "./uploader.js";
import { uuid } from "./uuid.js";

/** Entries that an uploader keeps at most: eleven hours with a fix a second. */
export const entriesMax = 40_000;
const measurements = ["accuracy", "altitude", "speed", "heading"];

/**
 * A position of a device.
 * @typedef {object} Fix
 * @property {number} lat
 * @property {number} lon
 * @property {number} [time] Local ms since 1970; default now.
 * @property {number} [accuracy] Metres.
 * @property {number} [altitude] Metres.
 * @property {number} [speed] m/s.
 * @property {number} [heading] Degrees, clockwise from north.
 */

/**
 * Records sessions, one at a time, online or not. It emits `change` when `unsent`, `session` or `problem` may have changed; `saved`, with
 * the server's session as `detail`, when the end of a session was acknowledged; and `refused`, with `detail: {clientId, error}`, when the
 * server refuses a session for good, or somebody has deleted it: the uploader has forgotten it then.
 */
export class TrackUploader extends EventTarget {
  /** Number of entries (fixes, and starts, pauses, resumes and stops) that the server has not acknowledged. */
  unsent = 0;
  /** Resolves when what an earlier run of the program kept was read. */
  ready;

  #client;
  #outbox;
  #scheduler;
  #writes;
  #uploader;
  #records = new Map();
  #current = null;
  #isLoaded = false;
  #ends = new AbortController();

  /**
   * @param {import("./campanileclient.js").CampanileClient} client
   * @param {{outbox?: import("./memoryoutbox.js").OutboxStorage, scheduler?: import("./scheduler.js").Scheduler}} options
   */
  constructor(client, { outbox = new MemoryOutbox(), scheduler = systemScheduler } = {}) {
    super();
    this.#client = client;
    this.#outbox = outbox;
    this.#scheduler = scheduler;
    this.#writes = new OrderedWrites(outbox);
    this.#uploader = new Uploader({ net: client, outbox, sessions: this.#uploads(), scheduler });
    const { signal } = this.#ends;
    client.addEventListener("state", () => { if (client.state === "live") this.#online(); }, { signal });
    client.addEventListener("account", () => { this.#load(); }, { signal });
    this.ready = this.#load();
  }

  /**
   * The session that is recorded, as the server last described it; null before it has acknowledged the start, and without a session.
   * @returns {import("./registrytypes.js").Session | null}
   */
  get session() {
    return this.#current?.server ?? null;
  }

  /** Whether a session is recorded: running or paused. */
  get isRecording() {
    return this.#current !== null;
  }

  /** Number of fixes of the recorded session that the server will never store, by reason. */
  get refused() {
    return { ...this.#current?.refused };
  }

  /** Why sending waits although the client is connected; null if it does not. */
  get problem() {
    return this.#uploader.problem;
  }

  /**
   * Starts a session. Resolves when the start is stored in the outbox, which needs no connection.
   * @param {{activity?: "run" | "cycle", title?: string, audience?: import("./registrytypes.js").Audience}} options
   * @returns {Promise<string>} The `clientId` of the session.
   */
  async start({ activity = "run", title, audience } = {}) {
    await this.ready;
    const account = this.#client.account?.id;
    if (account === undefined) throw new RequestError(errorCodes.unauthenticated, "Sign in before a session is recorded.");
    if (this.#current) throw new RequestError(errorCodes.conflict, "Stop the recorded session before another one is started.");
    const now = Math.floor(this.#client.clock.now());
    const record = { clientId: uuid(), account, id: null, state: "running", nextSeq: 1, lastTime: now - 1, server: null, refused: {},
      problem: null };
    this.#records.set(record.clientId, record);
    this.#current = record;
    const params = { activity, startedAt: iso(now), ...(title && { title }), ...(audience && { audience }) };
    await this.#write(record, { kind: "start", params });
    return record.clientId;
  }

  /**
   * Adds a fix. Resolves when it is stored in the outbox: to false, and nothing is stored, while no session is running, and for a fix that
   * is not newer than the last one.
   * @param {Fix} fix
   */
  async add(fix) {
    await this.ready;
    const record = this.#current;
    const time = Math.floor((fix.time ?? this.#scheduler.now()) + this.#client.clock.offset);
    if (record?.state !== "running" || !(time > record.lastTime)) return false;
    if (this.unsent >= entriesMax) {
      throw new RequestError("outboxFull", `The outbox holds ${entriesMax} entries. Connect to the server to send them.`);
    }
    record.lastTime = time;
    const point = { seq: record.nextSeq, lat: fix.lat, lon: fix.lon, time: iso(time) };
    record.nextSeq += 1;
    for (const name of measurements) if (Number.isFinite(fix[name])) point[name] = fix[name];
    await this.#write(record, { kind: "point", point });
    return true;
  }

  /** Pauses the recorded session: its clock stops, and fixes are not taken. */
  pause() {
    return this.#step("pause", "paused");
  }

  /** Continues after a pause. */
  resume() {
    return this.#step("resume", "running");
  }

  /** Ends the recorded session. What is not sent yet is sent later. */
  async stop() {
    await this.#step("stop", "stopped");
  }

  /** Stops sending. What was not acknowledged stays in the outbox, for the next uploader with it. */
  close() {
    this.#ends.abort();
    this.#uploader.reset();
  }

  async #step(kind, state) {
    await this.ready;
    const record = this.#current;
    if (!record || record.state === state) return;
    record.state = state;
    if (state === "stopped") this.#current = null;
    await this.#write(record, { kind, at: iso(this.#client.clock.now()) });
  }

  #online() {
    this.#uploader.reset();
    this.#uploader.send();
  }

  /** Stores the recorded session with an entry, then sends. */
  async #write(record, entry) {
    const isStored = await this.#writes.write(record, { ...entry, clientId: record.clientId, account: record.account });
    if (!isStored) throw new RequestError("notStored", "The outbox could not store this.");
    await this.#count();
    this.#uploader.send();
  }

  async #load() {
    this.#isLoaded = false;
    await this.#writes.settled;
    const account = this.#client.account?.id ?? null;
    const kept = (await this.#outbox.sessions()).filter((record) => record.account === account);
    this.#records = new Map(kept.map((record) => [record.clientId, record]));
    this.#current = kept.find(({ state }) => state !== "stopped") ?? null;
    this.#isLoaded = true;
    await this.#count();
    this.#uploader.send();
  }

  async #count() {
    const kept = await Promise.all([...this.#records.keys()].map((clientId) => this.#outbox.entriesOf(clientId)));
    this.unsent = kept.reduce((sum, { length }) => sum + length, 0);
    this.#changed();
  }

  /** @returns {import("./uploader.js").UploadedSessions} */
  #uploads() {
    return {
      mayUpload: () => this.#isLoaded && !this.#ends.signal.aborted,
      find: (clientId) => this.#records.get(clientId),
      acknowledge: (record, session) => {
        if (!session) return;
        record.server = { ...record.server, ...session };
        record.id = record.server.id ?? record.id;
      },
      uploaded: () => {},
      saved: (record, session) => {
        this.#forget(record);
        this.dispatchEvent(new CustomEvent("saved", { detail: session }));
      },
      dropped: (record, error) => this.#refuse(record, error),
      deleted: async (record) => {
        await this.#outbox.forget(record.clientId);
        this.#refuse(record, new RequestError(errorCodes.notFound, "The session was deleted."));
      },
      settled: () => this.#count(),
      drained: async () => {
        for (const record of [...this.#records.values()].filter(({ problem }) => problem)) {
          await this.#outbox.forget(record.clientId);
          this.#refuse(record, new RequestError(errorCodes.rejected, record.problem));
        }
        await this.#count();
      },
      ended: () => this.#changed(),
    };
  }

  #refuse(record, error) {
    this.#forget(record);
    this.dispatchEvent(new CustomEvent("refused", { detail: { clientId: record.clientId, error } }));
  }

  /** @param {any} record */
  #forget(record) {
    this.#records.delete(record.clientId);
    if (this.#current === record) this.#current = null;
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

const iso = (milliseconds) => new Date(Math.round(milliseconds)).toISOString();
