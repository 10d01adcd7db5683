// What the guided session shows. The session keeps and sends; this draws its guide and passes on what is pressed.

import { confirmThen } from "../kit/dialog.js";
import { announce, confirmDialog, h, keepFocus, setText, toast } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren, makeKeyedContents } from "../kit/keyed.js";
import { openMenu } from "../kit/menu.js";
import { isNotificationAllowed } from "../kit/notifications.js";
import { groupPanel } from "../together/panel.js";
import { videoList } from "../videos/videos.js";
import { clockText, sectionName, setText as valuesText } from "../workouts/words.js";
import { allSets } from "./allsets.js";
import { canVibrate, chooseCue, cueChoice } from "./cues.js";
import { DoublePress } from "./doublepress.js";
import { makePulseCard } from "../pulse/pulsecard.js";
import { isForgotten, keptEnd } from "./record.js";
import { refusalCard } from "./refusal.js";
import { exerciseOf, howTo, makeSetCard, stepText } from "./setcard.js";
import { isGuiding, isPaused } from "./states.js";

const restStepSeconds = 15;

/** Scrolls to the focused element of a person who uses a keyboard. */
function keepFocusInView() {
  const focused = document.activeElement;
  if (focused?.matches(":focus-visible")) focused.scrollIntoView({ block: "nearest" });
}

/** Draws a session. `unlock()` lets cues sound after a press. */
export class SessionView {
  element;

  #app; #session; #guide; #pulse;
  #end = new AbortController();
  #setCard = null;
  #panel = null;
  /** Id of the set that was announced. */
  #announced = null;
  #press = new DoublePress();

  #clock = h("strong", { class: "big-clock number", role: "timer", "aria-label": "Time", id: "training-clock" });
  #progress = h("p", { class: "muted", id: "training-progress" });
  #bar = h("span", {});
  #pauseButton = h("button", { class: "button big", type: "button", id: "pause", onclick: () => this.#togglePause() });
  #banner = h("div", { class: "stack tight" });
  #rest = h("div", { class: "stack" });
  #main = h("div", { class: "stack" });
  #after = h("div", { class: "stack" });
  #sets = h("div", { class: "stack" });
  #restClock = h("strong", { class: "rest-clock number", role: "timer", "aria-label": "Rest" });
  #problem = h("p", { class: "problem", role: "alert", id: "training-problem-line" });
  #drawBanner = makeKeyedContents(this.#banner, () => this.#title);
  #drawRest = makeKeyedContents(this.#rest, () => this.#title);
  #drawMain = makeKeyedContents(this.#main, () => this.#title);
  #afterRows = new KeyedChildren(this.#after);
  #drawSets = makeKeyedContents(this.#sets);
  #finishButton = h("button", { class: "button", type: "button", id: "finish", onclick: () => this.#askToFinish() }, icon("finished"),
    "Finish workout");

  #more = h("button", { class: "icon-button", type: "button", id: "training-more", "aria-label": "More", "aria-haspopup": "dialog",
    onclick: () => this.#openMore() }, icon("more"));

  constructor(app, session, { unlock }) {
    this.#app = app;
    this.#session = session;
    const { guide } = session;
    this.#guide = guide;
    this.#pulse = makePulseCard(session.pulse);
    const { signal } = this.#end;
    guide.addEventListener("change", () => this.#draw(), { signal });
    session.addEventListener("change", () => this.#draw(), { signal });
    session.addEventListener("tick", () => this.#tick(), { signal });
    if (guide.record.together) this.#panel = groupPanel(guide.record.together, app);
    const side = h("div", { class: "stack training-side" }, this.#panel?.element ?? "", this.#pulse.element,
      h("details", { class: "card", id: "all-sets" }, h("summary", {}, "All exercises and sets"), this.#sets), this.#settings(unlock),
        this.#finishButton);
    this.element = h("div", { class: "stack" },
      h("div", { class: "training-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, guide.record.plan.title),
        this.#progress), this.#clock, this.#pauseButton, this.#more),
      h("div", { class: "training-bar", role: "presentation" }, this.#bar), this.#problem, this.#banner,
      h("div", { class: "training-grid" }, h("div", { class: "stack" }, this.#rest, this.#main, this.#after), side));
    this.element.addEventListener("click", () => unlock(), { signal });
    this.#announced = guide.current?.set.id ?? null;
    this.#draw();
  }

  close() {
    this.#end.abort();
    this.#panel?.close();
    this.#pulse.close();
  }

  // MARK: drawing

  #draw() {
    const guide = this.#guide;
    const { figures, state, current } = guide;
    const { where, refusal, problem } = this.#session;
    setText(this.#problem, problem);
    setText(this.#progress, [current && state !== "complete" ? sectionName(current.section) : null,
      `${figures.done} of ${count(figures.total, "set")} done`].filter(Boolean).join(" · "));
    this.#bar.style.width = `${figures.total === 0 ? 0 : Math.round(((figures.done + figures.skipped) / figures.total) * 100)}%`;
    const paused = isPaused(state);
    this.#pauseButton.replaceChildren(icon(paused ? "play" : "pause"), paused ? "Resume" : "Pause");
    this.#pauseButton.hidden = !isGuiding(state) || state === "complete";
    this.#finishButton.hidden = !isGuiding(state) || state === "complete";
    this.#more.hidden = !isGuiding(state);
    this.element.dataset.state = state;
    this.#drawBanner(`${state}${guide.record.isWarm}${where}${refusal?.message}`, () => this.#bannerContent());
    this.#drawParts();
    this.#drawSets(JSON.stringify([isGuiding(state), guide.record.sets.map(({ id, state: own, values }) => [id, own, values])]),
      () => (isGuiding(state) ? allSets(guide) : []));
    this.#announceStep();
    this.#drawClocks();
  }

  /** The name of the exercise, or the title of the card in its place: the focus goes there from a button that is gone. */
  get #title() {
    return this.#main.querySelector("h2");
  }

  #drawParts() {
    const guide = this.#guide;
    const { state, current } = guide;
    const card = ["elsewhere", "complete", "finished"].includes(state) ? state : current ? "set" : "none";
    const step = card === "set" ? current : null;
    const isResting = step !== null && ["rest", "restPaused"].includes(state);
    this.#drawRest(isResting ? step.set.id : "", () => {
      // The new card pushes the focused button down, maybe out of sight.
      queueMicrotask(keepFocusInView);
      return isResting ? [this.#restCard(step)] : [];
    });
    // Only another set replaces the card: its fields keep what is typed.
    this.#drawMain(JSON.stringify([card, this.#session.where, step?.set.id]), () => this.#mainContent(card, step));
    keepFocus(this.#after, () => this.#afterRows.draw(step === null ? [] : this.#afterContents(step)), () => this.#title);
    if (step) this.#setCard?.draw(step);
  }

  #mainContent(card, step) {
    this.#setCard = null;
    if (card === "elsewhere") return [this.#elsewhereCard()];
    if (card === "complete") return [this.#completeCard()];
    if (card === "finished") return [h("p", { class: "notice", id: "saving-line", role: "status" }, "Saving your workout…")];
    if (step === null) return [];
    const guide = this.#guide;
    this.#setCard = makeSetCard(guide, step, {
      done: (values) => {
        // The next set often has its button in the same place.
        if (!this.#press.isSecond(performance.now())) guide.done(step.set.id, values);
      },
      skip: () => { if (!this.#press.isSecond(performance.now())) guide.skip(step.set.id); },
    });
    return [this.#setCard.element];
  }

  /** What comes after a set, for people who do not see it. */
  #announceStep() {
    const { state, current, record } = this.#guide;
    const id = state === "complete" ? "complete" : current?.set.id ?? null;
    if (!isGuiding(state) || id === this.#announced) return;
    this.#announced = id;
    if (state === "complete" || !current) return announce("All sets done.");
    const { name } = exerciseOf(record, current.entry.exercise);
    return announce(["rest", "restPaused"].includes(state) ? `Rest. Next: ${name}.`
      : `Next: ${name}, set ${current.round + 1} of ${current.rounds}.`);
  }

  #restCard(step) {
    const exercise = exerciseOf(this.#guide.record, step.entry.exercise);
    return h("section", { class: "card rest-card", "aria-labelledby": "rest-title", id: "rest-card" },
      h("h2", { id: "rest-title" }, "Rest"), this.#restClock,
      h("p", { class: "muted" }, `Next: ${exercise.name}, ${stepText(step, exercise).toLowerCase()}`),
      h("div", { class: "row center" },
        h("button", { class: "button", type: "button", id: "more-rest", onclick: () => this.#guide.addRest(restStepSeconds) },
          `+${restStepSeconds} s`),
        h("button", { class: "button primary", type: "button", id: "skip-rest", onclick: () => this.#guide.skipRest() }, "Skip rest")));
  }

  /** A video that plays, and instructions that are open, stay with the part and the exercise. */
  #afterContents({ section, entry, round }) {
    const { next, record } = this.#guide;
    const videos = this.#sectionVideos(section);
    return [
      { key: "next", sig: JSON.stringify(next?.set), make: () => this.#nextLine() },
      ...(videos ? [{ key: "videos", sig: section, make: () => videos }] : []),
      { key: "howTo", sig: entry.id, make: () => howTo(exerciseOf(record, entry.exercise), round === 0) },
    ];
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
      h("button", { class: "button primary big", type: "button", id: "finish-now", onclick: () => this.#session.finish() }, icon("tick"),
        "Finish workout"));
  }

  #elsewhereCard() {
    const isTab = this.#session.where === "tab";
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { class: "button primary big", type: "button", id: "continue-here", onclick: async () => {
      button.disabled = true;
      setText(problem, "");
      try {
        await this.#session.takeOver();
      } catch (error) {
        setText(problem, error.message);
      }
      button.disabled = false;
    } }, icon("devices"), "Continue here");
    return h("section", { class: "card stack center", id: "elsewhere-card" }, icon("devices"),
      h("h2", { tabindex: "-1" }, isTab ? "This workout is open in another tab" : "This workout continues on another device"),
      h("p", { class: "muted" }, "Sets that you did here are kept. Only one place can guide you at a time."), problem, button);
  }

  #bannerContent() {
    const guide = this.#guide;
    const { record, state } = guide;
    if (!isGuiding(state)) return [];
    const hasWarmUp = record.plan.sections.some(({ kind }) => kind === "warmUp");
    const { refusal } = this.#session;
    return [
      refusal ? refusalCard(this.#app, refusal, { id: record.id, again: () => this.#session.startAgain() }) : null,
      isPaused(state) ? h("p", { class: "notice warn", id: "paused-line", role: "status" }, icon("pause"),
        h("span", {}, "Paused. The time stands still.")) : null,
      keptEnd(record) === null && isForgotten(record, this.#app.net.clock.now()) ? h("p", { class: "notice warn" }, icon("clock"),
        h("span", {}, "This workout began more than a day ago. When you finish it, it ends with your last set.")) : null,
      !record.isWarm && !hasWarmUp ? h("div", { class: "notice", id: "warm-up-prompt" }, icon("heat"),
        h("span", { class: "grow" }, h("strong", {}, "Warm up first. "), "Five minutes of easy movement prepare muscles and joints.",
          videoList(record.plan.videos.filter(({ section }) => section === "warmUp"), "Warm-up videos")),
        h("button", { class: "button small-button", type: "button", id: "warm", onclick: () => guide.warm() }, "I'm warm")) : null,
    ];
  }

  // MARK: time

  #tick() {
    // The group goes on with it while another page is shown.
    if (this.#panel) this.#session.isSharingZone = this.#panel.sharesZone;
    this.#drawClocks();
  }

  #drawClocks() {
    const guide = this.#guide;
    setText(this.#clock, clockText(guide.seconds));
    if (["rest", "restPaused"].includes(guide.state)) setText(this.#restClock, clockText(Math.ceil(guide.restSeconds)));
    this.#setCard?.tick();
  }

  #togglePause() {
    if (isPaused(this.#guide.state)) {
      if (this.#guide.resume()) announce("Resumed.");
    } else if (this.#guide.pause()) {
      this.#session.flush();
      announce("Paused.");
    } else {
      toast("This workout can't be paused more often.");
    }
  }

  // MARK: the end

  #openMore() {
    openMenu({ anchor: this.#more, label: "More", actions: [
      { id: "discard", label: "Discard workout", iconName: "bin", isDanger: true, run: () => this.#askToDiscard() },
    ] });
  }

  #askToDiscard() {
    return confirmThen({
      id: "discard-training-dialog", title: "Discard this workout?", confirm: "Discard", cancel: "Keep going", danger: true,
      text: "Its sets and heart rate are deleted. You can't undo this.",
    }, () => this.#session.discard());
  }

  async #askToFinish() {
    const { figures } = this.#guide;
    const left = figures.total - figures.done - figures.skipped;
    const sure = left === 0 || await confirmDialog({
      id: "finish-dialog", title: "Finish this workout?", confirm: "Finish", cancel: "Keep going",
      text: `${count(left, "set")} ${left === 1 ? "isn't" : "aren't"} done yet. What you did is saved.`,
    });
    if (sure && !this.#end.signal.aborted) this.#session.finish();
  }

  #settings(unlock) {
    const { sound, vibration } = cueChoice();
    return h("details", { class: "card", id: "cue-settings" }, h("summary", {}, "Sound and vibration"), h("div", { class: "stack tight" },
      makeSwitch({ id: "cue-sound", label: "Sound", hint: "A short tone when a rest or a timed set is over.", checked: sound,
        changed: (isOn) => {
        chooseCue("sound", isOn);
        unlock();
      } }).element,
      canVibrate() ? makeSwitch({ id: "cue-vibration", label: "Vibration", hint: null, checked: vibration, changed: (isOn) =>
        chooseCue("vibration", isOn) }).element : null,
      h("p", { class: "muted small" }, canVibrate() ? null : "This browser can't vibrate. ",
        "While the screen is off or another app is open, the browser may hold back sound and vibration, or give them late. ",
        isNotificationAllowed() ? "A notification says that a rest is over, if the browser lets it through."
          : ["With ", h("a", { href: "/chats/settings" }, "notifications on this device"), " on, one can say that a rest is over."])));
  }
}
