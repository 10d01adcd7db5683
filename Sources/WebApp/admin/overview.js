// The console's first page: how the server is doing, and what waits for whom.

import { figuresEveryMilliseconds, staleAfterMilliseconds, bytes, health, milliseconds, rate, span, sparkline,
  withSample } from "./figures.js";
import { emptyState, h, setText } from "../kit/dom.js";
import { count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage, isAbsent, trouble } from "./frame.js";
import { auditRow } from "./auditrow.js";
import { loading, loadingText } from "../kit/loading.js";

const listedMax = 4;
const eventsAskedMax = 20;
const auditShown = 6;
/** As the reports page has them. */
const reasonNames = { spam: "Spam", harassment: "Harassment", unsafe: "Feels unsafe", fake: "Fake person", other: "Something else" };
/** Milliseconds of the slowest of a hundred. */
const lagLimits = { slow: 20, bad: 100 };
const databaseLimits = { slow: 50, bad: 250 };
const lineBox = { width: 240, height: 56 };

/** Of the last two minutes, kept while one looks elsewhere. */
let samples = [];

export function show(root, _params, app) {
  const { net } = app;
  const frame = consolePage(root, app, { part: "overview", title: "Campus admin", roles: ["admin", "lecturer", "rewards"] });
  if (!frame || frame.isRefused) return frame?.close;
  const { page, close } = frame;
  const { role } = net.account;
  if (role === "rewards") {
    page.append(h("section", { class: "card" },
      emptyState({ id: "rewards-part", iconElement: icon("goal"), title: "Rewards come later",
        text: "As a rewards manager you will set up rewards for step goals and the leaderboard here. There is nothing to do yet, and "
        + "nothing else of this console is yours." })));
    return close;
  }
  const parts = role === "admin" ? adminParts(app) : lecturerParts(app);
  page.append(...parts.elements);
  return () => {
    close();
    for (const stop of parts.stops) stop();
  };
}

function adminParts(app) {
  const { net, chat } = app;
  const figures = makeFigures(app);
  const tiles = [
    makeTile({ net, id: "open-reports", title: "Open reports", path: "/reports", more: "All reports", load: () => net.request("reports.list", { closed: false, limit: listedMax }),
      draw: ({ reports, open }) => (reports.length === 0 ? quiet("flag", "No open reports.") : [h("p", { class: "tile-figure" }, h("strong", { class: "number" }, open.toLocaleString("en")), " to look at"),
        rows(reports.map(({ id, at, reason, reported }) => (
          { key: id, path: "/reports", title: `${reasonNames[reason] ?? reason}: ${reported?.name ?? "account deleted"}`,
            hint: when(at) })))]) }),
    eventsTile(app, { title: "Next events" }),
    noticesTile(app),
    makeTile({ net, id: "latest-audit", title: "What admins did", path: "/admin/audit", more: "The whole log", load: () => net.request("admin.audit", { limit: auditShown }),
      draw: ({ entries }) => (entries.length === 0 ? quiet("log", "Nothing yet.")
        : h("ul", { class: "audit-list" }, ...entries.map((entry) => auditRow(entry)))) }),
  ];
  const arrived = () => tiles[0].load();
  chat.addEventListener("report", arrived);
  return { elements: [figures.element, h("div", { class: "tiles" }, ...tiles.map(({ element }) => element))],
    stops: [figures.close, ...tiles.map(({ close }) => close), () => chat.removeEventListener("report", arrived)] };
}

function lecturerParts(app) {
  const tiles = [eventsTile(app, { title: "Events on campus" }), noticesTile(app)];
  const intro = h("p", { class: "lead" },
    "As a lecturer you announce events to the whole campus, and write notices to those whom they concern.");
  return { elements: [intro, h("div", { class: "tiles" }, ...tiles.map(({ element }) => element))],
    stops: tiles.map(({ close }) => close) };
}

const when = (time) => `${dayText(time)} ${timeText(time)}`;
const quiet = (iconName, text) => h("p", { class: "muted tile-empty" }, icon(iconName), text);
const rows = (list) => h("ul", { class: "tile-rows" },
  ...list.map(
    ({ key, path, title, hint }) => h("li", { dataset: { key } },
      h("a", { href: path }, h("span", { class: "tile-title" }, title), h("span", { class: "muted small number" }, hint)))));

function eventsTile({ net }, { title }) {
  return makeTile({ net, id: "next-events", title, path: "/events", more: "All events", action: { path: "/events/new", label: "New event" }, load: () => net.request("events.list", { limit: eventsAskedMax }),
    draw: ({ events: all }) => {
      // What is cancelled stays listed, behind what takes place.
      const events = [...all.filter(({ state }) => state !== "cancelled"), ...all.filter(({ state }) => state === "cancelled")]
        .slice(0, listedMax);
      return events.length === 0 ? quiet("events", "Nothing is coming up.") : rows(events.map(({ id, details, going, state }) => ({ key: id, path: `/events/${id}`, title: details.title, hint: `${when(details.startsAt)} · ${state === "cancelled" ? "cancelled" : `${count(going ?? 0, "person", "people")} going`}` })));
    } });
}

function noticesTile({ net }) {
  return makeTile({ net, id: "scheduled-notices", title: "Notices", path: "/notices/sent", more: "Sent notices", action: { path: "/notices/new", label: "New notice" }, load: () => net.request("notices.sent", { limit: 50 }),
    draw: ({ notices }) => {
      const scheduled = notices.filter(({ state }) => state === "scheduled")
        .sort((one, other) => Date.parse(one.publishAt) - Date.parse(other.publishAt));
      if (scheduled.length > 0) return [h("p", { class: "tile-figure" }, h("strong", { class: "number" }, String(scheduled.length)),
        " scheduled"),
        rows(scheduled.slice(0, listedMax)
          .map(({ notice, publishAt, recipients }) => (
            { key: notice.number, path: "/notices/sent", title: notice.title,
              hint: `goes out ${when(publishAt)} · ${count(recipients, "person", "people")}` })))];
      const published = notices.filter(({ state }) => state === "published");
      if (published.length === 0) return quiet("bell", "Nothing is scheduled.");
      return [h("p", { class: "muted" }, "Nothing is scheduled. The last ones:"),
        rows(published.slice(0, listedMax)
          .map(({ notice, publishAt, recipients, read }) => (
            { key: notice.number, path: "/notices/sent", title: notice.title,
              hint: `${when(publishAt)} · read by ${read} of ${recipients}` })))];
    } });
}

/** A card that loads itself and leads on: `{element, load, close}`. */
function makeTile({ net, id, title, path, more, action = null, load, draw }) {
  const body = h("div", { class: "tile-body" }, loading(net));
  const links = h("p", { class: "row tile-links" }, h("a", { class: "button small-button", href: path }, more), action
    ? h("a", { class: "button small-button", href: action.path }, icon("plus"), action.label) : null);
  const element = h("section", { class: "card tile", id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), body,
    links);
  let isLoaded = false;
  let closed = false;

  async function fetchAndDraw() {
    try {
      const result = await load();
      if (closed) return;
      isLoaded = true;
      body.replaceChildren(...[draw(result)].flat());
    } catch (error) {
      if (closed || isLoaded) return;
      body.replaceChildren(isAbsent(error) ? trouble(error) : h("div", { class: "stack tile-trouble" }, h("p", { class: "muted", role: "alert" }, error.message), h("p", {}, h("button", { class: "button small-button", type: "button", onclick: () => {
        body.replaceChildren(loading(net));
        fetchAndDraw();
      } }, "Try again"))));
    }
  }

  const state = () => { if (net.state === "live") fetchAndDraw(); };
  net.addEventListener("state", state);
  fetchAndDraw();
  return { element, load: fetchAndDraw, close: () => { closed = true; net.removeEventListener("state", state); } };
}

// MARK: live figures

function makeFigures({ net }) {
  let timer = 0;
  let closed = false;
  let last = null;
  let lastAt = 0;
  let problem = null;

  const svgns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(svgns, "svg");
  for (const [name, value] of Object.entries(
    { class: "sparkline", viewBox: `0 0 ${lineBox.width} ${lineBox.height}`, preserveAspectRatio: "none",
      role: "img" })) svg.setAttribute(name, value);
  const line = document.createElementNS(svgns, "path");
  svg.append(line);

  const status = h("p", { class: "small figures-status", id: "figures-status" });
  const values = new Map();
  const tile = (id, label, { wide = null } = {}) => {
    const value = h("dd", { class: "live-value number" }, "–");
    const hint = h("dd", { class: "live-hint muted small number" });
    values.set(id, { value, hint });
    return h("div", { class: wide ? "live wide" : "live", dataset: { figure: id } }, h("dt", {}, label), value, hint, wide
      ? h("dd", { class: "live-line" }, wide, h("span", { class: "muted small", "aria-hidden": "true" }, "The last 2 minutes")) : null);
  };
  const facts = h("p", { class: "muted small number", id: "figures-facts" });
  const body = h("div", { class: "stack figures-body" }, h("dl", { class: "lives" },
    tile("messages", "Messages a second", { wide: svg }), tile("people", "People online"), tile("connections", "Open connections"),
    tile("tracking", "Recording now"),
    tile("lag", "Server delay"), tile("database", "Database answers in"), tile("pool", "Database connections")), facts);
  const element = h("section", { class: "card stack live-figures", id: "live-figures", "aria-labelledby": "live-figures-title" },
    h("div", { class: "live-head" }, h("h2", { id: "live-figures-title" }, "Right now"), status), body);

  const put = (id, value, hint = "", state = "good") => {
    const tileOf = values.get(id);
    setText(tileOf.value, value);
    setText(tileOf.hint, hint);
    tileOf.value.parentElement.dataset.health = state;
  };

  function draw() {
    const now = performance.now();
    const isStale = last !== null && now - lastAt > staleAfterMilliseconds;
    element.classList.toggle("is-old", isStale);
    if (!last) {
      setText(status, problem ? problem.message : loadingText(net));
      return;
    }
    setText(status, isStale ? `Not refreshed since ${timeText(last.at)}:${String(new Date(last.at).getSeconds()).padStart(2, "0")}. `
      + `${net.state === "live" ? problem?.message ?? "The server does not answer." : "No connection."}` : "Refreshed every 2 seconds");
    const { lag, database, nodes } = last;
    put("people", last.accounts.toLocaleString("en"), "logged in, on any device");
    put("connections", last.connections.toLocaleString("en"), "tabs and apps, also of guests");
    put("tracking", last.tracking.toLocaleString("en"), last.tracking === 1 ? "run or ride" : "runs and rides");
    put("messages", rate(last.messagesOutPerSecond),
      `sent · ${rate(last.messagesInPerSecond)} received · ${rate(last.requestsPerSecond)} requests`);
    put("lag", milliseconds(lag.p50), `slowest 1 %: ${milliseconds(lag.p99)}`, health(lag.p99, lagLimits));
    put("database", milliseconds(database.p50), `slowest 1 %: ${milliseconds(database.p99)}`, health(database.p99, databaseLimits));
    put("pool", `${database.connections - database.idle} of ${database.connections}`, database.waiting > 0
      ? `busy · ${database.waiting} waiting` : "busy · nothing waits", database.waiting > 0 ? "slow" : "good");
    setText(facts, `Up for ${span(last.uptime)} · version ${last.version} · ${bytes(last.memory)} of memory${last.sendQueueBytes > 0 ? `, ${bytes(last.sendQueueBytes)} on the way to clients` : ""} · ${nodes.length > 1 ? `${nodes.length} servers (${nodes.join(", ")}), these figures are of ${last.node}` : `one server (${last.node})`}`);
    drawLine(now);
  }

  function drawLine(now) {
    const { line: path, highest } = sparkline(samples, { now, ...lineBox });
    line.setAttribute("d", path);
    svg.setAttribute("aria-label", `Messages a second over the last two minutes, at most ${rate(highest)}`);
  }

  async function ask() {
    clearTimeout(timer);
    if (closed) return;
    if (document.visibilityState === "visible" && net.state === "live") {
      try {
        last = await net.request("admin.figures", {}, { timeout: staleAfterMilliseconds });
        if (closed) return;
        lastAt = performance.now();
        problem = null;
        samples = withSample(samples, lastAt, last.messagesOutPerSecond);
      } catch (error) {
        if (closed) return;
        problem = error;
        if (!last && isAbsent(error)) {
          body.replaceChildren(trouble(error));
          setText(status, "");
          return;
        }
      }
    }
    draw();
    clearTimeout(timer);
    timer = setTimeout(ask, figuresEveryMilliseconds);
  }

  const seen = () => { if (document.visibilityState === "visible") ask(); };
  document.addEventListener("visibilitychange", seen);
  net.addEventListener("state", ask);
  draw();
  ask();
  return { element, close: () => {
    closed = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", seen);
    net.removeEventListener("state", ask);
  } };
}
