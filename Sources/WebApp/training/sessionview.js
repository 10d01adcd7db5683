// What the guided session shows. The page itself (training.js) keeps and sends; this draws the guide and passes on what is pressed.

import { announce, confirmDialog, h, setText } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeKeyedContents } from "../kit/keyed.js";
import { groupPanel } from "../together/panel.js";
import { videoList } from "../workouts/videos.js";
import { clockText, sectionName, setText as valuesText } from "../workouts/words.js";
import { allSets } from "./allsets.js";
import { Cues, canVibrate, chooseCue, cueChoice } from "./cues.js";
import { GroupReporter } from "./livegroup.js";
import { makePulseCard } from "./pulsecard.js";
import { isForgotten } from "./record.js";
import { exerciseOf, howTo, makeSetCard, stepText } from "./setcard.js";
import { isGuiding, isPaused } from "./states.js";

const tickMilliseconds = 250;
const restStepSeconds = 15;

/** Draws a guide. `finish()`, `takeOver()` and `flush()` are the page's. */
export class SessionView {
  element;

  #app; #guide; #does;
  #end = new AbortController();
  #cues = new Cues();
  #timer;
  #setCard = null;
  #pulse; #panel = null; #reporter = null;
  #where = null;

  #clock = h("strong", { class: "big-clock number", role: "timer", "aria-label": "Time", id: "training-clock" });
  #progress = h("p", { class: "muted", id: "training-progress" });
  #bar = h("span", {});
  #pauseButton = h("button", { class: "button big", type: "button", id: "pause", onclick: () => this.#togglePause() });
  #banner = h("div", { class: "stack tight" });
  #main = h("div", { class: "stack" });
  #sets = h("div", { class: "stack" });
  #restClock = h("strong", { class: "rest-clock number", role: "timer", "aria-label": "Rest" });
  #problem = h("p", { class: "problem", role: "alert", id: "training-problem-line" });
  #drawBanner = makeKeyedContents(this.#banner);
  #drawMain = makeKeyedContents(this.#main);
  #drawSets = makeKeyedContents(this.#sets);
  #finishButton = h("button", { class: "button", type: "button", id: "finish", onclick: () => this.#askToFinish() }, icon("finished"),
    "Finish workout");

  constructor(app, guide, does) {
    this.#app = app;
    this.#guide = guide;
    this.#does = does;
    this.#pulse = makePulseCard(app, guide, { flush: does.flush });
    const { signal } = this.#end;
    guide.addEventListener("change", () => this.#draw(), { signal });
    guide.addEventListener("cue", (/** @type {any} */ { detail }) => this.#cue(detail), { signal });
    if (guide.record.together) this.#joinGroup(guide.record.together);
    const side = h("div", { class: "stack training-side" }, this.#panel?.element ?? "", this.#pulse.element,
      h("details", { class: "card", id: "all-sets" }, h("summary", {}, "All exercises and sets"), this.#sets), this.#settings(),
        this.#finishButton);
    this.element = h("div", { class: "stack" },
      h("div", { class: "training-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, guide.record.plan.title),
        this.#progress), this.#clock, this.#pauseButton),
      h("div", { class: "training-bar", role: "presentation" }, this.#bar), this.#problem, this.#banner,
      h("div", { class: "training-grid" }, this.#main, side));
    this.element.addEventListener("click", () => this.#cues.unlock(), { signal });
    this.#timer = setInterval(() => this.#tick(), tickMilliseconds);
    this.#draw();
  }

  close() {
    this.#end.abort();
    clearInterval(this.#timer);
    this.#reporter?.close();
    this.#panel?.close();
    this.#pulse.close();
    this.#cues.close();
  }

  /** Takes the heart rates that were collected, before the end. */
  collect() {
    this.#pulse.collect();
  }

  /** Shows that something was not kept or sent. */
  problem(text) {
    setText(this.#problem, text);
  }

  /** Shows that the training goes on in another `tab` or on another `device`. */
  elsewhere(where) {
    this.#where = where;
    this.#draw();
  }

  // MARK: drawing

  #draw() {
    const guide = this.#guide;
    const { figures, state, current } = guide;
    setText(this.#progress, [current && state !== "complete" ? sectionName(current.section) : null,
      `${figures.done} of ${count(figures.total, "set")} done`].filter(Boolean).join(" · "));
    this.#bar.style.width = `${figures.total === 0 ? 0 : Math.round(((figures.done + figures.skipped) / figures.total) * 100)}%`;
    const paused = isPaused(state);
    this.#pauseButton.replaceChildren(icon(paused ? "play" : "pause"), paused ? "Resume" : "Pause");
    this.#pauseButton.hidden = !isGuiding(state) || state === "complete";
    this.#finishButton.hidden = !isGuiding(state) || state === "complete";
    this.element.dataset.state = state;
    this.#drawBanner(`${state}${guide.record.isWarm}${this.#where}`, () => this.#bannerContent());
    this.#drawMain(this.#mainKey(), () => this.#mainContent());
    this.#drawSets(JSON.stringify([isGuiding(state), guide.record.sets.map(({ id, state: own, values }) => [id, own, values])]),
      () => (isGuiding(state) ? allSets(guide) : []));
    this.#tick();
  }

  #mainKey() {
    const { state, current, record } = this.#guide;
    // The fields keep what is typed: values are no part of the key.
    return JSON.stringify([state, this.#where, current?.set.id, current?.round, current?.rounds, record.plan.title,
      this.#guide.next?.set.id]);
  }

  #mainContent() {
    const guide = this.#guide;
    this.#setCard = null;
    if (guide.state === "elsewhere") return [this.#elsewhereCard()];
    if (guide.state === "complete") return [this.#completeCard()];
    if (guide.state === "finished" || !guide.current) return [];
    const step = guide.current;
    const exercise = exerciseOf(guide.record, step.entry.exercise);
    const isResting = ["rest", "restPaused"].includes(guide.state);
    if (isResting) announce(`Rest. Next: ${exercise.name}.`);
    this.#setCard = makeSetCard(guide, step, {
      done: (values) => guide.done(step.set.id, values), skip: () => guide.skip(step.set.id),
    });
    return [isResting ? this.#restCard(step, exercise) : null, this.#setCard.element, this.#nextLine(), this.#sectionVideos(step.section),
      howTo(exercise, step.round === 0)];
  }

  #restCard(step, exercise) {
    return h("section", { class: "card rest-card", "aria-labelledby": "rest-title", id: "rest-card" },
      h("h2", { id: "rest-title" }, "Rest"), this.#restClock,
      h("p", { class: "muted" }, `Next: ${exercise.name}, ${stepText(step, exercise).toLowerCase()}`),
      h("div", { class: "row center" },
        h("button", { class: "button", type: "button", id: "more-rest", onclick: () => this.#guide.addRest(restStepSeconds) },
          `+${restStepSeconds} s`),
        h("button", { class: "button primary", type: "button", id: "skip-rest", onclick: () => this.#guide.skipRest() }, "Skip rest")));
  }

  #nextLine() {
    const { next, record } = this.#guide;
    if (!next) return h("p", { class: "muted next-line", id: "next-line" }, "This is the last set.");
    return h("p", { class: "muted next-line", id: "next-line" },
      `Then: ${exerciseOf(record, next.entry.exercise).name}, ${valuesText(next.set.values)}`);
  }

  #sectionVideos(section) {
    return videoList(this.#guide.record.plan.videos.filter((video) => video.section === section), `Videos for this part`);
  }

  #completeCard() {
    const hasCoolDown = this.#guide.record.plan.sections.some(({ kind }) => kind === "coolDown");
    return h("section", { class: "card stack center", id: "complete-card" }, icon("finished"), h("h2", { tabindex: "-1" }, "All sets done"),
      h("p", { class: "muted" }, hasCoolDown ? "Well done. Finish the workout to see your summary."
        : "Well done. Walk slowly and stretch for five minutes before you stop: it brings your pulse down."),
      this.#sectionVideos("coolDown"),
      h("button", { class: "button primary big", type: "button", id: "finish-now", onclick: () => this.#does.finish() }, icon("tick"),
        "Finish workout"));
  }

  #elsewhereCard() {
    const isTab = this.#where === "tab";
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary big", type: "button", id: "continue-here", onclick: async () => {
      button.disabled = true;
      setText(problem, "");
      try {
        await this.#does.takeOver();
        this.#where = null;
        this.#draw();
      } catch (error) {
        setText(problem, error.message);
      }
      button.disabled = false;
    } }, icon("devices"), "Continue here");
    return h("section", { class: "card stack center", id: "elsewhere-card" }, icon("devices"),
      h("h2", { tabindex: "-1" }, isTab ? "This training is open in another tab" : "This training continues on another device"),
      h("p", { class: "muted" }, "Sets that you did here are kept. Only one place can guide you at a time."), problem, button);
  }

  #bannerContent() {
    const guide = this.#guide;
    const { record, state } = guide;
    if (!isGuiding(state)) return [];
    const hasWarmUp = record.plan.sections.some(({ kind }) => kind === "warmUp");
    return [
      isPaused(state) ? h("p", { class: "notice warn", id: "paused-line", role: "status" }, icon("pause"),
        h("span", {}, "Paused. The time stands still.")) : null,
      isForgotten(record, this.#app.net.clock.now()) ? h("p", { class: "notice warn" }, icon("clock"),
        h("span", {}, "This workout began more than a day ago. When you finish it, it ends with your last set.")) : null,
      !record.isWarm && !hasWarmUp ? h("div", { class: "notice", id: "warm-up-prompt" }, icon("heat"),
        h("span", { class: "grow" }, h("strong", {}, "Warm up first. "), "Five minutes of easy movement prepare muscles and joints.",
          videoList(record.plan.videos.filter(({ section }) => section === "warmUp"), "Warm-up videos")),
        h("button", { class: "button small-button", type: "button", id: "warm", onclick: () => guide.warm() }, "I'm warm")) : null,
    ];
  }

  // MARK: time and cues

  #tick() {
    const guide = this.#guide;
    guide.tick();
    setText(this.#clock, clockText(guide.seconds));
    if (["rest", "restPaused"].includes(guide.state)) setText(this.#restClock, clockText(Math.ceil(guide.restSeconds)));
    this.#setCard?.tick();
  }

  #togglePause() {
    if (isPaused(this.#guide.state)) this.#guide.resume();
    else if (this.#guide.pause()) this.#does.flush();
    announce(isPaused(this.#guide.state) ? "Paused." : "Goes on.");
  }

  #cue(name) {
    this.#cues.play(name);
    if (name === "restOver") announce("Rest is over.");
    if (name === "setOver") announce("Time is up.");
  }

  async #askToFinish() {
    const { figures } = this.#guide;
    const left = figures.total - figures.done - figures.skipped;
    const sure = left === 0 || await confirmDialog({
      id: "finish-dialog", title: "Finish this workout?", confirm: "Finish", cancel: "Keep going",
      text: `${count(left, "set")} ${left === 1 ? "isn't" : "aren't"} done yet. What you did is saved.`,
    });
    if (sure && !this.#end.signal.aborted) this.#does.finish();
  }

  #settings() {
    const { sound, vibration } = cueChoice();
    return h("details", { class: "card", id: "cue-settings" }, h("summary", {}, "Sound and vibration"), h("div", { class: "stack tight" },
      makeSwitch({ id: "cue-sound", label: "Sound", hint: "A short tone when a rest or a timed set is over.", checked: sound,
        changed: (isOn) => {
        chooseCue("sound", isOn);
        this.#cues.unlock();
      } }).element,
      canVibrate() ? makeSwitch({ id: "cue-vibration", label: "Vibration", hint: null, checked: vibration, changed: (isOn) =>
        chooseCue("vibration", isOn) }).element : null));
  }

  #joinGroup(group) {
    this.#panel = groupPanel(group, this.#app);
    this.#reporter = new GroupReporter(this.#app.net, this.#guide, { zone: () => (this.#panel?.sharesZone ? this.#pulse.zone() : null) });
  }
}
