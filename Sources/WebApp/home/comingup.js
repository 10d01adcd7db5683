// For the start page: invitations without an answer, and the next events of the account (C-4).

import { KeyedChildren } from "../kit/keyed.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadingText, makeKeptNote } from "../kit/loading.js";
import { eventRow, rowSig } from "../events/row.js";
import { phaseOf, startOf } from "../events/times.js";

const comingMax = 5;
const invitationsMax = 3;
/** Changes that arrive together load the events once. */
const reloadAfterMilliseconds = 200;
const tickMilliseconds = 30_000;

/** `{element, close}`: two sections; that of invitations is hidden without one. */
export function makeComingUp(app) {
  return new ComingUp(app);
}

class ComingUp {
  #app;
  #end = new AbortController();
  #ticker;
  #reloadTimer = 0;
  #workouts;
  /** The next events, or null before the first answer. */
  #coming;
  #hasMore = false;
  #isLoaded = false;
  /** Why the events could not be loaded, or null. */
  #problem = null;

  #invitedList = h("ul", { class: "event-rows" });
  #comingList = h("ul", { class: "event-rows" });
  #invitedRows = new KeyedChildren(this.#invitedList);
  #comingRows = new KeyedChildren(this.#comingList);
  #invitedMore = moreLink("/events?which=invited", "All invitations");
  #comingMore = moreLink("/events?which=coming", "All upcoming");
  #note = h("p", { class: "muted", role: "status" });
  #keptNote = makeKeptNote("coming-note");
  #invited = h("section", { class: "stack home-part", id: "home-invitations", hidden: true },
    h("h2", {}, "Invitations"), this.#invitedList, this.#invitedMore);

  constructor(app) {
    const { kept } = app.events;
    this.#app = app;
    this.#workouts = kept.workouts;
    this.#coming = kept.list("home")?.events ?? null;
    const head = h("div", { class: "home-part-head" }, h("h2", {}, "Upcoming"),
      h("a", { class: "now-link", href: "/events" }, "All events", icon("arrow")));
    const coming = h("section", { class: "stack home-part", id: "home-coming" },
      head, this.#keptNote.element, this.#comingList, this.#note, this.#comingMore);
    this.element = h("div", { class: "home-events" }, this.#invited, coming);
    this.#listen();
    this.#draw();
    this.#load();
  }

  close() {
    this.#end.abort();
    clearTimeout(this.#reloadTimer);
    clearInterval(this.#ticker);
  }

  #listen() {
    const { net, events } = this.#app;
    const { signal } = this.#end;
    for (const name of ["event", "gone", "renew"]) events.addEventListener(name, () => this.#reloadSoon(), { signal });
    events.addEventListener("invitations", () => this.#draw(), { signal });
    net.addEventListener("state", () => {
      if (net.state === "live" && (this.#problem || !this.#isLoaded)) this.#load();
      else this.#draw();
    }, { signal });
    this.#ticker = setInterval(() => this.#draw(), tickMilliseconds);
  }

  #reloadSoon() {
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = setTimeout(() => this.#load(), reloadAfterMilliseconds);
  }

  async #load() {
    const { net, events } = this.#app;
    try {
      const [options, coming] = await Promise.all([events.options(), net.request("events.list", { which: "coming", limit: comingMax })]);
      this.#workouts = options.workouts;
      this.#coming = coming.events;
      this.#hasMore = Boolean(coming.next);
      this.#problem = null;
      this.#isLoaded = true;
      events.kept.putList("home", this.#coming, this.#workouts, Date.now());
    } catch (error) {
      this.#problem = error;
    }
    this.#draw();
  }

  #draw() {
    if (this.#end.signal.aborted) return;
    const now = this.#app.net.clock.now();
    this.#drawInvitations(now);
    this.#drawComing(now);
  }

  #drawInvitations(now) {
    const open = this.#app.events.invitations.filter((event) => phaseOf(event, now) !== "over");
    this.#invited.hidden = open.length === 0;
    this.#invitedMore.hidden = open.length <= invitationsMax;
    this.#invitedRows.draw(open.slice(0, invitationsMax).map((event) => ({
      key: event.id, sig: `${this.#workouts.length} ${rowSig(event, now)}`, make: () => this.#row(event, now, { withAnswers: true }),
    })));
  }

  #drawComing(now) {
    const { net, events } = this.#app;
    const shown = (this.#coming ?? []).filter((event) => phaseOf(event, now) !== "over").sort((a, b) => startOf(a) - startOf(b));
    this.#comingRows.draw(shown.map((event) => ({ key: event.id, sig: rowSig(event, now), make: () => this.#row(event, now) })));
    this.#comingMore.hidden = !this.#hasMore;
    this.#keptNote.draw(this.#coming && net.state !== "live" ? events.kept.list("home")?.at ?? null : null);
    this.#note.hidden = shown.length > 0;
    this.#note.textContent = this.#noteText();
  }

  #row(event, now, { withAnswers = false } = {}) {
    return eventRow(event, { app: this.#app, workouts: this.#workouts, now, withDay: true, withAnswers });
  }

  #noteText() {
    if (this.#coming) return "Nothing planned yet. See all events, or create your own.";
    return this.#problem ? "Couldn't load your events. They'll appear when you're back online." : loadingText(this.#app.net);
  }
}

function moreLink(href, label) {
  return h("a", { class: "now-link", href, hidden: true }, label, icon("arrow"));
}
