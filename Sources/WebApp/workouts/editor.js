// The editor of a workout: a new one, and changes of one (W-2).

import { uuid } from "../client/uuid.js";
import { h, setText, toast } from "../kit/dom.js";
import { FormDraft, confirmStartAfresh, draftNote } from "../kit/formdraft.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { workoutDrafts } from "./drafts.js";
import { PlanFields } from "./planfields.js";
import { emptyPlan, planProblems, samePlan, savedPlan, withSections } from "./plan.js";
import { keepSaved, localWorkout } from "./saving.js";

await loadStyles("/app/workouts/workouts.css");

/** Serves `/workouts/new` and `/workouts/:id/edit`. */
export function show(root, { id }, app) {
  if (!requireSignIn(app, location.pathname)) return undefined;
  const page = new WorkoutEditor(app, id ?? null);
  root.append(page.element);
  page.start();
  return () => page.close();
}

class WorkoutEditor {
  element;

  #app; #net; #id; #draft;
  #end = new AbortController();
  /** The workout as the server has it, null for a new one. */
  #base = null;
  /** The same for each try, so that it is one workout however often it is sent. */
  #newId = uuid();
  #fields = null;
  #isSending = false;

  #place = h("div", { class: "stack" });
  #banner = h("div", {});
  #conflict = h("div", {});
  #problem = h("p", { class: "problem", role: "alert", id: "workout-form-problem" });
  #save = h("button", { class: "button primary big", type: "submit", id: "save-workout" }, icon("tick"), "Save workout");

  constructor(app, id) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#draft = new FormDraft({
      net: app.net, drafts: workoutDrafts, key: id ?? "new",
      contents: () => this.#fields && {
        newId: this.#newId, revision: this.#base?.revision ?? null, plan: this.#fields.plan, exercises: this.#fields.exercises,
      },
    });
    const back = h("a", { href: id === null ? "/workouts" : `/workouts/${encodeURIComponent(id)}`, class: "back" }, id === null
      ? "← Workouts" : "← The workout");
    this.element = h("div", { class: "page stack workout-editor" }, h("p", {}, back),
      h("h1", { tabindex: "-1" }, id === null ? "New workout" : "Edit workout"), this.#place);
  }

  start() {
    leaveWhenSignedOut(this.#app, this.#end.signal);
    this.#load();
  }

  close() {
    this.#draft.close();
    this.#end.abort();
    this.#fields?.close();
  }

  get #isClosed() { return this.#end.signal.aborted; }

  async #load() {
    this.#place.replaceChildren(loading(this.#net));
    try {
      this.#base = this.#id === null ? null : await this.#net.read("workouts.get", { workout: this.#id });
      if (!this.#isClosed) this.#draw();
    } catch (error) {
      if (this.#isClosed || isOnlyOffline(error, this.#net)) return;
      const message = error.isNotFound ? "This workout doesn't exist any more." : error.message;
      this.#place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, message)),
        h("p", {}, error.isTransient ? h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again")
          : h("a", { class: "button", href: "/workouts" }, "See all workouts")));
    }
  }

  get #original() {
    return withSections(this.#base?.plan ?? emptyPlan());
  }

  #draw() {
    const kept = this.#draft.read();
    if (kept?.newId) this.#newId = kept.newId;
    this.#fields = new PlanFields(this.#app, {
      plan: kept ? withSections(kept.plan) : this.#original, exercises: [...this.#base?.exercises ?? [], ...kept?.exercises ?? []],
      changed: () => this.#touched(),
    });
    this.#banner.replaceChildren(...(kept ? [draftNote(kept.at, () => this.#startAfresh())] : []));
    const form = h("form", { class: "stack", id: "workout-form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.#send();
    } }, this.#fields.element, h("div", { class: "save-bar" }, this.#conflict, this.#problem, h("div", { class: "row" }, this.#save)));
    this.#place.replaceChildren(this.#banner, form);
    if (this.#base && kept && kept.revision !== null && kept.revision !== this.#base.revision) this.#drawConflict(this.#base);
  }

  #touched() {
    setText(this.#problem, "");
    this.#draft.touch();
  }

  async #startAfresh() {
    const sure = await confirmStartAfresh({ isNew: this.#id === null, thing: "workout" });
    if (!sure || this.#isClosed) return;
    this.#draft.forget();
    this.#newId = uuid();
    this.#banner.replaceChildren();
    this.#conflict.replaceChildren();
    this.#fields.set(this.#original);
  }

  /** The workout was changed on another device: the person chooses one of the two. */
  #drawConflict(theirs) {
    this.#conflict.replaceChildren(h("div", { class: "notice warn conflict", id: "workout-conflict", tabindex: "-1" }, icon("warning"),
      h("div", { class: "grow stack tight" }, h("strong", {}, "This workout was changed on another device."),
        h("p", { class: "small" }, `There it's called “${theirs.plan.title}”. Keep your version, or use the one that was saved there.`),
        h("div", { class: "row" },
          h("button", { class: "button small-button", type: "button", id: "keep-mine", onclick: () => {
            this.#base = theirs;
            this.#conflict.replaceChildren();
            this.#draft.keep();
            this.#send();
          } }, "Keep mine"),
          h("button", { class: "button small-button", type: "button", id: "take-theirs", onclick: () => {
            this.#base = theirs;
            this.#draft.forget();
            this.#conflict.replaceChildren();
            this.#banner.replaceChildren();
            this.#fields.set(withSections(theirs.plan), theirs.exercises);
          } }, "Use the other")))));
  }

  // MARK: sending

  async #send() {
    if (this.#isSending) return;
    const { plan, exercises } = this.#fields;
    const problems = planProblems(plan);
    this.#fields.setProblems(problems);
    setText(this.#problem, "");
    if (Object.keys(problems).length > 0) return;
    this.#draft.keep();
    this.#isSending = true;
    this.#save.disabled = true;
    try {
      const id = this.#id ?? this.#newId;
      if (!this.#base || !samePlan(this.#base.plan, plan)) await this.#store(id, savedPlan(plan), exercises);
      this.#draft.forget();
      if (!this.#isClosed) this.#app.router.go(`/workouts/${id}`, { replace: true });
    } catch (error) {
      if (!this.#isClosed) await this.#refused(error);
    } finally {
      this.#isSending = false;
      this.#save.disabled = false;
    }
  }

  async #store(id, plan, exercises) {
    // A workout that this device alone has is still a new one.
    const revision = this.#base?.isLocal ? undefined : this.#base?.revision;
    const saved = await this.#net.writes.write("workouts.save", { id, plan, ...(revision !== undefined && { revision }) });
    if (saved) toast("Workout saved");
    else {
      const shown = { ...plan, ...(this.#fields.destinationName && { destinationName: this.#fields.destinationName }) };
      keepSaved(this.#net, localWorkout({ id, plan: shown, exercises, now: this.#net.clock.now(), before: this.#base }));
    }
  }

  async #refused(error) {
    if (error.isConflict && this.#id !== null) {
      try {
        const theirs = await this.#net.request("workouts.get", { workout: this.#id });
        if (this.#isClosed) return;
        this.#drawConflict(theirs);
        document.getElementById("workout-conflict").focus();
        return;
      } catch {
        // Then the refusal itself is what can be said.
      }
    }
    setText(this.#problem, error.message);
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}
