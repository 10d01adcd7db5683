// Past trainings, the latest first.

import { followSignals } from "../connection/accountsignals.js";
import { keptAt } from "../connection/keptage.js";
import { TrainingRecords } from "../connection/trainingrecords.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { announce, emptyState, h, keepFocus } from "../kit/dom.js";
import { count, momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { Loader } from "../kit/loader.js";
import { waitingText } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { aboutText, secondsText, typeName } from "../workouts/words.js";
import { after, readPages } from "./pastpages.js";
import { withUnsent } from "./unsent.js";

const pageSize = 30;

await Promise.all([loadStyles("/app/workouts/workouts.css"), loadStyles("/app/training/training.css")]);

/** Serves `/trainings`; the query may have `workout`. */
export function show(root, { query }, app) {
  if (!requireSignIn(app, "/trainings")) return undefined;
  const page = new PastPage(app, query?.get("workout") ?? null);
  root.append(page.element);
  page.start();
  return () => page.close();
}

function pastRow({ id, title, type, state, startedAt, activeSeconds, setsDone, reps, net, note, isWaiting = false, isRefused = false }) {
  const isFinished = state === "finished";
  const small = (className, ...content) => h("span", { class: `small ${className}` }, ...content);
  const path = isFinished && !isRefused ? `/training/${id}/summary` : `/training/${id}`;
  return h("li", { dataset: { training: id } }, h("a", { class: "history-row", href: path },
    h("span", { class: "history-icon" }, icon(isFinished ? "finished" : "play")),
    h("span", { class: "history-what" }, h("strong", {}, title),
      small("muted past-meta", h("span", {}, typeName(type)), h("span", {}, momentText(Date.parse(startedAt)))),
      isFinished ? null : small("", "In progress"),
      isRefused ? small("", "Not saved") : isWaiting ? small("muted waiting-words", icon("waiting"), waitingText) : null,
      note ? small("past-note", note) : null),
    h("span", { class: "history-figures" }, h("strong", { class: "number" }, secondsText(activeSeconds)),
      small("muted past-sets", h("span", {}, count(setsDone, "set")), h("span", { class: "dot" }, " · "),
        h("span", {}, count(reps, "rep"))),
      net === undefined || net === null ? null : small("muted", aboutText(net)))));
}

class PastPage {
  element;

  #app; #net; #workout; #loader; #stopFollowing;
  #end = new AbortController();
  #trainings = [];
  /** What this device recorded of trainings. */
  #records = [];
  #hasMore = false;
  #isLoaded = false;

  #kept = makeKeptNote("trainings-kept");
  #status = h("div", {});
  #list = h("ul", { class: "history-list", id: "training-list", "aria-label": "Past workouts" });
  #rows = new KeyedChildren(this.#list);
  #more = h("button", { class: "button wide", type: "button", id: "more-trainings", hidden: true, onclick: () => this.#loadMore() },
    "Show more");

  constructor(app, workout) {
    this.#app = app;
    this.#net = app.net;
    this.#workout = workout;
    this.#loader = new Loader({
      fetch: () => this.#fetch(),
      loading: () => { if (!this.#isLoaded) this.#status.replaceChildren(loading(this.#net)); },
      loaded: (reply) => {
        this.#isLoaded = true;
        this.#trainings = reply.trainings;
        this.#kept.draw(keptAt(reply));
        this.#hasMore = reply.hasMore;
        this.#draw();
      },
      failed: (error) => this.#fail(error),
    });
    this.element = h("div", { class: "page stack workouts-page" }, h("p", {}, h("a", { href: "/workouts", class: "back" }, "← Workouts")),
      h("h1", { tabindex: "-1" }, "Past workouts"), this.#kept.element, this.#status, this.#list, this.#more);
  }

  start() {
    leaveWhenSignedOut(this.#app, this.#end.signal);
    followWaiting(this.#net.writes, ({ method }) => method.startsWith("training."), () => this.#loader.load(), this.#end.signal);
    const signals = followSignals(this.#net, ["training"], () => { if (this.#net.state === "live") this.#loader.load(); });
    this.#end.signal.addEventListener("abort", () => signals.close());
    this.#stopFollowing = whenLive(this.#net, () => this.#loader.load());
    this.#loader.load();
  }

  close() {
    this.#end.abort();
    this.#loader.close();
    this.#stopFollowing();
  }

  get #params() {
    return { ...(this.#workout && { workout: this.#workout }), limit: pageSize };
  }

  async #fetch() {
    this.#records = await new TrainingRecords().all(this.#net.account?.id).catch(() => []);
    return readPages(this.#net, this.#params, this.#trainings);
  }

  async #loadMore() {
    this.#more.disabled = true;
    try {
      const reply = await this.#net.request("training.list", { ...this.#params, ...after(this.#trainings) });
      if (this.#end.signal.aborted) return;
      this.#trainings = [...this.#trainings, ...reply.trainings];
      this.#hasMore = reply.hasMore;
      this.#draw();
      announce(`${count(reply.trainings.length, "more workout")}.`);
      this.#rows.get(reply.trainings[0]?.id)?.querySelector("a").focus();
    } catch (error) {
      if (!this.#end.signal.aborted) this.#fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  #fail(error) {
    if (isOnlyOffline(error, this.#net) && !this.#isLoaded) {
      // Without a list of the server there are those that this device has.
      if (this.#shown.length > 0) this.#draw();
      return;
    }
    this.#status.replaceChildren(loadProblem({ id: "trainings-problem", title: "Couldn't load your past workouts", text: error.message,
      again: () => this.#loader.load() }));
  }

  get #shown() {
    return withUnsent(this.#trainings, this.#records, this.#net, { workout: this.#workout });
  }

  #draw() {
    const shown = this.#shown;
    this.#status.replaceChildren(...(shown.length > 0 ? [] : [emptyState({
      id: "trainings-empty", iconElement: icon("history"), title: "No past workouts",
      text: "Finish a workout, and it appears here with its sets, time and calories.",
      action: h("a", { class: "button primary", href: "/workouts" }, icon("play"), "Start a workout"),
    })]));
    keepFocus(this.#list, () => this.#rows.draw(shown.map((one) => ({ key: one.id, sig: JSON.stringify(one), make: () => pastRow(one) }))));
    this.#more.hidden = !this.#hasMore;
  }
}
