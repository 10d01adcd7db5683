// One session of the history: its route, its figures, splits, why points did not count, its audience, its title and its end. After a
// stop it is the finish page: with the session saved and how far the month's goal is.

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { h, setText, toast } from "../kit/dom.js";
import { activityNames, monthFirst, time24 } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeGoalCard } from "./goalcard.js";
import { hiddenNote } from "./hiddenroute.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { waitingLine } from "../kit/saved.js";
import { RouteMap } from "./routemap.js";
import { details, figures, reasons, whatNext } from "./sessionparts.js";
import { makeSessionEdit } from "../tracking/sessionedit.js";
import { makeShareControls } from "../tracking/sharecontrols.js";
import { splitsCard } from "./splits.js";

/** Shows `/history/:id`; with `finished` in the query as the finish page. */
export function show(root, { id, query }, app) {
  if (!app.net.account) {
    app.router.go(`/login?next=/history/${encodeURIComponent(id)}`, { replace: true });
    return undefined;
  }
  const page = new SessionPage(app, { id: Number(id), isFinish: query?.has("finished") ?? false });
  root.append(page.element);
  page.load();
  return () => page.close();
}

/** The page of one session. */
class SessionPage {
  element;

  #app; #net; #id; #isFinish;
  #ending = new AbortController();
  /** The map and the goal as drawn, or null. */
  #map = null;
  #goal = null;
  /** Whether the page shows an error that may pass. */
  #mayPass = false;
  #heading = h("h1", { tabindex: "-1" }, "Session");
  #subtitle;
  #editing = h("div", {});
  #place = h("div", { class: "stack" });
  #kept = makeKeptNote("session-kept");
  #waiting = h("div", {});

  constructor(app, { id, isFinish }) {
    this.#app = app;
    this.#net = app.net;
    this.#id = id;
    this.#isFinish = isFinish;
    this.#subtitle = loading(app.net);
    this.element = h("div", { class: "page stack session-page" },
      isFinish
        ? h("p", { class: "notice good", id: "saved-note" }, icon("finished"), h("strong", {}, "Session successfully saved"))
        : h("p", {}, h("a", { href: "/history", class: "back" }, "← History")),
      h("div", { class: "session-head" }, h("div", { class: "grow" }, this.#heading, this.#subtitle, this.#waiting), this.#editing),
      this.#kept.element,
      this.#place);
    const { signal } = this.#ending;
    // More points of it may have been uploaded.
    app.tracker.addEventListener("history", () => this.load(), { signal });
    followWaiting(this.#net.writes, this.#isMine, () => this.#waitingChanged(), signal);
    // The audience is the one before again.
    this.#net.writes.addEventListener("refused", ({ detail: { method, params } }) => {
      if (method === "tracking.audience" && params.session === this.#id) this.load();
    }, { signal });
    this.#net.addEventListener("state", () => { if (this.#mayPass && this.#net.state === "live") this.load(); }, { signal });
  }

  async load() {
    try {
      const result = await this.#net.read("tracking.session", { session: this.#id });
      if (this.#isClosed) return;
      const at = keptAt(result);
      this.#mayPass = at !== null;
      this.#kept.draw(at);
      this.#draw(result);
    } catch (error) {
      if (this.#isClosed) return;
      this.#mayPass = error.isTransient;
      if (isOnlyOffline(error, this.#net)) return;
      setText(this.#subtitle, "");
      this.#place.replaceChildren(
        h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
        error.isTransient
          ? h("button", { class: "button", type: "button", onclick: () => this.load() }, "Try again")
          : h("a", { class: "button", href: "/history" }, "See history"));
    }
  }

  #isMine = ({ method, subject }) => subject === this.#id && ["tracking.rename", "tracking.delete"].includes(method);

  #waitingChanged() {
    this.#drawWaiting();
    // A title that was not taken is the one before again.
    if (this.#net.state === "live" && !this.#net.writes.waiting.some(this.#isMine)) this.load();
  }

  #drawWaiting() {
    const isDeletion = this.#net.writes.find("tracking.delete", this.#id) !== null;
    const isWaiting = this.#net.writes.waiting.some(this.#isMine);
    this.#editing.hidden = isDeletion;
    this.#waiting.replaceChildren(isDeletion ? h("p", { class: "notice warn", id: "session-deleting" }, icon("bin"),
      h("span", { class: "grow" }, "This session is deleted when you're back online."),
      h("button", { class: "button small-button", type: "button", id: "keep-session", onclick: () => this.#keepSession() }, "Keep it"))
      : isWaiting ? waitingLine("session-waiting") : "");
  }

  /** Gives up the deletion, unless the server may have done it. */
  #keepSession() {
    if (this.#net.writes.drop("tracking.delete", this.#id)) return;
    toast("It may be deleted already.");
  }

  close() {
    this.#ending.abort();
    this.#goal?.close();
    this.#map?.close();
  }

  get #isClosed() { return this.#ending.signal.aborted; }

  #draw({ session, route, notCounted, hidden, splits }) {
    this.#map?.close();
    this.#goal?.close();
    this.#goal = this.#isFinish ? makeGoalCard(this.#app, { isWhole: false }) : null;
    this.#map = session.points > 0 ? new RouteMap(this.#app, { route, hidden }) : null;
    const ended = session.endedAt ?? session.startedAt;
    const isOwn = session.owner.id === this.#net.account?.id;
    this.#drawTitle(session);
    this.#drawWaiting();
    const activity = activityNames[session.activity] ?? session.activity;
    setText(this.#subtitle, `${activity} · ${monthFirst(ended)} · ended ${time24(ended)}`);
    if (isOwn) this.#drawEditing(session);
    this.#place.replaceChildren(
      figures(session), this.#map?.element ?? timeOnly(), hiddenNote(hidden), splitsCard(splits, session.activity),
      this.#goal?.element ?? "", this.#isFinish ? whatNext() : "", details(session), ...reasons(notCounted),
      isOwn ? makeShareControls({ net: this.#net, session: session.id, audience: session.audience }) : "");
  }

  /** The buttons stay when the page is drawn again. */
  #drawEditing(session) {
    if (this.#editing.firstChild) return;
    this.#editing.append(makeSessionEdit({
      net: this.#net, session,
      onRenamed: (renamed) => { if (!this.#isClosed) this.#drawTitle(renamed); },
      // To the history, unless the reader is on another page already.
      onDeleted: () => { if (!this.#isClosed) this.#app.router.go("/history", { replace: true }); },
    }));
  }

  #drawTitle({ title }) {
    setText(this.#heading, title);
    document.title = this.#app.titled(title);
  }
}

function timeOnly() {
  return h("p", { class: "notice", id: "time-only" }, icon("clock"), h("span", {}, "Recorded without location: time only."));
}
