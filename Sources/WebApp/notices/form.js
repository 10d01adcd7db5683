// The form of a notice: a new one, and the correction of one that was sent (N-7).

import { FormDraft, confirmStartAfresh, draftNote } from "../kit/formdraft.js";
import { refusalText } from "../events/formparts.js";
import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { uuid } from "../client/uuid.js";
import { noticeDrafts } from "./drafts.js";
import { makeNoticeFields } from "./fields.js";
import { audiencesFor, detailsOfNotice, emptyNotice, fieldOfNoticeServer, noticeProblems, valuesOfNotice } from "./formvalues.js";
import { NoticeLook } from "./look.js";
import { audienceOfValues, PersonFinder, ReachLine } from "./reachline.js";
import { peopleText, toText } from "./words.js";

const previewAfterMilliseconds = 400;
const previewEveryMilliseconds = 20_000;
/** States of a notice that can no longer be corrected. */
const overTexts = { withdrawn: "This notice was withdrawn. Send a new one.", expired: "This notice has expired. Send a new one." };

/** Serves `/notices/new`, with `?event=ID` for the people of that event, and `/notices/sent/:id/edit`. */
export function show(root, { id, query }, app) {
  if (!requireSignIn(app, location.pathname + location.search)) return undefined;
  const kind = formKind(id === undefined ? null : Number(id), query);
  const audiences = audiencesFor(app.net.account.role, { hasEvent: kind.event !== null });
  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack notice-form-page" }, h("p", {}, h("a", { href: kind.backPath, class: "back" }, kind.backLabel)),
    h("h1", { tabindex: "-1" }, kind.heading), place));
  if (kind.number === null && audiences.length === 0) {
    place.append(...notAllowed());
    return undefined;
  }
  const page = new NoticeFormPage(place, { ...kind, audiences }, app);
  return () => page.close();
}

/**
 * `{number, event, draftKey, backPath, backLabel, heading}`: `number` is that of the notice to correct, or null; `event` is that of the
 * event whose people a new one is for, or null.
 */
function formKind(number, query) {
  const event = number === null ? Number(query.get("event")) || null : null;
  if (number !== null) {
    const labels = { backLabel: "← The notice", heading: "Correct a notice" };
    return { number, event, draftKey: `correct-${number}`, backPath: `/notices/sent/${number}`, ...labels };
  }
  if (event !== null) {
    const labels = { backLabel: "← The event", heading: "Message attendees" };
    return { number, event, draftKey: `event-${event}`, backPath: `/events/${event}`, ...labels };
  }
  return { number, event, draftKey: "new", backPath: "/notices", backLabel: "← Notices", heading: "New notice" };
}

function notAllowed() {
  const text = "Only admins and lecturers can send notices. To message attendees, open your event.";
  return [h("p", { class: "notice warn", id: "notice-form-closed" }, icon("warning"), h("span", {}, text)),
    h("p", {}, h("a", { class: "button", href: "/notices" }, "See all notices"))];
}

class NoticeFormPage {
  #app;
  #kind;
  #end = new AbortController();
  #draft;
  #finder;
  /** Status of the notice that is corrected, as the server has it; null for a new one. */
  #base = null;
  #eventName = null;
  /** The same for each try, so that it is one notice however often it is sent. */
  #clientId = uuid();
  #isSending = false;
  #fields = null;
  #previewTimer = 0;

  #place;
  #banner = h("div", { class: "stack" });
  #look;
  #reach;
  #problem = h("p", { class: "problem", role: "alert", id: "notice-form-problem" });
  #submit = h("button", { class: "button primary big", type: "submit", id: "send-notice" });

  constructor(place, kind, app) {
    const { net } = app;
    this.#app = app;
    this.#kind = kind;
    this.#place = place;
    this.#finder = new PersonFinder(net);
    this.#look = new NoticeLook(app);
    this.#reach = new ReachLine(net, () => this.#isClosed);
    this.#draft = new FormDraft({
      net, drafts: noticeDrafts, key: kind.draftKey,
      contents: () => this.#fields && { clientId: this.#clientId, values: this.#fields.values },
    });
    net.addEventListener("state", () => {
      this.#reach.forget();
      if (net.state === "live") this.#preview();
    }, { signal: this.#end.signal });
    leaveWhenSignedOut(app, this.#end.signal);
    this.#load();
  }

  close() {
    this.#draft.close();
    this.#end.abort();
    clearTimeout(this.#previewTimer);
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  get #isNew() {
    return this.#kind.number === null;
  }

  // MARK: loading

  async #load() {
    const { net, events } = this.#app;
    const { number, event } = this.#kind;
    this.#place.replaceChildren(loading(net));
    try {
      const [status, about] = await Promise.all([
        this.#isNew ? null : net.request("notices.status", { notice: number }), event === null ? null : events.get(event),
      ]);
      if (this.#isClosed) return;
      this.#base = status;
      this.#eventName = about?.details.title ?? null;
      const over = overTexts[status?.state];
      if (over) this.#drawOver(over);
      else this.#draw();
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    }
  }

  #drawOver(text) {
    this.#place.replaceChildren(h("p", { class: "notice warn" }, icon("warning"), text),
      h("p", {}, h("a", { class: "button", href: this.#kind.backPath }, "Back")));
  }

  #fail(error) {
    const wayOn = error.isTransient
      ? h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again")
      : h("a", { class: "button", href: "/notices" }, "See all notices");
    this.#place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
      h("p", {}, wayOn));
  }

  // MARK: drawing

  get #original() {
    const { event, audiences } = this.#kind;
    const now = this.#app.net.clock.now();
    return this.#base ? valuesOfNotice(this.#base, now) : emptyNotice(now, event === null ? audiences[0].id : "event");
  }

  #draw() {
    const kept = this.#draft.read();
    if (kept?.clientId) this.#clientId = kept.clientId;
    this.#fields = this.#makeFields({ ...this.#original, ...kept?.values });
    this.#banner.replaceChildren(...(kept ? [draftNote(kept.at, () => this.#startAfresh())] : []));
    const form = h("form", { id: "notice-form", class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      this.#send();
    } }, this.#fields.element,
    h("section", { class: "card stack", "aria-label": "Preview" }, h("h2", {}, "Preview"),
      this.#look.element, this.#reach.element),
    h("div", { class: "save-bar" }, this.#problem, h("div", { class: "row" }, this.#submit)));
    this.#place.replaceChildren(this.#banner, form);
    this.#drawLook();
    this.#preview();
  }

  #makeFields(values) {
    const { net } = this.#app;
    const campus = net.campus ?? this.#app.lastCampus();
    return makeNoticeFields({
      values, audiences: this.#kind.audiences, zones: campus?.zones ?? [], isNew: this.#isNew, mayDisturb: net.account?.role === "admin",
      event: this.#eventName, changed: () => this.#touched(),
      audienceText: this.#base ? toText({ to: this.#base.audience }, { campus, isMine: false }).text : "",
    });
  }

  #touched() {
    setText(this.#problem, "");
    this.#draft.touch();
    this.#drawLook();
    clearTimeout(this.#previewTimer);
    this.#previewTimer = setTimeout(() => this.#preview(), previewAfterMilliseconds);
  }

  #drawLook() {
    const { values } = this.#fields;
    const { level, when } = values;
    this.#look.draw({ values, audience: this.#audience, base: this.#base, again: () => this.#drawLook() });
    const label = when === "later" ? "Schedule" : level === "emergency" ? "Send emergency" : "Send";
    this.#submit.replaceChildren(icon("send"), this.#isNew ? label : "Send correction");
    this.#submit.classList.toggle("danger", level === "emergency");
  }

  async #startAfresh() {
    const sure = await confirmStartAfresh({ isNew: true, thing: "notice" });
    if (!sure || this.#isClosed) return;
    this.#draft.forget();
    this.#clientId = uuid();
    this.#banner.replaceChildren();
    this.#fields.set(this.#original);
    this.#drawLook();
    this.#preview();
  }

  // MARK: audience

  /** The audience of the form, or null while it is not chosen. */
  get #audience() {
    return this.#base ? this.#base.audience : audienceOfValues(this.#fields.values, { event: this.#kind.event, finder: this.#finder });
  }

  /** Finds the account that the form names, if it names one. Throws an error with a message for its field. */
  async #findPerson({ audience, person }) {
    if (!this.#isNew || audience !== "user") return;
    const note = await this.#finder.find(person.trim());
    if (note !== null) this.#fields.sayPerson(note);
  }

  /** Draws the number of people, now and at an interval. */
  async #preview() {
    clearTimeout(this.#previewTimer);
    if (this.#isClosed || !this.#fields) return;
    this.#previewTimer = setTimeout(() => {
      this.#reach.forget();
      this.#preview();
    }, previewEveryMilliseconds);
    const { values } = this.#fields;
    if (this.#isNew && values.audience === "user") {
      try {
        await this.#findPerson(values);
      } catch (error) {
        if (!this.#isClosed && !error.isTransient) this.#fields.setProblems({ person: error.message }, { focuses: false });
      }
      if (this.#isClosed) return;
      this.#drawLook();
    }
    await this.#reach.draw(this.#audience);
  }

  // MARK: sending

  async #send() {
    if (this.#isSending) return;
    const { net } = this.#app;
    const { values } = this.#fields;
    const publishedAt = this.#base ? Date.parse(this.#base.publishAt) : undefined;
    const problems = noticeProblems(values, net.clock.now(), { isNew: this.#isNew, publishedAt });
    this.#fields.setProblems(problems);
    setText(this.#problem, "");
    if (Object.keys(problems).length > 0) return;
    this.#draft.keep();
    this.#setSending(true);
    try {
      await this.#sendValues(values);
    } catch (error) {
      if (!this.#isClosed) await this.#refused(error);
    } finally {
      this.#setSending(false);
    }
  }

  #setSending(isSending) {
    this.#isSending = isSending;
    this.#submit.disabled = isSending;
  }

  async #sendValues(values) {
    try {
      await this.#findPerson(values);
    } catch (error) {
      if (error.isTransient) throw error;
      this.#fields.setProblems({ person: error.message });
      return;
    }
    const audience = this.#base ? this.#base.audience : audienceOfValues(values, { event: this.#kind.event, finder: this.#finder });
    if (values.level === "emergency" && !(await this.#askEmergency(audience))) return;
    const sent = await this.#store(values, audience);
    this.#draft.forget();
    if (this.#isClosed) return;
    toast(sent.state === "scheduled" ? "Scheduled." : this.#isNew ? "Sent." : "Corrected.");
    this.#app.router.go(`/notices/sent/${sent.notice.number}`, { replace: true });
  }

  async #askEmergency(audience) {
    let counts = this.#reach.reachOf(audience);
    try {
      counts = await this.#app.net.request("notices.preview", { audience });
    } catch {
      // The counts that are known suffice.
    }
    const people = counts && audience.kind !== "event" ? peopleText(counts.people) : "everyone it is for";
    return confirmDialog({
      id: "emergency-dialog", title: this.#isNew ? "Send an emergency?" : "Correct as an emergency?", danger: true,
      confirm: this.#isNew ? "Send emergency" : "Send correction",
      text: `It interrupts ${people} right away, even during a session and at night. `
        + "Only send it when someone is in danger.",
    });
  }

  async #store(values, audience) {
    const { net } = this.#app;
    const details = detailsOfNotice(values, { isNew: this.#isNew });
    if (!this.#isNew) {
      this.#base = await net.request("notices.correct", { notice: this.#kind.number, revision: this.#base.notice.revision, ...details });
      return this.#base;
    }
    const sent = await net.request("notices.publish", { id: this.#clientId, audience, ...details });
    // An earlier try arrived with another text: it is that notice.
    return saysTheSame(sent.notice, details) ? sent : net.request("notices.correct", {
      notice: sent.notice.number, revision: sent.notice.revision, title: details.title, ...(details.body && { body: details.body }),
      level: details.level,
    });
  }

  async #refused(error) {
    if (!error.isConflict || error.data?.field !== "revision") return this.#drawRefusal(error);
    try {
      this.#base = await this.#app.net.request("notices.status", { notice: this.#kind.number });
      setText(this.#problem, `Someone else corrected this notice. It now says: “${this.#base.notice.title}”. `
      + "Press the button again to replace it with yours.");
    } catch (again) {
      this.#drawRefusal(again);
    }
    return undefined;
  }

  #drawRefusal(error) {
    const field = fieldOfNoticeServer(error.data?.field);
    if (field) {
      this.#fields.setProblems({ [field]: error.message });
      return;
    }
    setText(this.#problem, refusalText(error, "notice"));
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}

function saysTheSame({ title, body = "", level }, details) {
  return title === details.title.normalize("NFC") && body === (details.body ?? "").normalize("NFC") && level === details.level;
}
