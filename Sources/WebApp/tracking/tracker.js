// Tracking a session: GPS to outbox to server, in order, whatever the network and the tab do. No DOM of its own.

import { setQuiet, toast } from "../kit/dom.js";
import { Freshness } from "./freshness.js";
import { ScreenWake } from "../kit/geolocation.js";
import { OrderedWrites } from "../client/orderedwrites.js";
import { Outbox } from "../connection/outbox.js";
import { PositionWatch } from "./positionwatch.js";
import { RecentSpeed } from "./recentspeed.js";
import {
  acknowledge, adoptedRecording, distanceShown, iso, newRecording, pause, resume, takeFix, unknownKilometres,
} from "./recording.js";
import { StoppedSessions, sendProblemText } from "./stopped.js";
import { TabLock } from "./tablock.js";
import { Uploader } from "../client/uploader.js";
import { uuid } from "../client/uuid.js";

const lockName = "campanile-tracker";
/** For so long the sessions on other devices count as known. */
const knownMilliseconds = 60_000;

/** Emits `change`, `saved` (detail: the server's session) once a stop was acknowledged, and `history` when finished sessions changed. */
export class Tracker extends EventTarget {
  /** The session being recorded here, or null. */
  record = null;
  /** Pieces of the route, `[[lat, lon], …]` each, for the map. */
  route = [];
  /** The last fix, with its local time; null before one. */
  fix = null;
  /** Why there is no position: `{code, text}`, or null. */
  trouble = null;
  /** Points made and not acknowledged. */
  unsent = 0;
  /** Unsent entries of the account's stopped sessions, `{entries, points}`: starts, pauses and stops are entries, too. */
  waiting = { entries: 0, points: 0 };
  /** Unfinished sessions of the account that are not recorded here. */
  elsewhere = [];

  /** Why sending waits although the connection is live, or null. */
  get sendProblem() { return sendProblemText(this.#uploader.problem); }

  /** Stopped sessions that the server refuses for good, or some points of them (`endedElsewhere`). */
  get refusedSessions() { return this.#stopped.refused; }

  /** Stopped sessions that the server does not have yet, newest first, as far as this device knows them. */
  get waitingSessions() { return this.#stopped.waiting; }

  /** m/s over the last seconds; null while it is not known. */
  get currentSpeed() {
    return this.record?.state === "running" ? this.#recent.at(this.#net.clock.now()) : null;
  }

  /** Whether it is known which sessions of the account run. */
  get isKnown() { return this.#current.isKnown(performance.now()); }

  /**
   * Asks for the sessions of the account again, unless they are known, were asked for a moment ago, or the page is hidden: for pages that
   * depend on them, each time they are drawn.
   */
  askCurrent() {
    const now = performance.now();
    if (!this.#current.isDue(now) || this.#net.state !== "live" || document.visibilityState === "hidden") return;
    this.#current.ask(now);
    this.#online();
  }

  /**
   * Whether a session of the account runs, here or elsewhere, or its end is not with the server yet: others may see it, by a link if not on
   * the map.
   */
  get hasSession() {
    return [this.record, ...this.#stopped.records, ...this.elsewhere]
      .some((session) => session && !session.problem && !session.endedElsewhere);
  }

  /** Whether this tab records; only one does. */
  get isOwner() { return this.#tab.isHeld; }

  /** Resolves when stored state was read. */
  ready;

  #net; #uploader;
  #outbox = new Outbox();
  #stopped = new StoppedSessions(this.#outbox, () => this.#historyChanged());
  #tab = new TabLock(lockName); #tabs = new BroadcastChannel(lockName);
  #wake = new ScreenWake(); #recent = new RecentSpeed();
  #position = new PositionWatch((fix) => this.#take(fix), (trouble) => this.#report(trouble));
  #writes = new OrderedWrites(this.#outbox, () => {
    this.#report({ code: "storage", text: "Couldn't store the last point on this device. Free some space. Tracking continues." });
  });
  /** Whether the record here is at least as new as the stored one. */
  #isFresh = false;
  #needsRoute = false; #reconciling = null;
  /** The answer of `tracking.current`. */
  #current = new Freshness(knownMilliseconds);

  constructor(net) {
    super();
    this.#net = net;
    this.#uploader = new Uploader({ net, outbox: this.#outbox, sessions: this.#uploads() });
    net.addEventListener("state", () => { if (net.state === "live") this.#online(); else this.#changed(); });
    net.addEventListener("account", () => this.#load());
    this.#tab.addEventListener("held", () => {
      this.#isFresh = false;
      this.#load();
    });
    this.#tab.addEventListener("lost", () => this.#applyState());
    // Another tab of this browser sent or kept something: the state of this one was read from the store before.
    this.#tabs.onmessage = async () => {
      if (!this.isOwner) await this.#load();
      this.dispatchEvent(new Event("history"));
    };
    this.ready = this.#open();
  }

  /** Starts a session now, online or not, at `fix` when that is known; without positions when `isTimeOnly`. */
  async start({ activity, title, audience, isTimeOnly = false, fix = null }) {
    await this.ready;
    if (!this.isOwner) await this.takeOver();
    const now = this.#net.clock.now();
    const record = newRecording({ clientId: uuid(), account: this.#net.account.id, activity, title, audience, startedAt: now, isTimeOnly });
    const params = { activity, title, audience, startedAt: iso(now) };
    await this.#outbox.save(record, { clientId: record.clientId, account: record.account, kind: "start", params });
    this.record = record;
    this.#isFresh = true;
    this.route = [[]];
    this.unsent = 0;
    this.#recent.clear();
    this.#applyState();
    this.#uploader.send();
    // The server's clock may be a little ahead of the fix; it was made a moment ago.
    if (fix && !isTimeOnly) await this.#take({ ...fix, time: Math.max(fix.time, now - this.#net.clock.offset + 1) });
  }

  /** A session without positions takes them from now on. */
  async usePosition() {
    this.record.isTimeOnly = false;
    await this.#writes.write(this.record);
    this.#applyState();
  }

  pause() {
    this.#recent.clear();
    return this.#act("pause", (now) => pause(this.record, now));
  }

  resume() {
    this.route.push([]);
    return this.#act("resume", (now) => resume(this.record, now));
  }

  async stop() {
    await this.#act("stop", (now) => {
      if (this.record.pausedAt === null) this.record.pausedAt = now;
      this.record.state = "stopped";
    });
    this.#stopped.add(this.record);
    this.record = null;
    this.route = [];
    this.#applyState();
    this.#historyChanged();
  }

  /** Makes this tab the one that records. */
  async takeOver() {
    await this.#tab.take({ steal: true });
    await this.#load();
  }

  /** Asks the browser for the position again, after it was refused. */
  watchAgain() {
    this.#position.isOn = false;
    this.trouble = null;
    this.#applyState();
  }

  /** Goes on here with a session that was begun on another device. */
  async adopt(session) {
    if (!this.isOwner) await this.takeOver();
    const record = adoptedRecording(session, this.#net.account.id);
    await this.#outbox.save(record);
    await this.#load();
    this.#online();
  }

  /** Gives up a session that the server refuses for good. */
  async discard(record = this.record) {
    if (record === this.record) [this.record, this.route] = [null, []];
    this.#stopped.delete(record.clientId);
    await this.#outbox.forget(record.clientId);
    this.#applyState();
    this.#uploader.send();
  }

  /** Takes a change made elsewhere in the app, such as the audience. */
  async noteSession(session) {
    if (this.record?.id !== session.id) return;
    acknowledge(this.record, session);
    await this.#outbox.save(this.record);
    this.#changed();
  }

  async #open() {
    try {
      await this.#outbox.open();
    } catch {
      const text = "This browser doesn't let Campanile store your route. Leave private browsing, or free some space.";
      return this.#report({ code: "storage", text });
    }
    await this.#tab.take();
    return this.#load();
  }

  async #load() {
    const account = this.#net.account?.id ?? null;
    let kept = [];
    try {
      kept = (await this.#outbox.sessions()).filter((record) => record.account === account);
    } catch {
      return;
    }
    this.#stopped.replace(kept.filter((record) => record.state === "stopped"));
    const open = kept.find((record) => record.state !== "stopped") ?? null;
    // A session of another tab is only in the store; that of this tab is never older in memory.
    if (!(this.isOwner && this.#isFresh && open && this.record?.clientId === open.clientId)) {
      this.record = open;
      // One that an earlier version began.
      if (open) open.kilometres ??= unknownKilometres(distanceShown(open).metres);
      // Only points not yet acknowledged are kept here; the rest of the route is the server's.
      this.#needsRoute = open !== null && open.id !== null;
      this.route = open ? [[]] : [];
      if (open) for (const { point } of await this.#outbox.pointsOf(open.clientId)) this.route[0].push([point.lat, point.lon]);
    }
    this.#isFresh = this.isOwner;
    this.#applyState();
    if (this.#net.state === "live") this.#online();
  }

  #applyState() {
    const running = this.record?.state === "running";
    const records = running && this.isOwner;
    this.#position.isOn = records && !this.record.isTimeOnly;
    if (!this.record) [this.fix, this.trouble] = [null, this.trouble?.code === "storage" ? this.trouble : null];
    this.#wake.keep(records);
    setQuiet(running);
    this.#count();
    this.#changed();
  }

  #report(trouble) {
    this.trouble = trouble;
    this.#changed();
  }

  async #take(fix) {
    this.trouble = null;
    this.fix = fix;
    const point = this.record && takeFix(this.record, fix, Math.round(fix.time + this.#net.clock.offset));
    if (!point) return this.#changed();
    this.#recent.add(Date.parse(point.time), this.record.localDistance, fix.accuracy);
    if (this.route.length === 0) this.route.push([]);
    this.route[this.route.length - 1].push([fix.lat, fix.lon]);
    this.unsent += 1;
    this.#changed();
    const { clientId, account, localDistance } = this.record;
    await this.#writes.write(this.record, { clientId, account, kind: "point", point, local: localDistance });
    this.#uploader.send();
  }

  async #act(kind, change) {
    const now = this.#net.clock.now();
    change(now);
    const { clientId, account } = this.record;
    await this.#writes.write(this.record, { clientId, account, kind, at: iso(now) });
    this.#applyState();
    this.#uploader.send();
  }

  /** After every connect: sends the outbox, then compares with the server's sessions. */
  #online() {
    this.#uploader.reset();
    // The comparison that an earlier connection began has sent already, and may have failed at that.
    if (this.#reconciling) this.#uploader.send();
    this.#reconciling ??= this.#reconcile().finally(() => { this.#reconciling = null; });
    return this.#reconciling;
  }

  async #reconcile() {
    if (!this.#net.account) return this.#changed();
    await this.#uploader.send();
    try {
      const { sessions } = await this.#net.request("tracking.current");
      const mine = this.record;
      this.#current.know(performance.now());
      const isHere = ({ clientId }) => clientId === mine?.clientId || this.#stopped.has(clientId);
      this.elsewhere = sessions.filter((session) => !isHere(session) && !session.simulated);
      const isEnded = mine?.id && this.isOwner && this.record === mine && !sessions.some((session) => session.id === mine.id);
      if (isEnded) await this.#endedElsewhere(mine);
      else if (mine?.id && this.#needsRoute) await this.#loadRoute(mine);
    } catch {
      // Asked again with the next connection.
    }
    return this.#changed();
  }

  /** The session was deleted on another device: forgets it. */
  async #deletedElsewhere(record) {
    await this.discard(record);
    toast("This session was deleted on another device.");
    this.#historyChanged();
  }

  /** The session was stopped from another device. The server still takes earlier points, so they are kept until they are sent. */
  async #endedElsewhere(record) {
    try {
      await this.#net.request("tracking.session", { session: record.id });
    } catch (error) {
      if (error.isNotFound) return this.#deletedElsewhere(record);
      throw error;
    }
    if (this.record !== record) return undefined;
    this.record = null;
    this.route = [];
    record.state = "stopped";
    this.#stopped.add(record);
    await this.#writes.settled;
    // Only now: before, a point on its way into the store could be forgotten.
    record.endedElsewhere = true;
    await this.#writes.write(record);
    const waits = (await this.#outbox.entriesOf(record.clientId)).length > 0;
    this.#applyState();
    const rest = waits ? "The rest is uploaded from this device." : "It's in your history.";
    toast(`This session was stopped on another device. ${rest}`);
    // The rest is sent by the next retry, which is scheduled or comes with the next connection.
    return this.#stopped.forgetDrained();
  }

  async #loadRoute(record) {
    const { route, session } = await this.#net.request("tracking.session", { session: record.id });
    if (this.record?.clientId !== record.clientId) return;
    acknowledge(this.record, session);
    const unsent = await this.#outbox.pointsOf(record.clientId);
    this.#needsRoute = false;
    this.route = route.length > 0 ? route.map((piece) => [...piece]) : [[]];
    this.route[this.route.length - 1].push(...unsent.map(({ point }) => [point.lat, point.lon]));
  }

  /**
   * The sessions as the uploader needs them.
   * @returns {import("../client/uploader.js").UploadedSessions}
   */
  #uploads() {
    return {
      mayUpload: () => this.isOwner && this.#isFresh,
      acknowledge,
      find: (clientId) => (this.record?.clientId === clientId ? this.record : this.#stopped.get(clientId)),
      uploaded: (record, points) => { if (record === this.record) this.unsent = Math.max(0, this.unsent - points); },
      saved: (record, session) => {
        this.#stopped.delete(record.clientId);
        this.dispatchEvent(new CustomEvent("saved", { detail: session }));
        this.#historyChanged();
      },
      dropped: ({ clientId }, error) => {
        this.#stopped.delete(clientId);
        toast(`Couldn't stop the session: ${error.message}`);
      },
      deleted: (record) => this.#deletedElsewhere(record),
      settled: async () => {
        await this.#countWaiting();
        this.#changed();
      },
      drained: () => this.#stopped.forgetDrained(),
      ended: () => this.#changed(),
    };
  }

  async #count() {
    try {
      this.unsent = this.record ? (await this.#outbox.pointsOf(this.record.clientId)).length : 0;
      await this.#countWaiting();
    } catch {
      this.unsent = 0;
    }
    this.#changed();
  }

  async #countWaiting() {
    const account = this.#net.account?.id ?? null;
    this.waiting = this.record || account === null ? { entries: 0, points: 0 } : await this.#stopped.countEntries(account);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  #historyChanged() {
    this.dispatchEvent(new Event("history"));
    this.#tabs.postMessage("history");
  }
}
