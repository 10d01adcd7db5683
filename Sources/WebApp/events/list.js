// Events in the order of time, day by day, with filters (N-5).

import { announce, emptyState, h } from "../kit/dom.js";
import { count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { isOnlyOffline, loadProblem } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { waitingText } from "../kit/saved.js";
import { openCalendar } from "./calendar.js";
import { FilterBar } from "./filterbar.js";
import { filterOf, forgetLists, groupsByDay, isFiltered, ListPages, pathOf } from "./listmodel.js";
import { eventRow, rowSig } from "./row.js";
import { Suggestions } from "./suggestions.js";

/** Lists are drawn at this interval: an event that began moves to "under way". */
const tickMilliseconds = 30_000;
/** Changes that arrive together load the list once. */
const reloadAfterMilliseconds = 200;

const emptyWords = {
  all: ["No events yet", "Events on campus and from your buddies appear here."],
  coming: ["Nothing planned", "Events you answer with Going or Maybe appear here."],
  invited: ["No open invitations", "When someone invites you, you can answer here."],
  saved: ["Nothing saved", "Save an event to find it here."],
  own: ["No events of yours", "Create one: a run, a workout, a meet-up."],
};

/** Serves `/events`, with `?which=`, `kind=`, `zone=` and `q=`. */
export function show(root, { query }, app) {
  const page = new EventListPage(root, query, app);
  return () => page.close();
}

class EventListPage {
  #app;
  #isGuest;
  #end = new AbortController();
  #ticker;
  #reloadTimer = 0;
  #pages;
  #workouts;
  #hasOptions = false;
  /** Why the list could not be loaded, or null. */
  #problem = null;
  #isLoading = false;
  /** Counts loads: an answer to any but the last is ignored. */
  #generation = 0;
  /** Key of a day → its rows. */
  #rows = new Map();

  #bar;
  #suggestions;
  #days = h("div", { class: "event-days", id: "event-list" });
  #sections = new KeyedChildren(this.#days);
  #status = h("div", { class: "event-status" });
  #note = makeKeptNote("event-note");
  #waiting = h("ul", { class: "rows", id: "events-waiting", "aria-label": waitingText });
  #more;

  constructor(root, query, app) {
    const { net, events } = app;
    this.#app = app;
    this.#isGuest = !net.account;
    this.#workouts = events.kept.workouts;
    this.#pages = new ListPages({ net, kept: events.kept });
    this.#suggestions = new Suggestions(app);
    this.#bar = new FilterBar({
      filter: filterOf(query, { isGuest: this.#isGuest }), isGuest: this.#isGuest, campus: () => net.campus ?? app.lastCampus(),
      changed: (filter) => this.#filterChanged(filter),
    });
    this.#more = h("button", {
      class: "button wide", type: "button", id: "more-events", hidden: true, onclick: () => this.#load({ isMore: true }),
    }, "Show more");
    this.#pages.recall(this.#filter);
    root.append(h("div", { class: "page stack events-page" }, this.#head(), this.#isGuest ? guestNote() : null, this.#bar.element,
      this.#note.element, this.#waiting, this.#suggestions.element, this.#days, this.#status, this.#more));
    this.#listen();
    this.#drawFilters();
    this.#load();
  }

  close() {
    this.#end.abort();
    clearInterval(this.#ticker);
    clearTimeout(this.#reloadTimer);
    this.#bar.close();
  }

  get #filter() {
    return this.#bar.filter;
  }

  get #isClosed() {
    return this.#end.signal.aborted;
  }

  #head() {
    const tools = () => h("div", { class: "row" },
      h("button", {
        class: "icon-button", type: "button", id: "my-calendar", "aria-label": "Calendar link",
        title: "Calendar link", onclick: () => openCalendar(this.#app),
      }, icon("calendar")),
      h("a", { class: "button primary", href: "/events/new", id: "new-event" }, icon("plus"), "New event"));
    return h("div", { class: "events-head" }, h("h1", { tabindex: "-1" }, "Events"), this.#isGuest ? null : tools());
  }

  #listen() {
    const { net, events, router } = this.#app;
    const { signal } = this.#end;
    events.addEventListener("event", ({ detail }) => this.#take(detail), { signal });
    events.addEventListener("gone", ({ detail }) => {
      forgetLists();
      if (!this.#pages.list) return;
      this.#pages.remove(detail);
      this.#draw();
    }, { signal });
    events.addEventListener("renew", () => this.#reloadSoon(), { signal });
    net.writes.addEventListener("change", () => this.#draw(), { signal });
    events.addEventListener("invitations", () => this.#drawFilters(), { signal });
    net.addEventListener("state", () => {
      this.#drawFilters();
      if (net.state === "live" && (this.#problem || !this.#pages.list)) this.#load();
      else this.#draw();
    }, { signal });
    net.addEventListener("account", () => router.go(location.pathname + location.search, { replace: true }), { signal });
    this.#ticker = setInterval(() => this.#draw(), tickMilliseconds);
  }

  #filterChanged(filter) {
    history.replaceState(history.state, "", pathOf(filter));
    this.#pages.recall(filter);
    this.#problem = null;
    this.#drawFilters();
    this.#load();
  }

  #take(event) {
    const events = this.#pages.list?.events;
    this.#suggestions.update(event);
    const found = events?.find(({ id }) => id === event.id);
    // A new one, or one that goes to another position of the list.
    if (!found || found.details.startsAt !== event.details.startsAt) return this.#reloadSoon();
    this.#pages.setEvents(this.#filter, events.map((other) => (other.id === event.id ? event : other)));
    return this.#draw();
  }

  // MARK: loading

  #reloadSoon() {
    clearTimeout(this.#reloadTimer);
    this.#reloadTimer = setTimeout(() => this.#load(), reloadAfterMilliseconds);
  }

  async #load({ isMore = false } = {}) {
    const mine = ++this.#generation;
    const isCurrent = () => mine === this.#generation && !this.#isClosed;
    const filter = this.#filter;
    this.#isLoading = true;
    this.#draw();
    try {
      if (!this.#hasOptions) await this.#loadOptions(isCurrent);
      const answer = isCurrent() ? await this.#pages.request(filter, { isMore, isCurrent }) : null;
      if (answer === null) return;
      this.#pages.take(filter, answer.list, this.#workouts);
      this.#problem = null;
      this.#isLoading = false;
      this.#draw();
      this.#announce(answer, isMore);
      if (!isMore) this.#loadSuggestions();
    } catch (error) {
      if (!isCurrent()) return;
      this.#isLoading = false;
      this.#problem = error;
      this.#draw();
    }
  }

  async #loadOptions(isCurrent) {
    ({ workouts: this.#workouts } = await this.#app.events.options());
    this.#hasOptions = true;
    if (isCurrent()) this.#drawFilters();
  }

  #announce({ list, firstNew }, isMore) {
    if (isMore) {
      announce("More events added.");
      this.#days.querySelector(`[data-event="${firstNew}"] a`)?.focus();
    } else if (isFiltered(this.#filter)) announce(`${count(list.events.length, "event")}${list.next ? " or more" : ""} found.`);
  }

  async #loadSuggestions() {
    if (this.#isGuest || !this.#wantsSuggestions) this.#suggestions.clear();
    else if (!(await this.#suggestions.load()) || this.#isClosed) return;
    this.#drawSuggestions(this.#app.net.clock.now());
  }

  get #wantsSuggestions() {
    return this.#filter.which === "all" && !isFiltered(this.#filter);
  }

  // MARK: drawing

  #drawFilters() {
    this.#bar.draw({ workouts: this.#workouts, invitations: this.#app.events.invitations.length });
  }

  #draw() {
    if (this.#isClosed) return;
    const { net } = this.#app;
    const { list } = this.#pages;
    const now = net.clock.now();
    const groups = groupsByDay(list?.events ?? [], now);
    this.#sections.draw(groups.map(({ heading }) => ({ key: heading.key, sig: heading.title, make: () => this.#daySection(heading) })));
    for (const { heading, events } of groups) this.#drawRows(heading.key, events, now);
    for (const key of this.#rows.keys()) if (!groups.some(({ heading }) => heading.key === key)) this.#rows.delete(key);
    this.#more.hidden = !list?.next;
    this.#more.disabled = this.#isLoading;
    this.#note.draw(list && (this.#problem || net.state !== "live") ? list.at : null);
    const { waiting, deleted } = this.#app.events;
    this.#waiting.hidden = waiting.length + deleted.length === 0;
    this.#waiting.replaceChildren(...waiting.map(newRow), ...deleted.map(deletedRow));
    this.#drawStatus(groups.length === 0 && waiting.length === 0);
    this.#drawSuggestions(now);
  }

  #daySection({ key, title, date }) {
    const rows = h("ul", { class: "event-rows" });
    this.#rows.set(key, new KeyedChildren(rows));
    const heading = h("h2", { class: "event-date" }, title, date ? h("span", { class: "muted" }, date) : null);
    return h("section", { class: "event-group", dataset: { day: title } }, heading, rows);
  }

  #drawRows(day, events, now) {
    const isInvited = this.#filter.which === "invited";
    const make = (event) => eventRow(event, {
      app: this.#app, workouts: this.#workouts, now, withAnswers: isInvited && event.state === "published",
    });
    this.#rows.get(day).draw(events.map((event) => ({
      key: event.id, sig: `${isInvited} ${rowSig(event, now)}`, make: () => make(event),
    })));
  }

  #drawSuggestions(now) {
    this.#suggestions.draw({ isWanted: this.#wantsSuggestions, workouts: this.#workouts, now });
  }

  #drawStatus(isEmpty) {
    const { list } = this.#pages;
    this.#days.setAttribute("aria-busy", String(this.#isLoading));
    if (!list && this.#problem && !isOnlyOffline(this.#problem, this.#app.net)) {
      const { message: text } = this.#problem;
      this.#status.replaceChildren(loadProblem({
        id: "events-problem", title: "Couldn't load events", text, again: () => this.#load(),
      }));
    } else if (!list) this.#status.replaceChildren(loading(this.#app.net, { id: "events-loading" }));
    else if (isEmpty) this.#status.replaceChildren(this.#emptyState());
    else this.#status.replaceChildren();
  }

  #emptyState() {
    const isNothingFound = isFiltered(this.#filter);
    const [title, text] = isNothingFound
      ? ["No results", "No upcoming events match these filters."]
      : emptyWords[this.#filter.which];
    const action = isNothingFound ? this.#clearButton() : this.#isGuest ? null : this.#wayOn();
    return emptyState({ id: "events-empty", iconElement: icon("events"), title, text, action });
  }

  #clearButton() {
    return h("button", { class: "button", type: "button", id: "clear-filters", onclick: () => this.#bar.clear() }, "Clear filters");
  }

  #wayOn() {
    if (["all", "own"].includes(this.#filter.which)) return h("a", { class: "button", href: "/events/new" }, icon("plus"), "Create event");
    return h("button", { class: "button", type: "button", onclick: () => this.#bar.change({ which: "all" }) }, "See all events");
  }
}

function guestNote() {
  return h("div", { class: "notice event-guest", id: "event-guest" }, icon("events"),
    h("div", { class: "grow" }, h("strong", {}, "These are public campus events."),
      h("p", {}, "Log in to answer, save events and see events from your buddies.")),
    h("a", { class: "button small-button primary", href: "/login?next=/events" }, "Log in"));
}

/** A new event that waits. */
function newRow({ id, details: { title, startsAt, place } }) {
  return waitingRow(id, title, `${dayText(startsAt)}, ${timeText(startsAt)} · ${place.name} · ${waitingText}`);
}

/** A deleted draft that waits. */
function deletedRow({ id, title }) {
  return waitingRow(id, title, `Deleted. ${waitingText}`);
}

function waitingRow(id, title, text) {
  return h("li", { class: "row-item", dataset: { waiting: id } }, icon("waiting"),
    h("div", { class: "grow" }, h("strong", {}, title), h("p", { class: "muted small" }, text)));
}
