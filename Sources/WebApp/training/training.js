// The guided session (C-5, W-2): opens a training, keeps and sends what is done, and follows other devices and tabs.

import { TrainingRecords } from "../connection/trainingrecords.js";
import { askBody } from "../body/ask.js";
import { h, toast } from "../kit/dom.js";
import { ScreenWake } from "../kit/geolocation.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { TabLock } from "../tracking/tablock.js";
import { deviceID } from "./device.js";
import { Guide } from "./guide.js";
import { openRecord } from "./opening.js";
import { recordOf } from "./record.js";
import { SessionView } from "./sessionview.js";
import { isGuiding, isRunning } from "./states.js";
import { TrainingSync } from "./sync.js";

await Promise.all([loadStyles("/app/workouts/workouts.css"), loadStyles("/app/training/training.css")]);

/** Serves `/training/:id`; the query may have `workout`, to begin with, and `together`, a live group. */
export function show(root, { id, query }, app) {
  if (!requireSignIn(app, location.pathname + location.search)) return undefined;
  const page = new TrainingPage(app, id, query ?? new URLSearchParams());
  root.append(page.element);
  page.start();
  return () => page.close();
}

class TrainingPage {
  /** The last write of any page of this tab: the next page reads what it wrote. */
  static #lastWrite = Promise.resolve();

  element = h("div", { class: "page stack training-page" });

  #app; #net; #id; #query;
  #records = new TrainingRecords();
  #wake = new ScreenWake();
  #end = new AbortController();
  #lock;
  /** @type {Guide | null} */
  #guide = null;
  #sync = null;
  #view = null;
  #subscription = null;
  #stopFollowing = () => {};

  constructor(app, id, query) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#query = query;
    this.#lock = new TabLock(`campanile.training.${id}`);
    this.#lock.addEventListener("lost", () => this.#lost("tab"), { signal: this.#end.signal });
  }

  async start() {
    leaveWhenSignedOut(this.#app, this.#end.signal);
    this.#note(loading(this.#net));
    const workout = this.#query.get("workout");
    if (workout && !(await this.#mayBegin(workout))) return;
    await TrainingPage.#lastWrite;
    try {
      const opened = await openRecord({ net: this.#net, records: this.#records }, {
        id: this.#id, workout, group: this.#query.get("together"),
      });
      if (this.#isClosed) return;
      if (!opened) return void this.#app.router.go(`/training/${this.#id}/summary`, { replace: true });
      await this.#open(opened);
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    }
  }

  close() {
    this.#end.abort();
    this.#stopFollowing();
    this.#subscription?.close();
    this.#wake.keep(false);
    this.#view?.close();
    if (this.#lock.isHeld) this.#sync?.close();
    this.#lock.release();
  }

  get #isClosed() { return this.#end.signal.aborted; }

  #note(...content) {
    this.element.replaceChildren(h("h1", { tabindex: "-1" }, "Training"), ...content);
  }

  /** Asks for body data that is old, once, before a training begins. Leaves the page when the person does not go on. */
  async #mayBegin(workout) {
    const isKnown = await this.#records.get(this.#net.account.id, this.#id).catch(() => null);
    if (isKnown || (await askBody(this.#app)) !== false) return !this.#isClosed;
    if (!this.#isClosed) this.#app.router.go(`/workouts/${workout}`, { replace: true });
    return false;
  }

  #fail(error) {
    if (isOnlyOffline(error, this.#net)) {
      const stop = whenLive(this.#net, () => {
        stop();
        if (!this.#isClosed) this.start();
      });
      this.#end.signal.addEventListener("abort", stop);
      return;
    }
    this.#note(loadProblem({
      id: "training-problem", title: "Couldn't open this training", text: error.isNotFound ? "It was deleted, or it isn't yours."
        : error.message,
      again: () => this.start(),
    }), h("p", {}, h("a", { class: "button", href: "/workouts" }, "See your workouts")));
  }

  // MARK: opening

  async #open({ record, origin }) {
    const { clock } = this.#net;
    await this.#lock.take();
    if (this.#isClosed) return;
    const guide = new Guide(record, { now: () => clock.now(), keep: (changed) => this.#keep(changed) });
    this.#guide = guide;
    this.#sync = new TrainingSync(this.#net, guide);
    this.#followSync();
    this.#view = new SessionView(this.#app, guide, { finish: () => this.#finish(), takeOver: () => this.#takeOver(), flush: () =>
      this.#flush() });
    this.element.replaceChildren(this.#view.element);
    guide.addEventListener("change", () => this.#wake.keep(isRunning(guide.state)), { signal: this.#end.signal });
    this.#wake.keep(isRunning(guide.state));
    if (!this.#lock.isHeld) return this.#lost("tab");
    if (origin === "elsewhere") return this.#lost("device");
    await this.#write(record);
    if (origin === "new") {
      history.replaceState(null, "", `/training/${this.#id}`);
      await this.#sync.start();
    } else if (!record.isSent) await this.#sync.start();
    this.#follow();
    this.#sync.push();
    return undefined;
  }

  #followSync() {
    const { signal } = this.#end;
    this.#sync.addEventListener("lost", () => this.#lost("device"), { signal });
    this.#sync.addEventListener("finished", () => this.#endedElsewhere(), { signal });
    this.#sync.addEventListener("problem", ({ detail }) => this.#view?.problem(detail.message), { signal });
  }

  /** Follows the other devices of the account. */
  #follow() {
    if (this.#subscription) return;
    this.#subscription = this.#net.subscribe(`user/${this.#net.account.id}`, {
      push: ({ type, training }) => { if (type === "resync" || (type === "training" && training === this.#id)) this.#check(); },
    });
    this.#stopFollowing = whenLive(this.#net, () => this.#check());
    if (this.#guide.record.isSent) this.#check();
  }

  /** Compares with the server. */
  async #check() {
    if (this.#net.state !== "live" || !this.#guide?.record.isSent) return;
    try {
      const training = await this.#net.request("training.get", { training: this.#id });
      if (this.#isClosed || this.#guide.state === "finished") return;
      if (training.state === "finished") return this.#endedElsewhere();
      if (isGuiding(this.#guide.state) && training.device !== this.#guide.record.device) this.#lost("device");
      this.#guide.merge(training.sets);
    } catch {
      // The next reply of the server says the same.
    }
  }

  // MARK: keeping

  #keep(record) {
    // A tab that another one has taken over writes nothing over what is done there.
    if (!this.#lock.isHeld) return;
    this.#write(record);
    this.#sync?.push();
  }

  /** Writes one after the other: the last record is the one that stays. */
  #write(record) {
    TrainingPage.#lastWrite = TrainingPage.#lastWrite.then(() => this.#records.put(record))
      .catch(() => this.#view?.problem("This browser has no room left to keep your training. Stay online, so that nothing is lost."));
    return TrainingPage.#lastWrite;
  }

  #flush() {
    this.#sync?.flushPulse();
    this.#sync?.push();
  }

  // MARK: the end, and other devices

  async #finish() {
    const guide = /** @type {Guide} */ (this.#guide);
    this.#view.collect();
    if (!guide.finish()) return;
    const reply = await this.#sync.finish();
    await TrainingPage.#lastWrite;
    if (reply) {
      this.#net.keep("training.get", { training: this.#id }, reply);
      await this.#records.remove(this.#net.account.id, this.#id).catch(() => {});
    }
    toast("Workout saved");
    if (!this.#isClosed) this.#app.router.go(`/training/${this.#id}/summary?finished=1`, { replace: true });
  }

  #endedElsewhere() {
    toast("This training was finished on another device.");
    this.#records.remove(this.#net.account.id, this.#id).catch(() => {});
    if (!this.#isClosed) this.#app.router.go(`/training/${this.#id}/summary`, { replace: true });
  }

  #lost(where) {
    this.#guide?.lose();
    this.#view?.elsewhere(where);
    this.#follow();
  }

  async #takeOver() {
    const account = this.#net.account.id;
    const wasHeld = this.#lock.isHeld;
    if (!wasHeld) await this.#lock.take({ steal: true });
    const kept = await this.#records.get(account, this.#id).catch(() => null);
    const before = kept ?? this.#guide.record;
    if (!wasHeld && kept && kept.state !== "elsewhere") {
      this.#guide.takeOver(kept);
      return;
    }
    const training = await this.#net.request("training.takeOver", { training: this.#id, device: deviceID() });
    this.#guide.takeOver(recordOf(training, { account, before }));
    this.#net.keep("training.get", { training: this.#id }, training);
  }
}

