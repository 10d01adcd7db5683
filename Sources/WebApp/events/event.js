// The page of an event: when and where it is, the people who come, the reader's answer, and the tools of its owner.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { AnswerCard } from "./answercard.js";
import { EventFacts } from "./eventfacts.js";
import { EventNotes } from "./eventnotes.js";
import { EventTools } from "./eventtools.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { OwnerCard } from "./ownercard.js";
import { PeopleCard } from "./peoplecard.js";
import { eventTags, kindBadge } from "./row.js";
import { audienceTags } from "./words.js";

/** The server publishes no counts of an event: a visible page asks for them at this interval. */
const tickMilliseconds = 20_000;

/** Serves `/events/:id`. */
export function show(root, { id }, app) {
  const page = new EventPage(root, id, app);
  return () => page.close();
}

class EventPage {
  #app;
  #given;
  #id;
  #scope;
  #end = new AbortController();
  #ticker;
  /** The event as shown; null before the first answer and after a failure. */
  #event = null;
  #people = null;
  #workouts;
  /** Time of the device when the server sent the event, in ms. */
  #receivedAt = null;

  #top = h("div", { class: "event-badges" });
  #heading = h("h1", { tabindex: "-1" }, "Event");
  #keptNote = makeKeptNote("event-kept");
  #notes = new EventNotes();
  #status;
  #grid;
  #facts;
  #answer;
  #tools;
  #ownerCard;
  #peopleCard;

  constructor(root, given, app) {
    const { net, events } = app;
    const changed = (event) => this.#replace(event);
    this.#app = app;
    this.#given = given;
    this.#id = Number(given);
    this.#scope = app.pictures.scope();
    this.#workouts = events.kept.workouts;
    this.#facts = new EventFacts(app, this.#scope);
    this.#answer = new AnswerCard(app, { changed });
    this.#tools = new EventTools(app, { changed });
    this.#ownerCard = new OwnerCard(app, this.#scope, { people: () => this.#people ?? [], invited: () => this.#loadPeople() });
    this.#peopleCard = new PeopleCard(this.#scope, { account: () => net.account?.id });
    this.#status = h("div", {}, loading(net));
    this.#grid = h("div", { class: "event-grid", hidden: true }, h("div", { class: "stack event-main" }, this.#facts.element),
      h("div", { class: "stack event-side" },
        this.#answer.element, this.#ownerCard.element, this.#peopleCard.element, this.#tools.element));
    root.append(h("div", { class: "page stack event-page" }, h("p", {}, h("a", { href: "/events", class: "back" }, "← Events")),
      h("header", { class: "event-head" }, this.#top, this.#heading),
      this.#keptNote.element, this.#status, this.#notes.element, this.#grid));
    this.#listen();
    if (Number.isSafeInteger(this.#id) && this.#id > 0) {
      this.#showKept();
      this.#load();
    } else this.#showMissing();
  }

  close() {
    this.#end.abort();
    clearInterval(this.#ticker);
    this.#facts.close();
    this.#scope.close();
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  #listen() {
    const { net, events, router } = this.#app;
    const { signal } = this.#end;
    events.addEventListener("event", ({ detail }) => {
      // The first one comes with the colours of the kinds of workouts.
      if (detail.id !== this.#id || !this.#event) return;
      this.#take(detail, { isNews: true });
      this.#loadPeople();
    }, { signal });
    events.addEventListener("gone", ({ detail }) => {
      if (detail === this.#id) this.#showMissing();
    }, { signal });
    events.addEventListener("waiting", ({ detail }) => {
      if (detail === this.#id && this.#event) this.#replace(events.withWaiting(this.#event));
    }, { signal });
    events.addEventListener("renew", () => this.#load(), { signal });
    net.addEventListener("state", () => {
      this.#drawAge();
      if (net.state === "live") this.#load();
    }, { signal });
    net.addEventListener("account", () => router.go(location.pathname, { replace: true }), { signal });
    this.#ticker = setInterval(() => this.#tick(), tickMilliseconds);
  }

  #tick() {
    const { net, events } = this.#app;
    if (!this.#event) return;
    this.#draw();
    if (net.state === "live" && !this.#answer.isSending && document.visibilityState === "visible") events.get(this.#id).catch(() => {});
  }

  // MARK: loading

  async #load() {
    const { events } = this.#app;
    try {
      const [options, found] = await Promise.all([events.options(), events.get(this.#id)]);
      if (this.#isClosed) return;
      this.#workouts = options.workouts;
      this.#take(found);
      this.#loadPeople();
    } catch (error) {
      if (this.#isClosed) return;
      if (!this.#event || error.isNotFound) this.#fail(error);
      else this.#drawAge();
    }
  }

  async #loadPeople() {
    const { net } = this.#app;
    if (!net.account || !this.#event) return;
    try {
      ({ people: this.#people } = await net.request("events.people", { event: this.#id }));
      if (!this.#isClosed && this.#event) this.#peopleCard.draw(this.#people, { isOwner: this.#event.mine.owns });
    } catch {
      // The counts suffice; the people come with the next change.
    }
  }

  /** Shows the device's copy until the server answers. */
  #showKept() {
    const { net, events } = this.#app;
    const kept = events.kept.event(this.#id);
    if (!kept || net.state === "live") return;
    this.#event = kept.event;
    this.#receivedAt = kept.at;
    this.#draw();
  }

  /** Shows a revision of the server; with `isNews` also its differences from the one before. */
  #take(next, { isNews = false } = {}) {
    const before = this.#event;
    if (before && next.revision < before.revision) return;
    this.#event = next;
    this.#receivedAt = Date.now();
    const isChange = isNews && before && before.revision !== next.revision;
    if (isChange && next.state === "published" && before.state === "published") {
      this.#notes.drawChange(before, next, { workouts: this.#workouts, now: this.#app.net.clock.now() });
    }
    this.#draw();
  }

  /** Shows the event with a change of the reader, before or after the server confirmed it. */
  #replace(next) {
    if (this.#isClosed || !this.#event) return;
    this.#event = next;
    this.#draw();
  }

  // MARK: drawing

  #draw() {
    const event = this.#event;
    const now = this.#app.net.clock.now();
    const title = this.#app.titled(event.details.title);
    this.#drawAge();
    this.#status.replaceChildren();
    this.#grid.hidden = false;
    setText(this.#heading, event.details.title);
    if (document.title !== title) document.title = title;
    const badges = [kindBadge(event.details.workout, this.#workouts), h("span", { class: "event-tag" }, audienceTags[event.audience])];
    this.#top.replaceChildren(...[...badges, ...eventTags(event, now)].filter(Boolean));
    this.#notes.drawState(event, now, { isWaiting: this.#app.events.isChangeWaiting(event.id) });
    this.#facts.draw(event, { workouts: this.#workouts, now });
    this.#answer.draw(event, now);
    this.#tools.draw(event);
    this.#ownerCard.draw(event, now);
  }

  #drawAge() {
    this.#keptNote.draw(this.#event && this.#app.net.state !== "live" ? this.#receivedAt : null);
  }

  #fail(error) {
    if (isOnlyOffline(error, this.#app.net)) return;
    if (error.isNotFound || error.isInvalid) this.#showMissing();
    else this.#showProblem("Event", error.message, [this.#wayOn(error)]);
  }

  #showMissing() {
    const { net } = this.#app;
    const login = `/login?next=/events/${encodeURIComponent(this.#given)}`;
    this.#showProblem("Event not found", "This event doesn't exist, or you can't see it.",
      [this.#wayOn({ isTransient: false }), net.account ? null : h("a", { class: "button primary", href: login }, "Log in")]);
  }

  #wayOn({ isTransient }) {
    if (!isTransient) return h("a", { class: "button", href: "/events" }, "See all events");
    return h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again");
  }

  #showProblem(heading, message, ways) {
    this.#event = null;
    this.#drawAge();
    this.#grid.hidden = true;
    setText(this.#heading, heading);
    this.#top.replaceChildren();
    this.#notes.clear();
    this.#status.replaceChildren(
      h("p", { class: "notice bad", id: "event-problem", role: "alert" }, icon("warning"), h("span", {}, message)),
      h("p", { class: "row event-retry" }, ...ways));
  }
}
