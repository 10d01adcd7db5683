// The workouts of the account: the recommended one, those by status, and those of buddies (W-2).

import { followSignals } from "../connection/accountsignals.js";
import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { announce, emptyState, h, keepFocus } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { Loader } from "../kit/loader.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { loadOpenTrainings } from "./opentrainings.js";
import { recommendationCard } from "./recommendation.js";
import { workoutRow } from "./rows.js";
import { withWaiting } from "./saving.js";
import { videoList } from "../videos/videos.js";

const pageSize = 30;
/** Videos of so many recent workouts are shown. */
const recentMax = 3;

const filters = [
  { id: "all", label: "All" }, { id: "notStarted", label: "Not started" }, { id: "inProgress", label: "In progress" },
  { id: "completed", label: "Completed" }, { id: "buddies", label: "From buddies" },
];
const emptyWords = {
  all: ["No workouts yet", "Create your first one, or begin with a recommended one."],
  notStarted: ["No workouts to start yet", "Workouts that you create appear here until you start them."],
  inProgress: ["Nothing in progress", "Workouts that you start appear here until you finish them."],
  completed: ["Nothing completed yet", "Workouts that you finish appear here."],
  buddies: ["Nothing from your buddies", "Workouts that your buddies share with you appear here."],
};

await loadStyles("/app/workouts/workouts.css");

/** Serves `/workouts`; the query may have `filter`. */
export function show(root, { query }, app) {
  if (!requireSignIn(app, "/workouts")) return undefined;
  const page = new WorkoutList(app, query?.get("filter") ?? "all");
  root.append(page.element);
  page.start();
  return () => page.close();
}

class WorkoutList {
  element;

  #app; #net; #filter; #loader; #stopFollowing;
  #ending = new AbortController();
  #workouts = [];
  #next;
  #isLoaded = false;
  /** What is drawn of the open trainings. */
  #openKey = "[]";
  #firstKey = "";

  #open = h("div", { class: "stack tight" });
  #first = h("section", { class: "stack tight", "aria-label": "Recommended", hidden: true });
  #videos = h("section", { class: "stack tight", "aria-labelledby": "videos-title", hidden: true });
  #kept = makeKeptNote("workouts-kept");
  #status = h("div", {});
  #list = h("ul", { class: "workout-list", id: "workout-list", "aria-label": "Workouts" });
  #rows = new KeyedChildren(this.#list);
  #more = h("button", { class: "button wide", type: "button", id: "more-workouts", hidden: true, onclick: () => this.#loadMore() },
    "Show more");
  #chips;

  constructor(app, filter) {
    this.#app = app;
    this.#net = app.net;
    this.#filter = filters.some(({ id }) => id === filter) ? filter : "all";
    this.#loader = new Loader({
      fetch: () => this.#net.read("workouts.list", this.#params()),
      loading: () => { if (!this.#isLoaded) this.#status.replaceChildren(loading(this.#net)); },
      loaded: (reply) => this.#take(reply), failed: (error) => this.#fail(error),
    });
    this.#chips = filters.map(({ id, label }) => h("button", {
      class: "chip-button", type: "button", dataset: { filter: id }, onclick: () => this.#choose(id),
    }, label));
    this.#drawChips();
    this.element = h("div", { class: "page stack workouts-page" },
      h("div", { class: "workouts-head" }, h("h1", { tabindex: "-1" }, "Workouts"),
        h("a", { class: "button primary", href: "/workouts/new", id: "new-workout" }, icon("plus"), "New workout")),
      h("nav", { class: "row", "aria-label": "More about training" },
        h("a", { class: "button small-button", href: "/exercises" }, icon("search"), "Exercises"),
        h("a", { class: "button small-button", href: "/trainings" }, icon("history"), "Past workouts")),
      this.#open, this.#first,
      h("div", { class: "chip-row", role: "group", "aria-label": "Show" }, ...this.#chips),
      this.#kept.element, this.#status, this.#list, this.#more, this.#videos);
  }

  start() {
    const { signal } = this.#ending;
    leaveWhenSignedOut(this.#app, signal);
    followWaiting(this.#net.writes, ({ method }) => /^(workouts|training)\./.test(method), () => this.#changed(), signal);
    const signals = followSignals(this.#net, ["workout", "training"], () => this.#changed());
    signal.addEventListener("abort", () => signals.close());
    this.#app.known.addEventListener("change", () => this.#draw(), { signal });
    this.#stopFollowing = whenLive(this.#net, () => {
      this.#changed();
      this.#loadFirst();
    });
    this.#loader.load();
    this.#loadFirst();
    this.#loadOpen();
  }

  close() {
    this.#ending.abort();
    this.#loader.close();
    this.#stopFollowing();
  }

  get #isClosed() { return this.#ending.signal.aborted; }

  #params() {
    return { ...(this.#filter !== "all" && { filter: this.#filter }), limit: pageSize };
  }

  #choose(filter) {
    this.#filter = filter;
    this.#isLoaded = false;
    this.#workouts = [];
    this.#next = undefined;
    history.replaceState(null, "", filter === "all" ? "/workouts" : `/workouts?filter=${filter}`);
    this.#drawChips();
    this.#draw();
    this.#loader.load();
  }

  #drawChips() {
    for (const chip of this.#chips) chip.setAttribute("aria-pressed", String(chip.dataset.filter === this.#filter));
  }

  #changed() {
    this.#draw();
    this.#loadOpen();
    if (this.#net.state === "live") this.#loader.load();
  }

  #take(reply) {
    this.#isLoaded = true;
    this.#workouts = reply.workouts;
    this.#next = reply.next;
    this.#kept.draw(keptAt(reply));
    this.#status.replaceChildren();
    this.#draw();
    this.#loadVideos();
  }

  async #loadMore() {
    this.#more.disabled = true;
    try {
      const reply = await this.#net.read("workouts.list", { ...this.#params(), before: this.#next });
      if (this.#isClosed) return;
      const known = new Set(this.#workouts.map(({ id }) => id));
      const added = reply.workouts.filter(({ id }) => !known.has(id));
      this.#workouts = [...this.#workouts, ...added];
      this.#next = reply.next;
      this.#draw();
      announce(`${count(added.length, "more workout")}.`);
      this.#rows.get(added[0]?.id)?.querySelector("a").focus();
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  #fail(error) {
    if (isOnlyOffline(error, this.#net) && !this.#isLoaded) return this.#draw();
    this.#status.replaceChildren(loadProblem({
      id: "workouts-problem", title: "Couldn't load your workouts", text: error.message, again: () => this.#loader.load(),
    }));
    return undefined;
  }

  #draw() {
    const shown = withWaiting(this.#workouts, this.#net.writes.waiting, { now: this.#net.clock.now(), filter: this.#filter });
    keepFocus(this.#list, () => this.#rows.draw(shown.map((workout) => {
      const fromName = workout.from && this.#app.known.nameOf(workout.from);
      return { key: workout.id, sig: JSON.stringify([workout, fromName]),
        make: () => workoutRow(workout, { isWaiting: workout.isWaiting, fromName }) };
    })));
    this.#more.hidden = !this.#next;
    if (this.#isLoaded) this.#status.replaceChildren(...(shown.length === 0 ? [this.#emptyState()] : []));
  }

  #emptyState() {
    const [title, text] = emptyWords[this.#filter];
    const isBuddies = this.#filter === "buddies";
    return emptyState({
      id: "workouts-empty", iconElement: icon(isBuddies ? "buddies" : "strength"), title, text,
      action: isBuddies ? h("a", { class: "button", href: "/buddies" }, "Find buddies")
        : h("a", { class: "button primary", href: "/workouts/new" }, icon("plus"), "Create a workout"),
    });
  }

  // MARK: above and below the list

  async #loadFirst() {
    try {
      const { recommended } = await this.#net.request("workouts.recommend", {});
      const key = JSON.stringify(recommended);
      if (this.#isClosed || key === this.#firstKey) return;
      this.#firstKey = key;
      this.#first.replaceChildren(...(recommended ? [recommendationCard(this.#app, recommended, { isFirst: true, level: "h2" })] : []),
        h("p", {}, h("a", { class: "link", href: "/workouts/recommended", id: "see-more" }, "See More", icon("arrow"))));
      this.#first.hidden = false;
    } catch {
      // Without a connection there is none: the own workouts are below.
    }
  }

  async #loadOpen() {
    const trainings = await loadOpenTrainings(this.#net);
    const key = JSON.stringify(trainings);
    if (this.#isClosed || key === this.#openKey) return;
    this.#openKey = key;
    keepFocus(this.#open, () => this.#open.replaceChildren(...trainings.map(({ id, title }) =>
      h("a", { class: "notice good open-training", href: `/training/${id}` },
      icon("play"), h("span", { class: "grow" }, h("strong", {}, `Continue: ${title}`),
        h("span", { class: "small" }, "This workout is in progress."))))));
  }

  /** Videos of the workouts that were done last. */
  async #loadVideos() {
    const recent = this.#workouts.filter(({ lastTrainedAt }) => lastTrainedAt)
      .sort((one, other) => Date.parse(other.lastTrainedAt) - Date.parse(one.lastTrainedAt)).slice(0, recentMax);
    const found = await Promise.all(recent.map(({ id }) => this.#net.read("workouts.get", { workout: id }).catch(() => null)));
    if (this.#isClosed) return;
    const list = videoList(found.flatMap((workout) => workout?.plan.videos ?? []), "Videos of recent workouts");
    this.#videos.hidden = list === null;
    if (list) this.#videos.replaceChildren(h("h2", { id: "videos-title" }, "Videos of recent workouts"), list);
  }
}
