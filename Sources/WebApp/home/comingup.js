// For the start page: invitations that wait for an answer, and the next events that one goes to (C-4).

import { h } from "../kit/dom.js";
import { phaseOf, startOf } from "../events/times.js";
import { icon } from "../kit/icons.js";
import { eventRow, rowSig } from "../events/row.js";
import { KeyedChildren } from "../kit/keyed.js";
import { makeKeptNote } from "../events/keptnote.js";
import { loadingText } from "../kit/loading.js";

const comingMax = 5;
const invitationsMax = 3;
const reloadAfterMilliseconds = 200;
const tickMilliseconds = 30_000;

/** `{element, close}`: two sections, each there only when it has something to say. */
export function makeComingUp(app) {
  const { net, events } = app;
  let { workouts } = events.kept;
  let coming = events.kept.list("home")?.events ?? null;
  let hasMore = false;
  let isLoaded = false;
  let problem = null;
  let closed = false;
  let timer = 0;

  const invitedList = h("ul", { class: "event-rows" });
  const comingList = h("ul", { class: "event-rows" });
  const invitedRows = new KeyedChildren(invitedList);
  const comingRows = new KeyedChildren(comingList);
  const invitedMore = h("a", { class: "now-link", href: "/events?which=invited", hidden: true }, "All invitations", icon("arrow"));
  const comingMore = h("a", { class: "now-link", href: "/events?which=coming", hidden: true }, "All that is coming", icon("arrow"));
  const note = h("p", { class: "muted", role: "status" });
  const keptNote = makeKeptNote("coming-note");
  const invited = h("section", { class: "stack home-part", id: "home-invitations", hidden: true }, h("h2", {}, "Invitations"), invitedList, invitedMore);
  const next = h("section", { class: "stack home-part", id: "home-coming" }, h("div", { class: "home-part-head" }, h("h2", {}, "Coming up"), h("a", { class: "now-link", href: "/events" }, "All events", icon("arrow"))), keptNote.element, comingList, note, comingMore);

  async function load() {
    try {
      [{ workouts }, { events: coming, next: hasMore }] = await Promise.all([events.options(), net.request("events.list", { which: "coming", limit: comingMax })]);
      problem = null;
      isLoaded = true;
      events.kept.putList("home", coming, workouts, Date.now());
    } catch (error) {
      problem = error;
    }
    draw();
  }

  function draw() {
    if (closed) return;
    const now = net.clock.now();
    const asked = events.invitations.filter((event) => phaseOf(event, now) !== "over");
    invited.hidden = asked.length === 0;
    invitedMore.hidden = asked.length <= invitationsMax;
    invitedRows.draw(asked.slice(0, invitationsMax).map((event) => ({ key: event.id, sig: `${workouts.length} ${rowSig(event, now)}`, make: () => eventRow(event, { app, workouts, now, withDay: true, withAnswers: true }) })));
    const shown = (coming ?? []).filter((event) => phaseOf(event, now) !== "over").sort((a, b) => startOf(a) - startOf(b));
    comingRows.draw(shown.map((event) => ({ key: event.id, sig: rowSig(event, now), make: () => eventRow(event, { app, workouts, now, withDay: true }) })));
    comingMore.hidden = !hasMore;
    keptNote.draw(coming && net.state !== "live" ? events.kept.list("home")?.at ?? null : null);
    note.hidden = shown.length > 0;
    note.textContent = coming ? "Nothing planned yet: see what is on, or make an event of your own." : problem ? "Your events could not be loaded. They come when the network is back." : loadingText(net);
  }

  const reload = () => {
    clearTimeout(timer);
    timer = setTimeout(load, reloadAfterMilliseconds);
  };
  const state = () => { if (net.state === "live" && (problem || !isLoaded)) load(); else draw(); };
  for (const name of ["event", "gone", "renew"]) events.addEventListener(name, reload);
  events.addEventListener("invitations", draw);
  net.addEventListener("state", state);
  const ticker = setInterval(draw, tickMilliseconds);
  draw();
  load();
  return {
    element: h("div", { class: "home-events" }, invited, next),
    close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(ticker);
      for (const name of ["event", "gone", "renew"]) events.removeEventListener(name, reload);
      events.removeEventListener("invitations", draw);
      net.removeEventListener("state", state);
    },
  };
}
