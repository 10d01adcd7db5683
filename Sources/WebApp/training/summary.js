// The summary of a training: its figures, a note, and corrections (W-2).

import { followSignals } from "../connection/accountsignals.js";
import { keptAt, noteKept } from "../connection/keptage.js";
import { TrainingRecords } from "../connection/trainingrecords.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { uuid } from "../client/uuid.js";
import { attempt, confirmThen } from "../kit/dialog.js";
import { emptyState, h, keepFocus, setText, whenReleased } from "../kit/dom.js";
import { DraftTimer } from "../kit/drafts.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { Loader } from "../kit/loader.js";
import { makeSaved, waitingLine } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { videoList } from "../videos/videos.js";
import { addSetID } from "./allsets.js";
import { addedSet, changedSet, editParams, recordWithEdit } from "./edits.js";
import { makePulseEntry } from "../pulse/pulseentry.js";
import { caloriesCard, doneSets, pulseSummary, summaryFigures } from "./summaryparts.js";
import { openTimesDialog } from "./timesdialog.js";
import { isUnsent, isUnstarted, shownTraining, withDuration } from "./unsent.js";

const noteCharactersMax = 1_000;
const typedMilliseconds = 2_000;

await Promise.all([loadStyles("/app/workouts/workouts.css"), loadStyles("/app/training/training.css")]);

/** Serves `/training/:id/summary`; with `finished` in the query right after the end. */
export function show(root, { id, query }, app) {
  if (!requireSignIn(app, location.pathname)) return undefined;
  const page = new SummaryPage(app, id, { isFinish: query?.has("finished") ?? false });
  root.append(page.element);
  page.start();
  return () => page.close();
}

class SummaryPage {
  element;

  #app; #net; #id; #loader; #stopFollowing;
  #records = new TrainingRecords();
  #end = new AbortController();
  #training = null;
  /** The last change of the record. */
  #recordEdits = Promise.resolve(false);
  /** The training as it is drawn, without its note; empty while none is. */
  #drawn = "";
  /** The entry whose set was changed last. */
  #changedEntry = "";
  #heading = h("h1", { tabindex: "-1" }, "Summary");
  #kept = makeKeptNote("summary-kept");
  #waiting = h("div", {});
  #savedText = h("strong", {});
  #savedNote = h("p", { class: "notice good", id: "saved-note", hidden: true }, icon("finished"), this.#savedText);
  #place = h("div", { class: "stack" });
  #saved = makeSaved();
  #note = null;
  /** Saves the note, also when the page is left while its field has the focus. */
  #noteTimer = null;

  constructor(app, id, { isFinish }) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#loader = new Loader({
      fetch: () => this.#fetch(),
      loading: () => { if (!this.#training) this.#place.replaceChildren(loading(this.#net)); },
      // A note is saved when a press elsewhere begins; that press must reach its button.
      loaded: (training) => whenReleased(() => { if (!this.#end.signal.aborted) this.#draw(training); }),
      failed: (error) => this.#fail(error),
    });
    this.element = h("div", { class: "page stack summary-page" },
      isFinish ? this.#savedNote : h("p", {}, h("a", { href: "/trainings", class: "back" }, "← Past workouts")),
      this.#heading, this.#waiting, this.#kept.element, this.#place);
  }

  start() {
    const { signal } = this.#end;
    leaveWhenSignedOut(this.#app, signal);
    followWaiting(this.#net.writes, this.#isMine, () => {
      this.#drawWaiting();
      if (this.#net.state === "live") this.#loader.load();
    }, signal);
    const signals = followSignals(this.#net, ["training"], (signal) => {
      if ((!signal || signal.training === this.#id) && this.#net.state === "live") this.#loader.load();
    });
    signal.addEventListener("abort", () => signals.close());
    this.#stopFollowing = whenLive(this.#net, () => this.#loader.load());
    this.#drawWaiting();
    this.#loader.load();
  }

  close() {
    this.#noteTimer?.keepNow();
    this.#noteTimer?.close();
    this.#end.abort();
    this.#loader.close();
    this.#stopFollowing();
  }

  #isMine = ({ method, params }) => method.startsWith("training.") && [params.id, params.training].includes(this.#id);

  #drawWaiting() {
    const isKeptHere = this.#net.writes.waiting.some((one) => one.method === "training.finish" && this.#isMine(one));
    const isOnlyHere = isKeptHere || this.#training?.isWaiting === true;
    this.#savedNote.hidden = !isOnlyHere && !this.#training;
    setText(this.#savedText, isOnlyHere ? "Workout saved on this device" : "Workout saved");
    this.#waiting.replaceChildren(...(this.#net.writes.waiting.some(this.#isMine) ? [waitingLine("summary-waiting")] : []));
  }

  /** The training, or null for one that the server does not have and that nothing sends. */
  async #fetch() {
    const account = this.#net.account?.id;
    const record = await this.#records.get(account, this.#id).catch(() => null);
    if (record && isUnsent(this.#net, record)) return shownTraining(this.#net, record);
    const training = await this.#net.read("training.get", { training: this.#id }).catch((error) => {
      if (record && isUnstarted(record) && error.isNotFound) return null;
      throw error;
    });
    if (!training) {
      // The page of the session reads the record.
      this.#noteTimer?.keepNow();
      await this.#recordEdits;
      return null;
    }
    if (record?.state === "finished" && training.state === "finished") await this.#records.remove(account, this.#id).catch(() => {});
    const { startedAt = null } = this.#net.writes.find("training.edit", this.#id) ?? {};
    if (!startedAt) return training;
    const shown = withDuration(training);
    if (keptAt(training) !== null) noteKept(shown, keptAt(training));
    return shown;
  }

  #fail(error) {
    // A workout that was there was deleted on another device.
    if (!error.isNotFound && (this.#training || isOnlyOffline(error, this.#net))) return;
    this.#training = null;
    this.#drawn = "";
    this.#noteTimer?.cancel();
    this.#drawWaiting();
    setText(this.#heading, "Summary");
    this.#kept.draw(null);
    keepFocus(this.#place, () => this.#place.replaceChildren(error.isNotFound
      ? emptyState({ id: "summary-gone", iconElement: icon("history"), title: "This workout isn't here",
        text: "It was deleted, or it isn't yours.", action: h("a", { class: "button", href: "/trainings" }, "See past workouts") })
      : loadProblem({ id: "summary-problem", title: "Couldn't load this workout", text: error.message,
        again: () => this.#loader.load() })));
  }

  #draw(training) {
    // The page of the session sends the start and the end again, or says why the server refuses them.
    if (training?.state !== "finished") return void this.#app.router.go(`/training/${this.#id}`, { replace: true });
    this.#kept.draw(keptAt(training));
    this.#training = training;
    this.#drawWaiting();
    // The field of the note would lose the focus for a moment, while the person types.
    const drawn = JSON.stringify({ ...training, note: null });
    if (drawn === this.#drawn) return undefined;
    this.#drawn = drawn;
    setText(this.#heading, training.plan.title);
    const { isWaiting = false } = training;
    this.#note ??= this.#makeNote(training.note ?? "");
    const coolDown = videoList(training.plan.videos.filter(({ section }) => section === "coolDown"), "Cool-down videos");
    const { id: focused = "" } = document.activeElement ?? {};
    // After its set was removed, a button is gone: the one of its exercise is next to it.
    const fallback = () => document.getElementById(focused) ?? document.getElementById(addSetID(this.#changedEntry));
    keepFocus(this.#place, () => this.#place.replaceChildren(
      summaryFigures(training, h("button", { class: "button small-button", type: "button", id: "edit-times",
        "aria-label": "Change date and time", onclick: () => this.#editTimes() }, icon("edit"), "Change")), this.#note,
      h("div", { class: "workout-grid" },
        doneSets(training, { change: (id, change) => this.#change(id, change), add: (entry) => this.#add(entry) }),
        h("div", { class: "stack" }, caloriesCard(training, { isWaiting, recalculate: () => this.#recalculate() }),
          pulseSummary(training, isWaiting ? null : makePulseEntry(this.#app, training, { changed: () => this.#loader.load() })),
          coolDown ? h("section", { class: "card stack tight", "aria-label": "Cool down" }, h("h2", {}, "Cool down"), coolDown) : null)),
      h("div", { class: "row" }, training.workout ? h("a", { class: "button", href: `/workouts/${training.workout}` }, icon("strength"),
        "The workout") : null,
        h("a", { class: "button", href: "/trainings" }, icon("history"), "Past workouts"),
        h("button", { class: "button danger", type: "button", id: "delete-training", onclick: () => this.#delete() }, icon("bin"),
          "Delete"))), fallback);
    return undefined;
  }

  #makeNote(note) {
    const field = makeField({ name: "note", label: "Note", rows: 3, value: note, maxlength: noteCharactersMax,
      placeholder: "How did it go?", id: "training-note" });
    let saved = note;
    const save = (edit) => {
      const value = field.input.value.trim();
      // A training that was deleted on another device takes no note any more.
      if (value === saved || this.#drawn === "" || !this.#net.account) return;
      saved = value;
      edit({ note: value });
    };
    // A request would not be sent any more. This is before the timer's own listener.
    addEventListener("pagehide", () => save((change) => {
      this.#net.writes.writeKept("training.edit", this.#editParams(change));
      if (this.#training?.isWaiting) this.#editRecord(change);
    }), { signal: this.#end.signal });
    // A note that was refused is sent again with its next change, or when the page is left.
    const send = (change) => this.#edit(change).catch((error) => {
      if (saved === change.note) saved = null;
      throw error;
    });
    this.#noteTimer = new DraftTimer(() => save((change) => this.#saved.run(() => send(change))), { wait: typedMilliseconds });
    field.input.addEventListener("input", () => this.#noteTimer.changed());
    field.input.addEventListener("change", () => this.#noteTimer.keepNow());
    return h("div", { class: "stack tight" }, field.element, this.#saved.element);
  }

  // MARK: changes

  /** Resolves to the reply, or to null when the change waits. */
  async #edit(change) {
    const isKept = this.#training?.isWaiting === true && await this.#editRecord(change);
    // The server refused the start: the change goes with it when it is sent again.
    if (isKept && this.#net.state !== "live" && !this.#net.writes.waiting.some(this.#isMine)) return null;
    return this.#net.writes.write("training.edit", this.#editParams(change));
  }

  /** Changes the record of a training that the server may refuse, one change after the other. Resolves to whether there is one. */
  #editRecord(change) {
    const account = this.#net.account?.id;
    this.#recordEdits = this.#recordEdits.then(async () => {
      const record = await this.#records.get(account, this.#id);
      if (!record || !isUnstarted(record)) return false;
      await this.#records.put(recordWithEdit(record, change));
      return true;
    }).catch(() => false);
    return this.#recordEdits;
  }

  #editParams(change) {
    return editParams(this.#id, this.#net.writes.find("training.edit", this.#id), change);
  }

  async #send(set) {
    if (!set) return;
    const { sets: before } = this.#training;
    this.#changedEntry = set.entry;
    const isNew = !before.some(({ id }) => id === set.id);
    const sets = isNew ? [...before, set] : before.map((one) => (one.id === set.id ? set : one));
    await attempt(async () => {
      const reply = await this.#edit({ sets: [set] });
      if (!this.#end.signal.aborted) this.#draw(reply ?? { ...this.#training, sets });
      return reply;
    }, "Workout saved");
  }

  #change(id, change) {
    return this.#send(changedSet(this.#training, id, change, this.#net.clock.now()));
  }

  #add(entry) {
    return this.#send(addedSet(this.#training, entry, uuid(), this.#net.clock.now()));
  }

  #editTimes() {
    openTimesDialog({ training: this.#training, now: () => this.#net.clock.now(), save: (times) => attempt(async () => {
      const reply = await this.#edit(times);
      if (!this.#end.signal.aborted) this.#draw(reply ?? withDuration({ ...this.#training, ...times }));
      return reply;
    }, "Workout saved") });
  }

  #recalculate() {
    return attempt(async () => {
      const training = await this.#net.request("training.recalculate", { training: this.#id });
      if (!this.#end.signal.aborted) this.#draw(training);
      return training;
    }, "Recalculated with your current body data.");
  }

  #delete() {
    return confirmThen({
      id: "delete-training-dialog", title: "Delete this workout?", confirm: "Delete", danger: true,
      text: "Its sets, calories and heart rate are deleted. You can't undo this.",
    }, async () => {
      const reply = await this.#net.writes.write("training.remove", { training: this.#id });
      await this.#records.remove(this.#net.account?.id, this.#id).catch(() => {});
      this.#app.router.go("/trainings", { replace: true });
      return reply;
    }, "Workout deleted.");
  }
}
