// The page of a workout before its start (W-2): what it is, what it needs, and its parts.

import { followSignals } from "../connection/accountsignals.js";
import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { uuid } from "../client/uuid.js";
import { emptyState, h, keepFocus, setText } from "../kit/dom.js";
import { momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { Loader } from "../kit/loader.js";
import { openMenu } from "../kit/menu.js";
import { waitingLine } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { shareWorkout } from "../together/share.js";
import { copyWorkout, deleteWorkout, openSchedule } from "./actions.js";
import { loadOpenTrainings } from "./opentrainings.js";
import { statusTag } from "./rows.js";
import { videoList } from "../videos/videos.js";
import { makePlaceCard, planFacts, planSections } from "./workoutparts.js";

await loadStyles("/app/workouts/workouts.css");

/** Serves `/workouts/:id`. */
export function show(root, { id }, app) {
  if (!requireSignIn(app, `/workouts/${encodeURIComponent(id)}`)) return undefined;
  const page = new WorkoutPage(app, id);
  root.append(page.element);
  page.start();
  return () => page.close();
}

class WorkoutPage {
  element;

  #app; #net; #id; #loader; #stopFollowing;
  #ending = new AbortController();
  #workout = null;
  /** Id of the training of this workout to go on with; null without one. */
  #training = null;

  #heading = h("h1", { tabindex: "-1" }, "Workout");
  #kept = makeKeptNote("workout-kept");
  #place = h("div", { class: "stack" });
  #waiting = h("div", {});
  /** The name of the buddy who shared it. */
  #from = h("span", {});

  constructor(app, id) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#loader = new Loader({
      fetch: () => this.#net.read("workouts.get", { workout: id }),
      loading: () => { if (!this.#workout) this.#place.replaceChildren(loading(this.#net)); },
      loaded: (workout) => {
        this.#kept.draw(keptAt(workout));
        this.#draw(workout);
      },
      failed: (error) => this.#fail(error),
    });
    this.element = h("div", { class: "page stack workout-page" }, h("p", {}, h("a", { href: "/workouts", class: "back" }, "← Workouts")),
      h("div", { class: "stack tight" }, this.#heading, this.#waiting, this.#kept.element), this.#place);
  }

  start() {
    const { signal } = this.#ending;
    leaveWhenSignedOut(this.#app, signal);
    const isMine = ({ params }) => [params.id, params.workout].includes(this.#id);
    followWaiting(this.#net.writes, isMine, () => {
      this.#drawWaiting();
      if (this.#net.state === "live") this.#loader.load();
    }, signal);
    const signals = followSignals(this.#net, ["workout", "training"], () => this.#changed());
    signal.addEventListener("abort", () => signals.close());
    this.#app.known.addEventListener("change", () => this.#drawFrom(), { signal });
    this.#stopFollowing = whenLive(this.#net, () => this.#changed());
    this.#drawWaiting();
    this.#loader.load();
    this.#loadTraining();
  }

  close() {
    this.#ending.abort();
    this.#loader.close();
    this.#stopFollowing();
  }

  /** On another device, or with its event. */
  #changed() {
    if (this.#net.state === "live") this.#loader.load();
    this.#loadTraining();
  }

  /** One that only this device knows, after an empty battery without a network, is gone on with too. */
  async #loadTraining() {
    const found = (await loadOpenTrainings(this.#net)).find(({ workout }) => workout === this.#id)?.id ?? null;
    if (this.#ending.signal.aborted || found === this.#training) return;
    this.#training = found;
    const start = this.#place.querySelector("#start-workout");
    if (start && this.#workout) keepFocus(this.#place, () => start.replaceWith(this.#startButton(this.#workout)));
  }

  get #isWaiting() {
    return this.#net.writes.waiting.some(({ method, params }) => method.startsWith("workouts.")
      && [params.id, params.workout].includes(this.#id));
  }

  #drawWaiting() {
    this.#waiting.replaceChildren(...(this.#isWaiting ? [waitingLine("workout-waiting")] : []));
  }

  #drawFrom() {
    const { from = null } = this.#workout ?? {};
    if (from) setText(this.#from, this.#app.known.nameOf(from));
  }

  #fail(error) {
    // The server does not have a new workout yet whose saving waits.
    const isGone = error.isNotFound && !this.#isWaiting;
    if (!isGone && (this.#workout || isOnlyOffline(error, this.#net))) return;
    setText(this.#heading, "Workout");
    this.#kept.draw(null);
    keepFocus(this.#place, () => this.#place.replaceChildren(error.isNotFound
      ? emptyState({ id: "workout-gone", iconElement: icon("strength"), title: "This workout isn't here",
        text: "It was deleted, or it isn't yours.", action: h("a", { class: "button", href: "/workouts" }, "See your workouts") })
      : loadProblem({ id: "workout-problem", title: "Couldn't load this workout", text: error.message,
        again: () => this.#loader.load() })));
  }

  #draw(workout) {
    const isSame = JSON.stringify(workout) === JSON.stringify(this.#workout);
    this.#workout = workout;
    if (isSame && this.#place.querySelector("#start-workout")) return;
    const { plan, exercises, status, from, scheduledAt, event } = workout;
    setText(this.#heading, plan.title);
    this.#drawFrom();
    const videos = videoList(plan.videos);
    const { id } = document.activeElement ?? {};
    keepFocus(this.#place, () => this.#place.replaceChildren(
      h("div", { class: "workout-tags" }, statusTag(status), from
        ? h("span", { class: "tag buddy-tag" }, "From ", this.#from) : null,
        ...plan.tags.map((tag) => h("span", { class: "plain-tag" }, tag))),
      plan.description ? h("p", { class: "workout-description" }, plan.description) : "",
      planFacts(plan),
      scheduledAt ? h("p", { class: "notice", id: "planned-line" }, icon("calendar"),
        h("span", { class: "grow" }, `Planned for ${momentText(Date.parse(scheduledAt))}`),
        event ? h("a", { class: "button small-button", href: `/events/${event}` }, icon("events"), "The event") : null) : "",
      this.#actions(workout),
      h("div", { class: "workout-grid" }, h("div", { class: "stack" }, ...planSections(plan, exercises)),
        h("div", { class: "stack" }, makePlaceCard(this.#app, plan),
          videos ? h("section", { class: "card stack tight", "aria-labelledby": "workout-videos" },
            h("h2", { id: "workout-videos" }, "Videos"), videos) : null))), () => (id ? document.getElementById(id) : null));
  }

  #startButton(workout) {
    const training = workout.training ?? this.#training;
    return training
      ? h("a", { class: "button primary big", id: "start-workout", href: `/training/${training}` }, icon("play"), "Continue workout")
      : h("button", { class: "button primary big", type: "button", id: "start-workout",
        onclick: () => this.#app.router.go(`/training/${uuid()}?workout=${this.#id}`) }, icon("play"), "Start workout");
  }

  #actions(workout) {
    const { router } = this.#app;
    const start = this.#startButton(workout);
    const more = h("button", { class: "button", type: "button", id: "workout-more", "aria-haspopup": "dialog", onclick: () => openMenu({
      anchor: more, label: "More", actions: [
        { id: "edit", label: "Edit", iconName: "edit", run: () => router.go(`/workouts/${this.#id}/edit`) },
        { id: "copy", label: "Make a copy", iconName: "copy", run: () => copyWorkout(this.#app, this.#workout) },
        { id: "delete", label: "Delete", iconName: "bin", isDanger: true, run: () => deleteWorkout(this.#app, this.#workout) },
      ],
    }) }, icon("more"), "More");
    return h("div", { class: "workout-actions" }, start,
      h("button", { class: "button", type: "button", id: "schedule-workout",
        onclick: () => openSchedule(this.#app, this.#workout, (changed) => { if (!this.#ending.signal.aborted) this.#draw(changed); }) },
      icon("calendar"), workout.scheduledAt ? "Change time" : "Schedule"),
      h("a", { class: "button", id: "with-buddies", href: `/together/new?workout=${encodeURIComponent(this.#id)}` }, icon("buddies"),
        "With buddies"),
      h("button", { class: "button", type: "button", id: "share-this",
        onclick: () => shareWorkout(this.#id, this.#app, this.#ending.signal) }, icon("share"), "Share"),
      more);
  }
}
