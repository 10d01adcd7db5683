// Events in the order of time, day by day, with filters (N-5).

import { announce, emptyState, h } from "../kit/dom.js";
import { dayHeading, phaseOf, startOf } from "./times.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { openCalendar } from "./dialogs.js";
import { eventRow, rowSig } from "./row.js";
import { KeyedChildren } from "../kit/keyed.js";
import { makeKeptNote } from "./keptnote.js";
import { loading } from "../kit/loading.js";

const pageSize = 20;
const searchCharactersMax = 100;
const searchAfterMilliseconds = 350;
/** Lists are drawn anew so often: what begins meanwhile moves to "under way". */
const tickMilliseconds = 30_000;
const suggestedMax = 3;
/** A page may be shorter than asked for and not the last: so many are asked for at once. */
const pagesAtOnceMax = 12;
const reasons = { buddies: "A buddy goes", interest: "Your kind of training", place: "Where you often are" };

const views = [["all", "All"], ["coming", "Coming"], ["invited", "Invited"], ["saved", "Saved"], ["own", "Mine"]];
const emptyWords = {
  all: ["No events yet", "What is planned on campus and among your buddies is listed here."],
  coming: ["You have nothing planned", "Events you answer with Going or Maybe are listed here."],
  invited: ["No open invitations", "When somebody invites you, you answer here."],
  saved: ["Nothing saved", "Save an event on its page to find it here again."],
  own: ["You have made no events", "Make one: a run, a training, a meet-up."],
};

/** The last list of each filter, for coming back from an event's page. */
const remembered = new Map();
const rememberedMax = 8;

export function show(root, { query }, app) {
  const { net, events, router } = app;
  const account = net.account?.id ?? null;
  const filter = { which: account === null ? "all" : known(query?.get("which")), workout: query?.get("kind") ?? "", zone: query?.get("zone") ?? "", text: (query?.get("q") ?? "").slice(0, searchCharactersMax) };
  let { workouts } = events.kept;
  let hasOptions = false;
  let list = recall();
  let suggested = [];
  let problem = null;
  let isLoading = false;
  let generation = 0;
  let closed = false;
  let searchTimer = 0;

  const search = h("input", { class: "input search-input", type: "search", id: "event-search", placeholder: "Search", "aria-label": "Search events", maxlength: searchCharactersMax, autocomplete: "off", value: filter.text, oninput: () => searchChanged() });
  const zone = h("select", { id: "event-zone", "aria-label": "Zone", onchange: () => change({ zone: zone.value }) });
  const whichRow = h("div", { class: "event-views", role: "group", "aria-label": "Which events" });
  const kindRow = h("div", { class: "event-kinds", role: "group", "aria-label": "Kind of workout" });
  const suggestions = h("section", { class: "event-suggested", id: "event-suggested", "aria-label": "Suggested for you", hidden: true });
  const days = h("div", { class: "event-days", id: "event-list" });
  const status = h("div", { class: "event-status" });
  const note = makeKeptNote("event-note");
  const more = h("button", { class: "button wide", type: "button", id: "more-events", hidden: true, onclick: () => load({ isMore: true }) }, "Show more");
  const invitation = account === null ? h("div", { class: "notice event-guest", id: "event-guest" }, icon("events"), h("div", { class: "grow" }, h("strong", {}, "These are the events of the campus."), h("p", {}, "Log in to answer, to save events, and to see those of your buddies.")),
    h("a", { class: "button small-button primary", href: "/login?next=/events" }, "Log in")) : null;
  root.append(h("div", { class: "page stack events-page" },
    h("div", { class: "events-head" }, h("h1", { tabindex: "-1" }, "Events"),
      account === null ? null : h("div", { class: "row" }, h("button", { class: "icon-button", type: "button", id: "my-calendar", "aria-label": "My events in my calendar", title: "My events in my calendar", onclick: () => openCalendar(app) }, icon("calendar")),
        h("a", { class: "button primary", href: "/events/new", id: "new-event" }, icon("plus"), "New event"))),
    invitation,
    h("div", { class: "event-filters" }, account === null ? null : whichRow,
      h("div", { class: "event-find" }, h("div", { class: "search-box" }, icon("search"), search), zone), kindRow),
    note.element, suggestions, days, status, more));

  function known(which) {
    return views.some(([id]) => id === which) ? which : "all";
  }

  function keyOf() {
    return JSON.stringify([account, filter]);
  }

  function recall() {
    const known = remembered.get(keyOf()) ?? (isFiltered() ? null : events.kept.list(filter.which));
    return known && { next: null, ...known };
  }

  function remember() {
    remembered.delete(keyOf());
    remembered.set(keyOf(), list);
    while (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value);
  }

  // MARK: filters

  function change(part) {
    clearTimeout(searchTimer);
    Object.assign(filter, part);
    const given = new URLSearchParams(Object.entries({ which: filter.which === "all" ? "" : filter.which, kind: filter.workout, zone: filter.zone, q: filter.text }).filter(([, value]) => value !== ""));
    history.replaceState(history.state, "", given.size > 0 ? `/events?${given}` : "/events");
    list = recall();
    problem = null;
    drawFilters();
    load();
  }

  function searchChanged() {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => change({ text: search.value.trim() }), searchAfterMilliseconds);
  }

  const toggle = ({ label, isOn, onclick, data, colour = null, number = 0 }) => {
    const button = h("button", { class: "chip-button", type: "button", "aria-pressed": String(isOn), dataset: data, onclick }, colour ? h("span", { class: "kind-dot", "aria-hidden": "true" }) : null, label,
      number > 0 ? h("span", { class: "unread number" }, String(number), h("span", { class: "visually-hidden" }, " open")) : null);
    if (colour) button.style.setProperty("--kind", colour);
    return button;
  };

  function drawFilters() {
    const focused = document.activeElement?.closest?.(".event-views, .event-kinds") ? document.activeElement.dataset : null;
    whichRow.replaceChildren(...views.map(([id, label]) => toggle({ label, isOn: filter.which === id, data: { which: id }, number: id === "invited" ? events.invitations.length : 0, onclick: () => change({ which: id }) })));
    const isKept = kindRow.childElementCount === workouts.length + 1;
    const left = kindRow.scrollLeft;
    kindRow.replaceChildren(...(workouts.length === 0 ? [] : [toggle({ label: "All kinds", isOn: filter.workout === "", data: { kind: "" }, onclick: () => change({ workout: "" }) }),
      ...workouts.map(({ id, label, colour }) => toggle({ label, colour, isOn: filter.workout === id, data: { kind: id }, onclick: () => change({ workout: filter.workout === id ? "" : id }) }))]));
    if (isKept) kindRow.scrollLeft = left;
    else reveal(kindRow);
    reveal(whichRow);
    const campus = net.campus ?? app.lastCampus();
    zone.replaceChildren(h("option", { value: "" }, "All zones"), ...(campus?.zones ?? []).map(({ id, name }) => h("option", { value: id, selected: String(id) === filter.zone }, name)));
    if (focused) (focused.which === undefined ? kindRow.querySelector(`[data-kind="${CSS.escape(focused.kind)}"]`) : whichRow.querySelector(`[data-which="${CSS.escape(focused.which)}"]`))?.focus({ preventScroll: true });
  }

  /** Brings what is chosen into a row that scrolls sideways; the page stays where it is. */
  function reveal(row) {
    const chosen = row.querySelector("[aria-pressed=true]")?.getBoundingClientRect();
    const box = row.getBoundingClientRect();
    if (chosen && (chosen.left < box.left || chosen.right > box.right)) row.scrollLeft += chosen.left - box.left - (box.width - chosen.width) / 2;
  }

  function isFiltered() {
    return filter.workout !== "" || filter.zone !== "" || filter.text !== "";
  }

  // MARK: loading

  async function load({ isMore = false } = {}) {
    const mine = ++generation;
    isLoading = true;
    draw();
    try {
      if (!hasOptions) {
        ({ workouts } = await events.options());
        hasOptions = true;
        if (mine !== generation || closed) return;
        drawFilters();
      }
      const params = { limit: pageSize, ...(filter.which !== "all" && { which: filter.which }), ...(filter.workout && { workout: filter.workout }), ...(Number(filter.zone) > 0 && { zone: Number(filter.zone) }), ...(filter.text && { text: filter.text }) };
      // As many as were shown, so that nothing goes from under the finger.
      const wanted = isMore ? list.events.length + 1 : Math.max(pageSize, list?.events.length ?? 0);
      let found = isMore ? list.events : [];
      let next = isMore ? list.next : null;
      let firstNew = null;
      for (let page = 0; page < pagesAtOnceMax; page++) {
        const reply = await net.request("events.list", { ...params, ...(next && { after: next }) });
        if (mine !== generation || closed) return;
        firstNew ??= reply.events[0]?.id ?? null;
        const ids = new Set(found.map(({ id }) => id));
        found = [...found, ...reply.events.filter(({ id }) => !ids.has(id))];
        next = reply.next ?? null;
        if (!next || found.length >= wanted) break;
      }
      list = { events: found, next, at: Date.now() };
      if (!isFiltered()) events.kept.putList(filter.which, found, workouts, list.at);
      problem = null;
      remember();
      isLoading = false;
      draw();
      if (isMore) {
        announce("More events are shown.");
        days.querySelector(`[data-event="${firstNew}"] a`)?.focus();
      } else if (isFiltered()) announce(`${count(found.length, "event")}${next ? " or more" : ""} found.`);
      if (!isMore) loadSuggested();
    } catch (error) {
      if (mine !== generation || closed) return;
      isLoading = false;
      problem = error;
      draw();
    }
  }

  /** What fits one's interests, when the server suggests something. */
  async function loadSuggested() {
    if (account === null || filter.which !== "all" || isFiltered()) {
      suggested = [];
      return drawSuggested();
    }
    try {
      const reply = await net.request("events.suggested", { limit: suggestedMax });
      suggested = reply.suggestions.slice(0, suggestedMax);
    } catch {
      // The list is there without.
      return undefined;
    }
    if (!closed) drawSuggested();
    return undefined;
  }

  // MARK: drawing

  const sections = new KeyedChildren(days);
  const rowsOf = new Map();

  function draw() {
    if (closed) return;
    const now = net.clock.now();
    const shown = (list?.events ?? []).filter((event) => phaseOf(event, now) !== "over");
    const groups = [];
    for (const event of shown) {
      const heading = dayHeading(startOf(event), now);
      const last = groups.at(-1);
      if (last?.heading.key === heading.key) last.events.push(event);
      else groups.push({ heading, events: [event] });
    }
    sections.draw(groups.map(({ heading }) => ({ key: heading.key, sig: heading.title, make: () => daySection(heading) })));
    for (const { heading, events: some } of groups) {
      rowsOf.get(heading.key).draw(some.map((event) => ({
        key: event.id, sig: `${filter.which === "invited"} ${rowSig(event, now)}`, make: () => eventRow(event, { app, workouts, now, withAnswers: filter.which === "invited" && event.state === "published" }),
      })));
    }
    for (const key of rowsOf.keys()) if (!groups.some(({ heading }) => heading.key === key)) rowsOf.delete(key);
    more.hidden = !list?.next;
    more.disabled = isLoading;
    note.draw(list && (problem || net.state !== "live") ? list.at : null);
    drawStatus(shown.length);
    drawSuggested();
  }

  function daySection({ key, title, date }) {
    const rows = h("ul", { class: "event-rows" });
    rowsOf.set(key, new KeyedChildren(rows));
    return h("section", { class: "event-group", dataset: { day: title } }, h("h2", { class: "event-date" }, title, date ? h("span", { class: "muted" }, date) : null), rows);
  }

  function drawStatus(shownCount) {
    days.setAttribute("aria-busy", String(isLoading));
    if (!list && problem) {
      status.replaceChildren(emptyState({ id: "events-problem", iconElement: icon("offline"), title: "The events could not be loaded", text: problem.message, action: h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") }));
    } else if (!list) {
      status.replaceChildren(loading(net, { id: "events-loading" }));
    } else if (shownCount === 0) {
      const [title, text] = isFiltered() ? ["Nothing found", "No event that is still to come fits these filters."] : emptyWords[filter.which];
      const action = isFiltered() ? h("button", { class: "button", type: "button", id: "clear-filters", onclick: () => {
        search.value = "";
        change({ workout: "", zone: "", text: "" });
      } }, "Clear the filters") : account === null ? null : filter.which === "all" || filter.which === "own" ? h("a", { class: "button", href: "/events/new" }, icon("plus"), "Make an event") : h("button", { class: "button", type: "button", onclick: () => change({ which: "all" }) }, "See all events");
      status.replaceChildren(emptyState({ id: "events-empty", iconElement: icon("events"), title, text, action }));
    } else {
      status.replaceChildren();
    }
  }

  function drawSuggested() {
    const now = net.clock.now();
    const shown = filter.which === "all" && !isFiltered() ? suggested.filter(({ event }) => phaseOf(event, now) !== "over" && !event.mine.answer) : [];
    suggestions.hidden = shown.length === 0;
    suggestions.replaceChildren(h("h2", { class: "event-date" }, "Suggested for you"), h("ul", { class: "event-rows" }, ...shown.map(({ event, because }) => eventRow(event, { app, workouts, now, withDay: true, because: reasons[because] }))));
  }

  // MARK: what changes meanwhile

  const taken = ({ detail: event }) => {
    suggested = suggested.map((other) => (other.event.id === event.id ? { ...other, event } : other));
    const found = list?.events.find(({ id }) => id === event.id);
    // One that is new here, or goes to another place in the order.
    if (!found || found.details.startsAt !== event.details.startsAt) return reload();
    list = { ...list, events: list.events.map((other) => (other.id === event.id ? event : other)) };
    remember();
    return draw();
  };
  const gone = ({ detail: id }) => {
    remembered.clear();
    if (!list) return;
    list = { ...list, events: list.events.filter((event) => event.id !== id) };
    draw();
  };
  let reloadTimer = 0;
  const reload = () => {
    clearTimeout(reloadTimer);
    reloadTimer = setTimeout(() => load(), 200);
  };
  const state = () => {
    drawFilters();
    if (net.state === "live" && (problem || !list)) load();
    else draw();
  };
  const signedInOrOut = () => router.go(location.pathname + location.search, { replace: true });

  events.addEventListener("event", taken);
  events.addEventListener("gone", gone);
  events.addEventListener("renew", reload);
  events.addEventListener("invitations", drawFilters);
  net.addEventListener("state", state);
  net.addEventListener("account", signedInOrOut);
  const ticker = setInterval(draw, tickMilliseconds);
  drawFilters();
  load();
  return () => {
    closed = true;
    clearInterval(ticker);
    clearTimeout(searchTimer);
    clearTimeout(reloadTimer);
    events.removeEventListener("event", taken);
    events.removeEventListener("gone", gone);
    events.removeEventListener("renew", reload);
    events.removeEventListener("invitations", drawFilters);
    net.removeEventListener("state", state);
    net.removeEventListener("account", signedInOrOut);
  };
}
