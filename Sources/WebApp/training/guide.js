// Guides through a training: the current set, rests, pauses, and changes of sets. No DOM.

import { uuid } from "../client/uuid.js";
import { areSetValues } from "../workouts/setvalues.js";
import { activeSeconds, endOf, keptEnd } from "./record.js";
import { isGuiding, isPaused, nextState } from "./states.js";
import { figuresOf, mergedSets, nextPlanned, sequenceOf } from "./sets.js";

/** The server takes no more of a training. */
const pausesMax = 200;
const setsMax = 600;
const restMillisecondsMax = 3_600_000;

/** Emits `change` after each change, and `cue` with `detail: "restOver"`, `"setOver"` or `"done"` when a sound may be heard. */
export class Guide extends EventTarget {
  #record; #now; #keep; #makeId;

  /**
   * `now()` is the server's time in ms as far as it is known. `keep(record)` stores a record and sends what is new in it.
   * @param {any} record
   * @param {{now: () => number, keep?: (record: any) => void, makeId?: () => string}} options
   */
  constructor(record, { now, keep = () => {}, makeId = uuid }) {
    super();
    this.#record = record;
    this.#now = now;
    this.#keep = keep;
    this.#makeId = makeId;
  }

  get record() { return this.#record; }
  get state() { return this.#record.state; }
  get sequence() { return sequenceOf(this.#record.plan, this.#record.sets); }
  get figures() { return figuresOf(this.#record.sets); }
  get seconds() { return activeSeconds(this.#record, this.#now()); }

  /** The step of the current set, as in `sequenceOf`; null when none is left. */
  get current() {
    const { sequence } = this;
    return sequence.find(({ set }) => set.id === this.#record.current) ?? nextPlanned(sequence);
  }

  /** The step after the current one, or null. */
  get next() {
    const { sequence, current } = this;
    if (!current) return null;
    const next = nextPlanned(sequence, current.set.id);
    return next && next.set.id !== current.set.id ? next : null;
  }

  /** Seconds of the rest that are left; 0 without one. */
  get restSeconds() {
    const { state, restLeft } = this.#record;
    if (state === "restPaused") return (restLeft ?? 0) / 1_000;
    return state === "rest" ? this.#restLeftAt(this.#now()) / 1_000 : 0;
  }

  /** Seconds of the current set that have passed since its timer began, or null without one. */
  get setSeconds() {
    const { setStartedAt } = this.#record;
    return setStartedAt === null ? null : Math.max(0, (this.#now() - setStartedAt) / 1_000);
  }

  /** Seconds for which the current set is to last; null without a time. A timer that was stopped early changes the values, not this. */
  get setGoal() {
    const { current, stopped } = this;
    return stopped?.goal ?? current?.set.values.seconds ?? null;
  }

  /** What the timer of the current set had when it was stopped, `{id, goal, seconds}`; null when its values were changed since. */
  get stopped() {
    const { current } = this;
    const { stopped = null } = this.#record;
    return stopped?.id === current?.set.id && stopped?.seconds === current?.set.values.seconds ? stopped : null;
  }

  // MARK: sets

  /**
   * Marks a set as done with these values; a rest follows when the current one was done. A pause ends. A timer that runs gives the seconds,
   * unless the person typed others. `at` is when it was done.
   */
  done(id, values, at = this.#now()) {
    const step = this.sequence.find(({ set }) => set.id === id);
    if (!step || !isGuiding(this.state) || !areSetValues(values)) return false;
    if (isPaused(this.state)) this.resume();
    const isCurrent = this.current?.set.id === id;
    const isTimed = isCurrent && this.setSeconds !== null && values.seconds === step.set.values.seconds;
    this.#changeSet(id, { state: "done", values: isTimed ? { ...values, seconds: wholeSeconds(this.setSeconds) } : values }, at);
    return isCurrent ? this.#goOn(step, { restFrom: at }) : this.#settle();
  }

  skip(id) {
    const step = this.sequence.find(({ set }) => set.id === id);
    if (!step || !isGuiding(this.state)) return false;
    const isCurrent = this.current?.set.id === id;
    this.#changeSet(id, { state: "skipped" });
    return isCurrent ? this.#goOn(step) : this.#settle();
  }

  /** Makes a set that was done or skipped a planned one again. */
  again(id) {
    return this.#edit(id, { state: "planned" }, { current: id });
  }

  /** Changes the values of a set; its state stays. Values that the server refuses change nothing. */
  change(id, values) {
    return areSetValues(values) && this.#edit(id, { values });
  }

  /** Adds a set to an entry, with the values of its last one. */
  add(entry) {
    const own = this.#record.sets.filter((set) => set.entry === entry);
    if (!isGuiding(this.state) || own.length === 0 || this.#record.sets.length >= setsMax) return null;
    const last = own.filter(({ state }) => state !== "removed").at(-1) ?? own.at(-1);
    const position = Math.max(...own.map((set) => set.position)) + 1;
    const id = `${entry}/${this.#makeId()}`;
    this.#set({ sets: [...this.#record.sets, { id, entry, position, state: "planned", values: last.values, at: this.#stamp() }] });
    this.#settle();
    return id;
  }

  /** Removes a set. It stays in the record, so that a late change of another device does not bring it back. */
  remove(id) {
    return this.#edit(id, { state: "removed" });
  }

  /** Makes a planned set the current one. */
  jump(id) {
    const step = this.sequence.find(({ set }) => set.id === id && set.state === "planned");
    if (!step || !isGuiding(this.state)) return false;
    this.#set({ current: id });
    return this.#settle();
  }

  /** Starts the timer of the current set, which ends a pause and a rest, or stops it: then the set has the seconds that have passed. */
  timeSet(isOn) {
    if (!isGuiding(this.state)) return;
    if (!isOn) {
      this.#stopTimer();
      this.#commit();
      return;
    }
    if (isPaused(this.state)) this.resume();
    if (this.state === "rest") this.skipRest();
    this.#set({ setStartedAt: this.#now() - (this.stopped?.seconds ?? 0) * 1_000 });
    this.#commit();
  }

  // MARK: time

  pause() {
    const now = this.#now();
    if (this.#record.pauses.length >= pausesMax || !this.#move("pause")) return false;
    this.#stopTimer();
    this.#set({
      pauses: [...this.#record.pauses, { from: Math.max(now, this.#record.pauses.at(-1)?.until ?? 0), until: null }],
      restLeft: this.state === "restPaused" ? this.#restLeftAt(now) : null,
    });
    return this.#commit();
  }

  resume() {
    const now = this.#now();
    if (!isPaused(this.state) || !this.#move(this.state === "restPaused" || this.current ? "resume" : "resumeLast")) return false;
    this.#set({
      pauses: closedPauses(this.#record.pauses, now), restEndsAt: this.state === "rest" ? now + (this.#record.restLeft ?? 0) : null,
        restLeft: null,
    });
    return this.#commit();
  }

  skipRest() {
    if (!this.#move("over")) return false;
    this.#set({ restEndsAt: null, restLeft: null });
    return this.#commit();
  }

  /** Makes the rest longer. */
  addRest(seconds) {
    const { state, restLength } = this.#record;
    if (state !== "rest" && state !== "restPaused") return false;
    const left = Math.min(restMillisecondsMax, (this.restSeconds + seconds) * 1_000);
    this.#set({ restLength: Math.max(left, (restLength ?? 0) + seconds * 1_000),
      ...(state === "rest" ? { restEndsAt: this.#now() + left } : { restLeft: left }) });
    return this.#commit();
  }

  /** Ends what is over by now; called each moment. */
  tick() {
    this.#followClock();
    if (this.state === "rest" && this.restSeconds === 0) {
      this.skipRest();
      this.#cue("restOver");
    }
    const { setGoal: goal, setSeconds: passed } = this;
    if (this.state === "exercise" && passed !== null && goal !== null && goal > 0 && passed >= goal) {
      const { set } = /** @type {any} */ (this.current);
      // A page that slept learns of it late.
      const over = /** @type {number} */ (this.#record.setStartedAt) + goal * 1_000;
      this.#set({ setStartedAt: null });
      this.#cue("setOver");
      this.done(set.id, { ...set.values, seconds: goal }, over);
    }
  }

  /** Notes that the person is warm, or begins without a warm-up. */
  warm() {
    this.#set({ isWarm: true });
    this.#commit();
  }

  note(text) {
    this.#set({ note: text });
    this.#commit();
  }

  /** Ends the training. */
  finish() {
    const end = endOf(this.#record, this.#now());
    const pauses = keptEnd(this.#record) === null ? closedPauses(this.#record.pauses, end) : this.#record.pauses.slice(0, -1);
    if (!this.#move("finish")) return false;
    this.#set({ endedAt: end, pauses, restEndsAt: null, restLeft: null, setStartedAt: null });
    this.#cue("done");
    return this.#commit();
  }

  /** Opens a training whose end the server did not take. With `keepsEnd` it is paused since then, and can be finished with that end. */
  reopen({ keepsEnd }) {
    const { endedAt, pauses } = this.#record;
    const isHeld = keepsEnd && pauses.length < pausesMax;
    const goesOn = this.current?.set.state === "planned" ? "reopen" : "reopenLast";
    if (!this.#move(isHeld ? "hold" : goesOn)) return false;
    this.#set({ endedAt: null, ...(isHeld && { refusedEndAt: endedAt, pauses: [...pauses, { from: endedAt, until: null }] }) });
    return this.#commit();
  }

  // MARK: other devices

  /** Another device or tab guides the training from now on. What was done here stays in the record. */
  lose() {
    if (this.#move("lose")) this.#commit();
  }

  /** Takes sets that the server has from other devices. */
  merge(theirs) {
    const sets = mergedSets(this.#record.sets, theirs);
    const acked = { ...this.#record.acked };
    for (const { id, at } of theirs) if (sets.find((set) => set.id === id)?.at === at) acked[id] = at;
    this.#set({ sets, acked, lastAt: Math.max(this.#record.lastAt, ...theirs.map(({ at }) => Date.parse(at))) });
    if (isGuiding(this.state)) this.#settle();
    else this.#commit();
  }

  /** Goes on here with the record as it is at the server, or as another tab left it. */
  takeOver(record) {
    const event = isPaused(record.state) ? "takeOverPaused" : record.current === null ? "takeOverLast" : "takeOver";
    if (!this.#move(event)) return false;
    const isResting = ["rest", "restPaused"].includes(record.state) && this.state !== "complete";
    this.#record = { ...record, state: isResting ? record.state : this.state };
    return this.#commit();
  }

  /** Notes members that are no part of the guidance, such as what the server has. */
  noteSent(members) {
    this.#set(members);
    this.#commit();
  }

  // MARK: changes

  #edit(id, change, more = {}) {
    const set = this.#record.sets.find((one) => one.id === id);
    if (!set || !isGuiding(this.state)) return false;
    this.#changeSet(id, change);
    this.#set(more);
    return this.#settle();
  }

  /** Milliseconds of the rest that are left at a time: no more than the rest has, whatever the clock of the device does. */
  #restLeftAt(now) {
    const { restEndsAt, restLength } = this.#record;
    return Math.min(restLength ?? restMillisecondsMax, Math.max(0, restEndsAt - now));
  }

  /** A rest and a timer that a clock which was set back would make longer begin again. */
  #followClock() {
    const now = this.#now();
    const { restEndsAt, setStartedAt } = this.#record;
    if (this.state === "rest" && restEndsAt > now + this.#restLeftAt(now)) this.#set({ restEndsAt: now + this.#restLeftAt(now) });
    else if (setStartedAt !== null && setStartedAt > now) this.#set({ setStartedAt: now });
    else return;
    this.#commit();
  }

  #changeSet(id, change, time = this.#now()) {
    const at = this.#stamp(time);
    this.#set({ sets: this.#record.sets.map((set) => (set.id === id ? { ...set, ...change, at } : set)) });
  }

  #stopTimer() {
    const { setSeconds: passed, setGoal: goal, current } = this;
    this.#set({ setStartedAt: null });
    if (passed === null || !current) return;
    const seconds = wholeSeconds(passed);
    this.#set({ stopped: { id: current.set.id, goal, seconds } });
    this.#changeSet(current.set.id, { values: { ...current.set.values, seconds } });
  }

  /** Goes on after the step of the current set, with a rest from a time on, or without one. */
  #goOn(step, { restFrom = /** @type {number | null} */ (null) } = {}) {
    const next = nextPlanned(this.sequence, step.set.id);
    this.#set({ current: next?.set.id ?? null });
    if (!next) this.#set({ restEndsAt: null, restLeft: null });
    const hasRest = restFrom !== null && next && step.entry.restSeconds > 0;
    const restLength = step.entry.restSeconds * 1_000;
    if (hasRest) this.#set({ restEndsAt: restFrom + restLength, restLength });
    this.#move(hasRest ? "rest" : next ? "next" : "last");
    return this.#commit();
  }

  /** Brings the state in line with the sets that are left. */
  #settle() {
    const { current } = this;
    this.#set({ current: current?.set.state === "planned" ? current.set.id
      : nextPlanned(this.sequence, this.#record.current)?.set.id ?? null });
    this.#move(this.#record.current ? "next" : "last");
    return this.#commit();
  }

  #move(event) {
    const state = nextState(this.state, event);
    if (state === null) return false;
    this.#set({ state });
    return true;
  }

  /** The time of a change in the form of the protocol: later than each before it on this device, whatever its clock does. */
  #stamp(time = this.#now()) {
    const at = Math.max(Math.round(time), this.#record.lastAt + 1);
    this.#set({ lastAt: at });
    return new Date(at).toISOString();
  }

  /** The timer is that of the current set: with another one it ends. */
  #set(members) {
    const isOther = "current" in members && members.current !== this.#record.current;
    this.#record = { ...this.#record, ...(isOther && { setStartedAt: null, stopped: null }), ...members };
  }

  #commit() {
    this.#keep(this.#record);
    this.dispatchEvent(new Event("change"));
    return true;
  }

  #cue(detail) {
    this.dispatchEvent(new CustomEvent("cue", { detail }));
  }
}

const wholeSeconds = (seconds) => Math.max(1, Math.round(seconds));

const closedPauses = (pauses, now) => pauses.map((one) => (one.until === null ? { ...one, until: Math.max(now, one.from + 1) } : one));
