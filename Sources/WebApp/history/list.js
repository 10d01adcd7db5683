// History (U-5): this month's goal, sessions that are not uploaded yet, and finished ones, newest first.

import { announce, emptyState, h, keepFocus } from "../kit/dom.js";
import { activityNames, count, hms, km, numericDate, time24 } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeGoalCard } from "./goalcard.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loading } from "../kit/loading.js";

const pageSize = 20;
/** The most that one request may ask for. */
const pageSizeMax = 100;

export function show(root, _params, { net, events, router, tracker }) {
  if (!net.account) {
    router.go("/login?next=/history", { replace: true });
    return undefined;
  }
  const goal = makeGoalCard({ net, events });
  let next;
  /** Counts what was asked for: only the last answer is shown. */
  let turn = 0;
  let isLoaded = false;
  const waiting = h("ul", { class: "history-list", id: "history-waiting", "aria-label": "Not uploaded yet" });
  const list = h("ul", { class: "history-list", id: "history-list" });
  const waitingRows = new KeyedChildren(waiting);
  const rows = new KeyedChildren(list);
  /** Those shown, by their numbers, newest first. */
  let sessions = new Map();
  const empty = h("div", {});
  const problem = h("p", { class: "problem", role: "alert" });
  const loadMore = () => load({ isMore: true });
  const more = h("button", { class: "button wide", type: "button", id: "load-more", hidden: true, onclick: loadMore }, "Load more");
  const wait = loading(net, { id: "history-loading" });
  const retry = h("button", { class: "button", type: "button", hidden: true, onclick: () => load() }, "Try again");
  root.append(h("div", { class: "page stack" },
    h("h1", { tabindex: "-1" }, "History"), goal.element, wait, waiting, list, empty, problem, retry, more));

  /** The next page, or what is shown anew. */
  async function load({ isMore = false } = {}) {
    const mine = ++turn;
    problem.textContent = "";
    retry.hidden = true;
    more.disabled = true;
    try {
      const limit = isMore ? pageSize : Math.min(pageSizeMax, Math.max(pageSize, list.children.length));
      const reply = await net.request("tracking.history", isMore ? { limit: pageSize, before: next } : { limit });
      if (mine !== turn) return;
      sessions = new Map([...(isMore ? sessions : []), ...reply.sessions.map((session) => [session.id, session])]);
      drawSessions();
      if (isMore) {
        announce(`${count(reply.sessions.length, "more session")}.`);
        rows.get(reply.sessions[0]?.id)?.querySelector("a").focus();
      }
      next = reply.next;
      more.hidden = next === undefined || next === null;
      isLoaded = true;
      drawWaiting();
    } catch (error) {
      if (mine !== turn) return;
      problem.textContent = error.message;
      retry.hidden = false;
    } finally {
      if (mine === turn) {
        wait.hidden = true;
        more.disabled = false;
      }
    }
  }

  /** A row that has the focus keeps it. */
  function drawSessions() {
    const focused = Number(document.activeElement?.dataset?.session);
    keepFocus(list, () => rows.draw([...sessions.values()].map((session) => (
      { key: session.id, sig: JSON.stringify(session), make: () => row(session) }))), () => rows.get(focused)?.querySelector("a"));
  }

  function drawWaiting() {
    const uploaded = new Set([...sessions.values()].map(({ clientId }) => clientId));
    // Another tab may have uploaded what this one read from the device before.
    waitingRows.draw(tracker.waitingSessions.filter(({ clientId }) => !uploaded.has(clientId))
      .map((session) => ({ key: session.clientId, sig: JSON.stringify(session), make: () => waitingRow(session) })));
    const isEmpty = isLoaded && list.children.length === 0 && waiting.children.length === 0;
    if (isEmpty !== (empty.firstChild !== null)) keepFocus(empty, () => empty.replaceChildren(...(isEmpty ? [noSessions()] : [])));
  }

  /** What was uploaded by this device shows at once, what others did when this one looks again. */
  function changed() {
    drawWaiting();
    load();
    goal.load();
  }

  let wasLive = net.state === "live";
  function state() {
    const isLive = net.state === "live";
    if (isLive && !wasLive) changed();
    wasLive = isLive;
  }
  const shown = () => { if (document.visibilityState === "visible" && net.state === "live") changed(); };

  tracker.addEventListener("history", changed);
  net.addEventListener("state", state);
  document.addEventListener("visibilitychange", shown);
  tracker.ready.then(drawWaiting);
  load();
  return () => {
    turn += 1;
    tracker.removeEventListener("history", changed);
    net.removeEventListener("state", state);
    document.removeEventListener("visibilitychange", shown);
    goal.close();
  };
}

function noSessions() {
  return emptyState({
    id: "history-empty", iconElement: icon("history"), title: "No sessions yet", text: "Runs and rides you track are listed here.",
    action: h("a", { class: "button primary", href: "/track" }, "Track a run"),
  });
}

/** Distance and time; a session without positions has no distance. */
function figures({ points, distance, elapsed }) {
  const [first, second] = points > 0 ? [`${km(distance)} km`, hms(elapsed)] : [hms(elapsed), "Time only"];
  return h("span", { class: "history-figures number" }, h("strong", {}, first), h("span", { class: "muted small" }, second));
}

function waitingRow(session) {
  return h("li", {}, h("div", { class: "history-row", dataset: { waiting: session.clientId } },
    h("span", { class: "history-icon" }, icon(session.activity)),
    h("span", { class: "history-what" }, h("strong", {}, session.title),
      h("span", { class: "muted small waiting-words" }, icon("waiting"), "On this device, not uploaded yet")), figures(session)));
}

function row(session) {
  const ended = session.endedAt ?? session.startedAt;
  return h("li", {}, h("a", { class: "history-row", href: `/history/${session.id}`, dataset: { session: session.id } },
    h("span", { class: "history-icon" }, icon(session.activity)),
    h("span", { class: "history-what" }, h("strong", {}, session.title),
      h("span", { class: "muted small" }, `${activityNames[session.activity] ?? session.activity} · `,
        h("span", { class: "number" }, `${numericDate(ended)} ${time24(ended)}`))),
    figures(session)));
}
