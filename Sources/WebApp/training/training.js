// The guided session (C-5, W-2): opens a training, or shows the one that goes on in this tab.

import { TrainingRecords } from "../connection/trainingrecords.js";
import { askBody } from "../body/ask.js";
import { emptyState, h } from "../kit/dom.js";
import { ScreenWake } from "../kit/geolocation.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { startTrainingBar } from "./bar.js";
import { openRecord } from "./opening.js";
import { refusalCard } from "./refusal.js";
import { running } from "./running.js";
import { TrainingSession } from "./session.js";
import { SessionView } from "./sessionview.js";
import { isRunning } from "./states.js";

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
  element = h("div", { class: "page stack training-page" });

  #app; #net; #id; #query;
  #records = new TrainingRecords();
  #wake = new ScreenWake();
  #end = new AbortController();
  /** @type {TrainingSession | null} */
  #session = null;
  #view = null;

  constructor(app, id, query) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#query = query;
  }

  async start() {
    leaveWhenSignedOut(this.#app, this.#end.signal);
    startTrainingBar(this.#app);
    const going = running.of(this.#id);
    if (going) return this.#attach(going);
    this.#note(loading(this.#net));
    const workout = this.#query.get("workout");
    if (workout && !(await this.#mayBegin(workout))) return undefined;
    await TrainingSession.written;
    try {
      const opened = await openRecord({ net: this.#net, records: this.#records }, {
        id: this.#id, workout, group: this.#query.get("together"),
      });
      if (this.#isClosed) return undefined;
      if (!opened) return this.#app.router.go(`/training/${this.#id}/summary`, { replace: true });
      await this.#open(opened);
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    }
    return undefined;
  }

  close() {
    this.#end.abort();
    this.#view?.close();
    this.#wake.close();
    if (this.#session) running.left(this.#session);
  }

  get #isClosed() { return this.#end.signal.aborted; }

  #note(...content) {
    this.element.replaceChildren(h("h1", { tabindex: "-1" }, "Workout in progress"), ...content);
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
    const workouts = h("a", { class: "button", href: "/workouts" }, "See your workouts");
    if (error.isNotFound) {
      this.#note(emptyState({ id: "training-gone", iconElement: icon("history"), title: "This workout isn't here",
        text: "It was deleted, or it isn't yours.", action: workouts }));
      return;
    }
    this.#note(loadProblem({ id: "training-problem", title: "Couldn't open this workout", text: error.message, again: () => this.start() }),
      h("p", {}, workouts));
  }

  /** Begins to guide the record. */
  async #open(opened) {
    const { record, origin } = opened;
    const session = running.begin(this.#app, record);
    this.#attach(session);
    const refusal = await session.open(opened);
    if (this.#isClosed || session.isClosed) return;
    // With something done, the session shows the refusal itself, and keeps what was done.
    if (refusal && origin === "new" && session.guide.figures.done === 0) return void this.#refuse(session, refusal);
    if (origin === "new") history.replaceState(null, "", `/training/${this.#id}`);
  }

  #attach(session) {
    this.#session = session;
    const { guide } = session;
    const { signal } = this.#end;
    this.#view = new SessionView(this.#app, session, { unlock: () => running.cues.unlock() });
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(this.#view.element);
    if (hadFocus) this.#view.element.querySelector("h1")?.focus({ preventScroll: true });
    const keepAwake = () => this.#wake.keep(isRunning(guide.state));
    guide.addEventListener("change", keepAwake, { signal });
    keepAwake();
    session.addEventListener("ended", ({ detail }) => this.#ended(detail), { signal });
    session.reportAgain();
    running.shown();
  }

  #ended(how) {
    const path = how === "removed" ? "/workouts" : `/training/${this.#id}/summary${how === "elsewhere" ? "" : "?finished=1"}`;
    this.#app.router.go(path, { replace: true });
  }

  /** A training that cannot begin leaves nothing behind. */
  async #refuse(session, error) {
    this.#view?.close();
    this.#view = null;
    this.#session = null;
    running.end(session);
    this.#wake.keep(false);
    await this.#records.remove(this.#net.account.id, this.#id).catch(() => {});
    if (!this.#isClosed) this.#note(refusalCard(this.#app, error, { id: this.#id, again: () => this.start() }));
  }
}
