// A training that this tab guides, or shows while another tab or device does: it keeps and sends what is done, and follows the others. It
// goes on while another page of the app is shown. No DOM.

import { TrainingRecords } from "../connection/trainingrecords.js";
import { sentence } from "../kit/format.js";
import { TabLock } from "../tracking/tablock.js";
import { deviceID } from "./device.js";
import { Guide } from "./guide.js";
import { GroupReporter } from "./livegroup.js";
import { Pulse } from "../pulse/pulse.js";
import { endProblem, isEndWrong, lastChange, recordOf } from "./record.js";
import { mergedSets } from "./sets.js";
import { isGuiding } from "./states.js";
import { SteadyTime } from "./steadytime.js";
import { TrainingSync } from "./sync.js";

const tickMilliseconds = 250;
const noRoomText = "This browser has no room left to keep your workout. Stay online, so that nothing is lost.";
const goneText = "This workout was deleted on another device. You can discard it in the menu.";
const unsavedText = (reason) => `This workout isn't saved yet. ${reason}`;

/** The last write of any session of this tab: the next one reads what it wrote. */
let lastWrite = Promise.resolve();

/**
 * Emits `change` when `where`, `problem` or `refusal` is another, `tick` each moment, and `ended` once with `detail`: `saved`, `waits` for
 * an end that is sent later, `elsewhere`, or `removed`.
 */
export class TrainingSession extends EventTarget {
  static get written() { return lastWrite; }

  guide; pulse;
  /** Where the training goes on instead: in another `tab` or on another `device`; null when it is guided here. */
  where = null;
  /** Error of a start that the server refused; null otherwise. */
  refusal = null;
  /** Whether the person shows the heart-rate zone to the live group. */
  isSharingZone = false;

  #net; #records; #lock; #sync = null; #reporter = null; #timer;
  #problems = { finish: "", keep: "", send: "" };
  #subscription = null;
  #end = new AbortController();
  #isTaking = false;
  #hasEnded = false;

  constructor(net, record, { records = new TrainingRecords(), lock = new TabLock(`campanile.training.${record.id}`) } = {}) {
    super();
    this.#net = net;
    this.#records = records;
    this.#lock = lock;
    const { signal } = this.#end;
    lock.addEventListener("lost", () => {
      this.#lost("tab");
      // When the other tab is closed, the training goes on here.
      lock.take();
    }, { signal });
    lock.addEventListener("held", () => this.#held(), { signal });
    const time = new SteadyTime(net.clock, { notBefore: net.state === "live" ? -Infinity : lastChange(record) });
    this.guide = new Guide(record, { now: () => time.now(), keep: (changed) => this.#keep(changed) });
    this.pulse = new Pulse(net, this.guide, { flush: () => this.flush() });
    if (record.together) {
      this.#reporter = new GroupReporter(net, this.guide, { zone: () => (this.#showsZone ? this.pulse.zone : null) });
      net.writes.addEventListener("done", ({ detail }) => this.#noteSharing(detail), { signal });
    }
  }

  get id() { return this.guide.record.id; }
  get isClosed() { return this.#end.signal.aborted; }
  /** Whether there is something to go on with after another page was shown. */
  get isGuiding() { return !this.isClosed && this.#lock.isHeld && isGuiding(this.guide.state); }
  /** What was not kept or not sent, or an empty text. `refusal` says why the end was not saved. */
  get problem() { return (this.refusal ? "" : this.#problems.finish) || this.#problems.keep || this.#problems.send; }

  /** Begins to guide a record with its `origin`, as `openRecord` gives it. Resolves to the error of a refused start, or to null. */
  async open({ origin, problem = "" }) {
    this.#timer = setInterval(() => this.#tick(), tickMilliseconds);
    await this.#lock.take();
    if (this.isClosed) return null;
    if (!this.#lock.isHeld) return this.#lost("tab");
    this.#startSync();
    if (origin === "elsewhere") return this.#lost("device");
    this.#note("finish", problem && unsavedText(problem));
    const { record } = this.guide;
    await this.#write(record);
    if (origin === "new" || !record.isSent) await this.startAgain();
    if (this.isClosed) return null;
    this.#follow();
    this.#sync?.push();
    return this.refusal;
  }

  /** Sends the start of the training, also after it was refused. */
  async startAgain() {
    this.refusal = null;
    await this.#sync?.start();
    this.#sync?.push();
    this.#emitChange();
  }

  /** Shows the progress to the live group once more: the person may have come back to it. */
  reportAgain() {
    this.#reporter?.again();
  }

  /** Sends what is new, with the heart rates so far. */
  flush() {
    this.#sync?.flushPulse();
    this.#sync?.push();
  }

  /** Ends the training. It goes on when the server refuses that, with the reason as `problem`, and when another device guides it. */
  async finish() {
    this.pulse.collect();
    if (!this.#sync || !this.guide.finish()) return;
    this.#note("finish", "");
    const { reply, error } = await this.#sync.finish();
    await lastWrite;
    if (error) {
      this.guide.reopen({ keepsEnd: !isEndWrong(error) });
      this.#note("finish", this.#isGone(error) ? goneText : unsavedText(endProblem(error)));
      return;
    }
    if (reply) this.#net.keep("training.get", { training: this.id }, reply);
    if (reply && reply.state !== "finished") {
      this.guide.reopen({ keepsEnd: false });
      this.#lost("device");
      return;
    }
    if (reply) {
      this.#reporter?.ended();
      await this.#records.remove(this.#account, this.id).catch(() => {});
    }
    this.#ended(reply ? "saved" : "waits");
  }

  /** Deletes the training, here and at the server. Rejects when the server refuses that. */
  async discard() {
    const { id } = this;
    await this.#net.writes.write("training.remove", { training: id });
    this.#sync?.stop();
    this.#sync = null;
    await lastWrite;
    this.#hasEnded = true;
    await this.#records.remove(this.#account, id).catch(() => {});
    this.#finishWith("removed");
  }

  /** Goes on here. Rejects when the server is needed for that and does not answer. */
  async takeOver() {
    const wasInTab = this.where === "tab";
    this.#isTaking = true;
    try {
      if (!this.#lock.isHeld) await this.#lock.take({ steal: true });
      const kept = await this.#records.get(this.#account, this.id).catch(() => null);
      if (kept?.state === "finished") return this.#endedElsewhere();
      if (wasInTab && kept && isGuiding(kept.state)) return this.#goOn(kept);
      const training = await this.#net.request("training.takeOver", { training: this.id, device: deviceID() });
      const before = kept ? this.#withOwnSets(kept) : this.guide.record;
      this.#goOn(recordOf(training, { account: this.#account, before }));
      this.#net.keep("training.get", { training: this.id }, training);
    } finally {
      this.#isTaking = false;
    }
    return undefined;
  }

  /** Ends the guidance in this tab. What is new is left to the queue of the app. */
  close() {
    if (this.isClosed) return;
    this.pulse.close();
    this.#end.abort();
    clearInterval(this.#timer);
    this.#reporter?.close();
    this.#subscription?.close();
    if (this.#lock.isHeld && !this.#hasEnded) this.#sync?.close();
    else this.#sync?.stop();
    this.#lock.release();
  }

  get #account() { return this.guide.record.account; }
  /** A switch that was turned off holds here before the server has it. */
  get #showsZone() {
    return this.isSharingZone && this.#net.writes.find("together.join", this.guide.record.together)?.sharesZone !== false;
  }

  /** The page of the group has the switch of the zone too. */
  #noteSharing({ method, params }) {
    if (method !== "together.join" || params.group !== this.guide.record.together) return;
    this.isSharingZone = params.sharesZone;
    this.#reporter?.update();
  }

  #tick() {
    this.guide.tick();
    this.dispatchEvent(new Event("tick"));
  }

  // MARK: the server

  #startSync() {
    if (this.#sync) return;
    this.#sync = new TrainingSync(this.#net, this.guide);
    const { signal } = this.#end;
    this.#sync.addEventListener("lost", () => this.#lost("device"), { signal });
    this.#sync.addEventListener("finished", () => this.#endedElsewhere(), { signal });
    this.#sync.addEventListener("sent", () => this.#note("send", ""), { signal });
    this.#sync.addEventListener("problem", ({ detail }) => {
      // Without its start, the server takes nothing of the training.
      if (this.refusal === null) this.#note("send", this.#isGone(detail) ? goneText : sentence(detail.message));
    }, { signal });
    this.#sync.addEventListener("refused", ({ detail }) => {
      this.refusal = detail;
      this.#note("send", "");
      this.#emitChange();
    }, { signal });
  }

  /** Whether an error is that the server has the training no more. */
  #isGone(error) {
    return error.isNotFound && this.refusal === null && this.guide.record.isSent;
  }

  /** Follows the other devices of the account. */
  #follow() {
    if (this.#subscription || this.isClosed) return;
    this.#subscription = this.#net.subscribe(`user/${this.#account}`, {
      push: ({ type, training }) => { if (type === "resync" || (type === "training" && training === this.id)) this.#check(); },
    });
    this.#net.addEventListener("state", () => this.#check(), { signal: this.#end.signal });
    this.#check();
  }

  /** Compares with the server. */
  async #check() {
    const { guide } = this;
    if (this.#net.state !== "live" || !guide.record.isSent) return;
    try {
      const training = await this.#net.request("training.get", { training: this.id });
      if (this.isClosed || guide.state === "finished") return;
      if (training.state === "finished") return void this.#endedElsewhere();
      if (isGuiding(guide.state) && training.device !== guide.record.device) this.#lost("device");
      guide.merge(training.sets);
    } catch (error) {
      // After another failure the next reply of the server says the same.
      if (this.#isGone(error) && !this.isClosed) this.#note("send", goneText);
    }
  }

  // MARK: keeping

  #keep(record) {
    // A tab that another one has taken over writes nothing over what is done there.
    if (!this.#lock.isHeld || this.#hasEnded) return;
    // After a log-out this browser keeps nothing of the account.
    if (this.#net.account?.id !== this.#account) return;
    // What another place guides is not kept over what this device did.
    if (record.state !== "elsewhere") this.#write(record);
    this.#sync?.push();
  }

  /** Writes one after the other: the last record is the one that stays. */
  #write(record) {
    lastWrite = lastWrite.then(() => this.#records.put(record))
      .then(() => this.#note("keep", ""), () => this.#note("keep", noRoomText));
    return lastWrite;
  }

  #note(kind, text) {
    if (this.#problems[kind] === text) return;
    this.#problems[kind] = text;
    this.#emitChange();
  }

  // MARK: the end, and other places

  #ended(how) {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#finishWith(how);
  }

  #finishWith(how) {
    this.close();
    this.dispatchEvent(new CustomEvent("ended", { detail: how }));
  }

  async #endedElsewhere() {
    if (this.#hasEnded) return;
    await this.#sync?.push();
    await lastWrite;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#records.remove(this.#account, this.id).catch(() => {});
    this.#finishWith("elsewhere");
  }

  #lost(where) {
    this.where = where;
    // The tab that guides sends what there is.
    if (where === "tab") {
      this.#sync?.stop();
      this.#sync = null;
      this.pulse.sensor?.disconnect();
    }
    this.guide.lose();
    this.#follow();
    this.#emitChange();
    return null;
  }

  /** The tab that guided the training was closed: what it kept goes on here. */
  async #held() {
    if (this.where !== "tab" || this.#isTaking) return;
    const kept = await this.#records.get(this.#account, this.id).catch(() => null);
    if (this.isClosed || this.where !== "tab" || this.#isTaking || !this.#lock.isHeld) return;
    if (kept?.state === "finished") await this.#endedElsewhere();
    else if (kept && isGuiding(kept.state)) this.#goOn(kept);
  }

  #withOwnSets(record) {
    return { ...record, sets: mergedSets(record.sets, this.guide.record.sets) };
  }

  #goOn(record) {
    this.where = null;
    this.#startSync();
    this.guide.takeOver(this.#withOwnSets(record));
    this.#follow();
    this.#check();
    this.#emitChange();
  }

  #emitChange() {
    this.dispatchEvent(new Event("change"));
  }
}
