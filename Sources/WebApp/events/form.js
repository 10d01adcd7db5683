// The form of an event: a new one, and changes of one (C-4).

import { h, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { FormDraft, confirmStartAfresh, draftNote } from "../kit/formdraft.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { uuid } from "../client/uuid.js";
import { eventDrafts } from "./drafts.js";
import { conflictNote } from "./eventnotes.js";
import { makeEventFields } from "./fields.js";
import { refusalText } from "./formparts.js";
import { planWorkout, withDraft, workoutIn, withWorkout } from "./forworkout.js";
import { detailsOf, emptyValues, eventProblems, fieldOfServer, sameDetails, valuesOf } from "./formvalues.js";
import { timeOf } from "./times.js";
import { closedReason, differences } from "./words.js";

/** Serves `/events/new` and `/events/:id/edit`. */
export function show(root, { id, query }, app) {
  if (!requireSignIn(app, location.pathname + location.search)) return undefined;
  const page = new EventFormPage(root, id === undefined ? null : Number(id), app, id === undefined ? workoutIn(query) : null);
  return () => page.close();
}

class EventFormPage {
  #app;
  /** Number of the event, null for a new one. */
  #id;
  #backPath;
  #end = new AbortController();
  #draft;
  #options = null;
  /** The workout that a new event is for, or null. */
  #workout;
  /** The event as the server has it, null for a new one. */
  #base = null;
  /** The same for each try, so that it is one event however often it is sent. */
  #clientId = uuid();
  #isSending = false;
  #fields = null;
  #submits = [];

  #place = h("div", { class: "stack" });
  #banner = h("div", { class: "stack" });
  #conflict = h("div", {});
  #problem = h("p", { class: "problem", role: "alert", id: "event-form-problem" });

  constructor(root, id, app, workout) {
    this.#app = app;
    this.#id = id;
    this.#workout = workout;
    this.#backPath = workout ? `/workouts/${workout.id}` : id === null ? "/events" : `/events/${id}`;
    this.#draft = new FormDraft({
      net: app.net, drafts: eventDrafts, key: workout ? `workout ${workout.id}` : id ?? "new",
      contents: () => this.#fields && {
        clientId: this.#clientId, revision: this.#base?.revision ?? null, values: this.#fields.values, planned: this.#workout?.at ?? null,
      },
    });
    const back = h("a", { href: this.#backPath, class: "back" },
      workout ? "← The workout" : id === null ? "← Events" : "← The event");
    root.append(h("div", { class: "page stack event-form-page" }, h("p", {}, back),
      h("h1", { tabindex: "-1" }, id === null ? "New event" : "Edit event"), this.#place));
    app.events.addEventListener("event", ({ detail }) => this.#take(detail), { signal: this.#end.signal });
    leaveWhenSignedOut(app, this.#end.signal);
    this.#load();
  }

  close() {
    this.#draft.close();
    this.#end.abort();
    this.#fields?.close();
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  /** The event was changed elsewhere. */
  #take(event) {
    if (event.id !== this.#id || this.#isSending || !this.#base || event.revision <= this.#base.revision) return;
    if (event.state === "cancelled") this.#load();
    else if (this.#draft.isTouched) this.#drawConflict(event);
    else {
      this.#base = event;
      this.#fields?.set(valuesOf(event));
    }
  }

  // MARK: loading

  async #load() {
    const { net, events } = this.#app;
    this.#place.replaceChildren(loading(net));
    try {
      const [options, found] = await Promise.all([events.options(), this.#id === null ? null : this.#find()]);
      if (this.#isClosed) return;
      this.#options = options;
      this.#base = found;
      const reason = found && this.#reasonAgainst(found);
      if (reason) this.#drawClosed(reason);
      else this.#draw();
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    }
  }

  /** The event as the server has it, or without a connection as this device has it. */
  async #find() {
    const { net, events } = this.#app;
    try {
      return await events.get(this.#id);
    } catch (error) {
      const kept = isOnlyOffline(error, net) ? events.kept.event(this.#id) : null;
      if (kept) return kept.event;
      throw error;
    }
  }

  /** Why this person cannot change the event now, or a false value. */
  #reasonAgainst(event) {
    if (!event.mine.owns) return "Only the host can change an event.";
    return event.state !== "draft" && closedReason(event, this.#app.net.clock.now());
  }

  #drawClosed(reason) {
    this.#place.replaceChildren(h("p", { class: "notice warn", id: "event-form-closed" }, icon("warning"), reason),
      h("p", {}, h("a", { class: "button", href: this.#backPath }, "Back")));
  }

  #fail(error) {
    const message = error.isNotFound ? "This event doesn't exist, or you can't see it." : error.message;
    const wayOn = error.isTransient
      ? h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again")
      : h("a", { class: "button", href: "/events" }, "See all events");
    this.#place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, message)), h("p", {}, wayOn));
  }

  // MARK: drawing

  get #original() {
    if (this.#base) return valuesOf(this.#base);
    const values = emptyValues(this.#app.net.clock.now());
    return this.#workout ? withWorkout(values, this.#workout, this.#options.workouts) : values;
  }

  #draw() {
    const kept = this.#draft.read();
    if (kept?.clientId) this.#clientId = kept.clientId;
    this.#fields = makeEventFields({
      app: this.#app, values: kept ? withDraft(this.#original, kept, this.#workout) : this.#original, workouts: this.#options.workouts,
      mayAnnounce: this.#options.mayAnnounce, isNew: this.#id === null, changed: () => this.#touched(),
    });
    this.#banner.replaceChildren(...(kept ? [draftNote(kept.at, () => this.#startAfresh())] : []));
    const form = h("form", { id: "event-form", class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      this.#send(true);
    } }, this.#fields.element, this.#saveBar());
    this.#place.replaceChildren(this.#banner, form);
    // The event was changed since the draft was kept.
    if (this.#base && kept && kept.revision !== null && kept.revision !== this.#base.revision) this.#drawConflict(this.#base);
  }

  #saveBar() {
    const isDraft = !this.#base || this.#base.state === "draft";
    const publish = h("button", { class: "button primary big", type: "submit", id: "publish" },
      icon("send"), isDraft ? "Publish" : "Save changes");
    const save = isDraft
      ? h("button", { class: "button big", type: "button", id: "save-draft", onclick: () => this.#send(false) }, "Save as draft")
      : null;
    this.#submits = [publish, save].filter(Boolean);
    return h("div", { class: "save-bar" }, this.#conflict, this.#problem,
      h("p", { class: "hint" }, isDraft ? "Only you see a draft." : notifiedText(this.#base)),
      h("div", { class: "row" }, publish, save));
  }

  #touched() {
    setText(this.#problem, "");
    this.#draft.touch();
  }

  async #startAfresh() {
    const sure = await confirmStartAfresh({ isNew: this.#id === null, thing: "event" });
    if (!sure || this.#isClosed) return;
    this.#draft.forget();
    this.#clientId = uuid();
    this.#banner.replaceChildren();
    this.#conflict.replaceChildren();
    this.#fields.set(this.#original);
  }

  /** Shows how an event that somebody else changed differs from the form: the person chooses one of the two. */
  #drawConflict(theirs) {
    const { values } = this.#fields;
    const hasTime = timeOf(values.date, values.time) !== null;
    const mine = { ...detailsOf(values), ...(!hasTime && { startsAt: theirs.details.startsAt }) };
    const changes = differences(mine, theirs.details, { workouts: this.#options.workouts, now: this.#app.net.clock.now() });
    this.#conflict.replaceChildren(conflictNote(changes, {
      keepMine: () => {
        this.#base = theirs;
        this.#conflict.replaceChildren();
        this.#draft.keep();
        this.#send(true);
      },
      takeTheirs: () => {
        this.#base = theirs;
        this.#draft.forget();
        this.#conflict.replaceChildren();
        this.#banner.replaceChildren();
        this.#fields.set(valuesOf(theirs));
      },
    }));
  }

  // MARK: sending

  async #send(publish) {
    if (this.#isSending) return;
    const { net, router } = this.#app;
    const { values } = this.#fields;
    const problems = eventProblems(values, net.clock.now());
    this.#fields.setProblems(problems);
    setText(this.#problem, "");
    if (Object.keys(problems).length > 0) return;
    this.#draft.keep();
    this.#setSending(true);
    try {
      const wasPublished = this.#base?.state === "published";
      const event = await this.#store(values, publish);
      this.#draft.forget();
      if (this.#workout) await planWorkout(net, this.#workout, event, detailsOf(values)).catch((error) => toast(error.message));
      if (this.#isClosed) return;
      if (event === null) {
        router.go(this.#id === null ? "/events?which=own" : `/events/${this.#id}`, { replace: true });
        return;
      }
      toast(event.state === "draft" ? "Draft saved." : wasPublished ? "Saved. Everyone involved will be notified." : "Published.");
      router.go(`/events/${event.id}`, { replace: true });
    } catch (error) {
      if (!this.#isClosed) await this.#refused(error);
    } finally {
      this.#setSending(false);
    }
  }

  #setSending(isSending) {
    this.#isSending = isSending;
    for (const button of this.#submits) button.disabled = isSending;
  }

  /** Resolves to null when it waits for the connection. */
  async #store(values, publish) {
    const { events } = this.#app;
    const details = detailsOf(values);
    const draft = { clientId: this.#clientId, revision: this.#base?.revision ?? null, values };
    let event;
    if (this.#id === null) {
      event = await events.create({ id: this.#clientId, audience: values.audience, details, publish }, draft);
      if (event === null) return null;
      // An earlier try arrived with other details: it is that event.
      if (!sameDetails(event.details, details)) event = await events.update(event.id, event.revision, details);
    } else {
      event = sameDetails(this.#base.details, details) ? this.#base
        : await events.update(this.#id, this.#base.revision, details, draft);
      if (event === null) return publish && this.#base.state === "draft" ? events.publish(this.#id) : null;
      this.#base = event;
    }
    return publish && event.state === "draft" ? events.publish(event.id) : event;
  }

  async #refused(error) {
    if (!error.isConflict || error.data?.field !== "revision") return this.#drawRefusal(error, fieldOfServer(error.data?.field));
    try {
      const theirs = await this.#app.events.get(this.#id);
      if (this.#isClosed) return undefined;
      this.#drawConflict(theirs);
      document.getElementById("event-conflict").focus();
    } catch (again) {
      this.#drawRefusal(again, null);
    }
    return undefined;
  }

  #drawRefusal(error, field) {
    if (field) {
      this.#fields.setProblems({ [field]: error.message });
      return;
    }
    setText(this.#problem, refusalText(error, "event"));
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}

/** The people who are notified of a change of a published event. */
function notifiedText({ going, maybe, waiting }) {
  const answers = going + maybe + waiting;
  if (answers === 0) return "Everyone involved will be notified of the change.";
  if (answers === 1) return "The person who answered will be notified of the change.";
  return `${count(answers, "person", "people")} who answered will be notified of the change.`;
}
