// Tracking one's own session: GPS to outbox to server, in order, whatever the network and the tab do. No DOM of its own.

import { setQuiet, toast } from "../kit/dom.js";
import { count, reasonSentence } from "../kit/format.js";
import { ScreenWake, watchPosition } from "../kit/geolocation.js";
import { Outbox } from "../client/outbox.js";
import { afterError, nextRequest, pointAtFault, pointsPerRequestMax, retryDelay } from "../client/outboxplan.js";
import { RecentSpeed } from "./recentspeed.js";
import { acknowledge, adoptedRecording, distanceShown, newRecording, pause, resume, summary, takeFix, unknownKilometres } from "./recording.js";
import { TabLock } from "./tablock.js";
import { uuid } from "../kit/uuid.js";

const lockName = "campanile-tracker";
/** The server's code for what does not exist, or not for the caller. */
const notFoundCode = 1003;
/** For so long what runs on other devices counts as known. */
const knownMilliseconds = 60_000;

/**
 * Emits `change` when anything shown changed, `saved` (detail: the server's session) once a stop was acknowledged, `history` when the
 * account's finished sessions are others than before.
 */
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
  /** What is left to send of the account's stopped sessions, `{entries, points}`: starts, pauses and stops are entries, too. */
  waiting = { entries: 0, points: 0 };
  /** Why sending waits although the connection is live, or null. */
  sendProblem = null;
  /** Unfinished sessions of the account that are not recorded here. */
  elsewhere = [];
  /** Stopped sessions that the server refuses for good, or some points of them (`endedElsewhere`). */
  get refusedSessions() {
    return [...this.#finished.values()].filter((record) => record.problem);
  }

  /** Stopped sessions that the server does not have yet, newest first, as far as this device knows them. */
  get waitingSessions() {
    return [...this.#finished.values()].filter((record) => !record.problem && !record.endedElsewhere).reverse().map(summary);
  }

  /** m/s over the last seconds; null while it is not known. */
  get currentSpeed() {
    return this.record?.state === "running" ? this.#recent.at(this.#net.clock.now()) : null;
  }

  /** Whether the server said lately which sessions of theirs run. */
  get isKnown() {
    return performance.now() - this.#knownAt < knownMilliseconds;
  }

  /** Asks for them again while somebody looks, unless it said so or was asked a moment ago: for pages that say what is known, each time they are drawn. */
  askCurrent() {
    const now = performance.now();
    if (now - Math.max(this.#knownAt, this.#askedAt) <= knownMilliseconds / 2 || this.#net.state !== "live" || document.visibilityState === "hidden") return;
    this.#askedAt = now;
    this.#online();
  }

  /** Whether a session of theirs runs, here or elsewhere, or its end is not with the server yet: others may see it, by a link if not on the map. */
  get hasSession() {
    return [this.record, ...this.#finished.values(), ...this.elsewhere].some((session) => session && !session.problem && !session.endedElsewhere);
  }

  /** Whether this tab records; only one does. */
  get isOwner() {
    return this.#tab.isHeld;
  }

  /** Resolves when stored state was read. */
  ready;

  #net; #outbox = new Outbox(); #wake = new ScreenWake(); #tab = new TabLock(lockName); #tabs = new BroadcastChannel(lockName);
  #stopWatching = null; #pumping = false; #failures = 0; #retryTimer = 0; #finished = new Map(); #isFresh = false; #needsRoute = false; #reconciling = null; #knownAt = -Infinity; #askedAt = -Infinity; #writes = Promise.resolve(); #recent = new RecentSpeed();

  constructor(net) {
    super();
    this.#net = net;
    net.addEventListener("state", () => { if (net.state === "live") this.#online(); else this.#changed(); });
    net.addEventListener("account", () => this.#load());
    this.#tab.addEventListener("held", () => {
      this.#isFresh = false;
      this.#load();
    });
    this.#tab.addEventListener("lost", () => this.#applyState());
    this.#tabs.onmessage = () => this.#changedInOtherTab();
    this.ready = this.#open();
  }

  /** Starts a session now, online or not, at `fix` when that is known; without positions when `isTimeOnly`. */
  async start({ activity, title, audience, isTimeOnly = false, fix = null }) {
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
    this.#pump();
    // The server's clock may be a little ahead of the fix; it was made a moment ago.
    if (fix && !isTimeOnly) await this.#take({ ...fix, time: Math.max(fix.time, now - this.#net.clock.offset + 1) });
  }

  /** A session without positions takes them from now on. */
  async usePosition() {
    this.record.isTimeOnly = false;
    await this.#write(this.record);
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
    this.#finished.set(this.record.clientId, this.record);
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
    this.#stopWatching?.();
    this.#stopWatching = null;
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
    this.#finished.delete(record.clientId);
    await this.#outbox.forget(record.clientId);
    this.#applyState();
    this.#pump();
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
      this.trouble = { code: "storage", text: "This browser does not let Campanile store points. Leave private browsing, or free some space." };
      return;
    }
    await this.#tab.take();
    await this.#load();
  }

  async #load() {
    const account = this.#net.account?.id ?? null;
    let kept = [];
    try {
      kept = (await this.#outbox.sessions()).filter((record) => record.account === account);
    } catch {
      return;
    }
    this.#finished = new Map(kept.filter((record) => record.state === "stopped").map((record) => [record.clientId, record]));
    const open = kept.find((record) => record.state !== "stopped") ?? null;
    // What another tab recorded is only in the store; what this tab records is never older in memory.
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
    const watches = records && !this.record.isTimeOnly;
    if (watches && !this.#stopWatching) this.#stopWatching = watchPosition((fix) => this.#take(fix), (trouble) => this.#report(trouble));
    if (!watches && this.#stopWatching) {
      this.#stopWatching();
      this.#stopWatching = null;
    }
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
    await this.#write(this.record, { clientId, account, kind: "point", point, local: localDistance });
    this.#pump();
  }

  async #act(kind, change) {
    const now = this.#net.clock.now();
    change(now);
    const { clientId, account } = this.record;
    await this.#write(this.record, { clientId, account, kind, at: iso(now) });
    this.#applyState();
    this.#pump();
  }

  /** Writes one after the other, so that entries keep the order in which they were made. */
  #write(record, entry = null) {
    const copy = structuredClone(record);
    this.#writes = this.#writes.then(() => this.#outbox.save(copy, entry)).catch(() => {
      this.#report({ code: "storage", text: "This device could not store the last point. Free some space; tracking goes on." });
    });
    return this.#writes;
  }

  /** After every connect: send what waits, then compare with what the server knows. */
  #online() {
    clearTimeout(this.#retryTimer);
    this.#failures = 0;
    this.#reconciling ??= this.#reconcile().finally(() => { this.#reconciling = null; });
    return this.#reconciling;
  }

  async #reconcile() {
    if (!this.#net.account) return this.#changed();
    await this.#pump();
    try {
      const { sessions } = await this.#net.request("tracking.current");
      const mine = this.record;
      this.#knownAt = performance.now();
      this.elsewhere = sessions.filter((session) => session.clientId !== mine?.clientId && !this.#finished.has(session.clientId) && !session.simulated);
      if (mine?.id && this.isOwner && !sessions.some((session) => session.id === mine.id) && this.record === mine) await this.#endedElsewhere(mine);
      else if (mine?.id && this.#needsRoute) await this.#loadRoute(mine);
    } catch {
      // Asked again with the next connection.
    }
    return this.#changed();
  }

  /** Deleted on another device: nothing of it is wanted any more. */
  async #deletedElsewhere(record) {
    await this.discard(record);
    toast("The session was deleted on another device.");
    this.#historyChanged();
  }

  /** Stopped from another device. What was made before that the server still takes, so it is kept until it was sent. */
  async #endedElsewhere(record) {
    try {
      await this.#net.request("tracking.session", { session: record.id });
    } catch (error) {
      if (error.code === notFoundCode) return this.#deletedElsewhere(record);
      throw error;
    }
    if (this.record !== record) return undefined;
    this.record = null;
    this.route = [];
    record.state = "stopped";
    this.#finished.set(record.clientId, record);
    await this.#writes;
    // Only now: before, a point on its way into the store could be forgotten.
    record.endedElsewhere = true;
    await this.#write(record);
    const waits = (await this.#outbox.entriesOf(record.clientId)).length > 0;
    this.#applyState();
    toast(`The session was ended on another device. ${waits ? "What this device still has of it is sent to your history." : "It is in your history."}`);
    // What waits is sent by the next retry, which is under way or comes with the next connection.
    return this.#forgetDrained();
  }

  /** Forgets sessions that were ended elsewhere once nothing of them waits; what was refused of them is kept until it was seen. */
  async #forgetDrained() {
    for (const record of [...this.#finished.values()]) {
      if (!record.endedElsewhere || record.problem || (await this.#outbox.entriesOf(record.clientId)).length > 0) continue;
      const reasons = Object.keys(record.refused);
      if (reasons.length > 0) {
        const points = Object.values(record.refused).reduce((sum, number) => sum + number, 0);
        record.problem = `${count(points, "point")} of this device could not be added. Why: ${reasons.map(reasonSentence).join(" ")}`;
        await this.#outbox.save(structuredClone(record));
      } else {
        this.#finished.delete(record.clientId);
        await this.#outbox.forget(record.clientId);
      }
      this.#historyChanged();
    }
  }

  async #loadRoute(record) {
    const { route, session } = await this.#net.request("tracking.session", { session: record.id });
    if (this.record?.clientId !== record.clientId) return;
    acknowledge(this.record, session);
    const unsent = await this.#outbox.pointsOf(record.clientId);
    this.#needsRoute = false;
    this.route = [...route.map((piece) => [...piece])];
    if (this.route.length === 0) this.route.push([]);
    this.route[this.route.length - 1].push(...unsent.map(({ point }) => [point.lat, point.lon]));
  }

  /** Sends what waits, one request at a time, oldest first. */
  async #pump() {
    if (this.#pumping || !this.isOwner || !this.#isFresh) return;
    this.#pumping = true;
    try {
      while (this.#net.state === "live" && this.#net.account) {
        const items = await this.#outbox.head(this.#net.account.id, pointsPerRequestMax, ({ clientId }) => !this.#known(clientId)?.problem);
        const request = nextRequest(items, (clientId) => this.#known(clientId)?.id);
        if (!request) break;
        if (!await this.#deliver(request, items)) break;
      }
      await this.#forgetDrained();
    } finally {
      this.#pumping = false;
      this.#changed();
    }
  }

  #known(clientId) {
    return this.record?.clientId === clientId ? this.record : this.#finished.get(clientId);
  }

  /** Sends one request; true to go on with the next. */
  async #deliver({ method, params, orders, clientId, kind }, items) {
    const record = this.#known(clientId);
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
      this.sendProblem = null;
      this.#failures = 0;
      await this.#settled(record, orders, kind, record.server);
      return true;
    } catch (error) {
      return this.#failed(record, { kind, orders }, error);
    }
  }

  async #settled(record, orders, kind, session) {
    if (kind === "stop") {
      await this.#outbox.settle(orders, null);
      await this.#outbox.forget(record.clientId);
      this.#finished.delete(record.clientId);
      this.dispatchEvent(new CustomEvent("saved", { detail: session ?? record.server }));
      this.#historyChanged();
    } else {
      await this.#outbox.settle(orders, structuredClone(record));
      if (kind === "point" && record === this.record) this.unsent = Math.max(0, this.unsent - orders.length);
    }
    await this.#countWaiting();
    this.#changed();
  }

  async #failed(record, { kind, orders }, error) {
    const verdict = afterError(kind, error);
    if (verdict === "done") {
      await this.#settled(record, orders, kind, record.server);
      return true;
    }
    if (verdict === "signIn") {
      this.sendProblem = "Log in again to send what you tracked.";
      return false;
    }
    if (verdict === "retry") {
      if (error.code !== "offline") this.sendProblem = error.message;
      clearTimeout(this.#retryTimer);
      this.#retryTimer = setTimeout(() => this.#pump(), retryDelay(this.#failures, error.data?.retryAfter));
      this.#failures += 1;
      return false;
    }
    if (kind === "start") {
      record.problem = error.message;
      await this.#outbox.save(structuredClone(record));
      return true;
    }
    if (error.code === notFoundCode && record.id !== null) {
      await this.#deletedElsewhere(record);
      return true;
    }
    // One point that can never be sent must not take those around it along.
    const fault = kind === "point" ? pointAtFault(error, orders.length) : null;
    const refused = fault === null ? orders : [orders[fault]];
    const reason = error.data?.name ?? "refused";
    record.refused[reason] = (record.refused[reason] ?? 0) + refused.length;
    if (kind === "stop") {
      await this.#outbox.forget(record.clientId);
      this.#finished.delete(record.clientId);
      toast(`The session could not be stopped: ${error.message}`);
      return true;
    }
    await this.#settled(record, refused, kind, null);
    return true;
  }

  async #count() {
    try {
      const points = this.record ? await this.#outbox.pointsOf(this.record.clientId) : [];
      this.unsent = points.length;
      await this.#countWaiting();
    } catch {
      this.unsent = 0;
    }
    this.#changed();
  }

  async #countWaiting() {
    const account = this.#net.account?.id ?? null;
    const entries = this.record || account === null ? [] : await this.#outbox.entriesBy(account);
    this.waiting = { entries: entries.length, points: entries.filter(({ kind }) => kind === "point").length };
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  #historyChanged() {
    this.dispatchEvent(new Event("history"));
    this.#tabs.postMessage("history");
  }

  /** Another tab of this browser sent or kept something: what is shown here was read from the store before. */
  async #changedInOtherTab() {
    if (!this.isOwner) await this.#load();
    this.dispatchEvent(new Event("history"));
  }
}

function iso(milliseconds) {
  return new Date(Math.round(milliseconds)).toISOString();
}
