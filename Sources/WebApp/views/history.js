// History (U-5): this month's goal, and finished sessions, newest first.

import { announce, emptyState, h } from "../dom.js";
import { activityNames, count, date, hms, km, time24 } from "../format.js";
import { icon } from "../icons.js";
import { makeGoalCard } from "./goalcard.js";
import { loading } from "./loading.js";

const pageSize = 20;

export function show(root, _params, { net, events, router }) {
  if (!net.account) {
    router.go("/login?next=/history", { replace: true });
    return undefined;
  }
  const goal = makeGoalCard({ net, events });
  let next;
  const list = h("ul", { class: "history-list", id: "history-list" });
  const problem = h("p", { class: "problem", role: "alert" });
  const more = h("button", { class: "button wide", type: "button", id: "load-more", hidden: true, onclick: () => load() }, "Load more");
  const wait = loading(net, { id: "history-loading" });
  const retry = h("button", { class: "button", type: "button", hidden: true, onclick: () => load() }, "Try again");
  root.append(h("div", { class: "page stack" }, h("h1", { tabindex: "-1" }, "History"), goal.element, wait, list, problem, retry, more));

  async function load() {
    problem.textContent = "";
    retry.hidden = true;
    more.disabled = true;
    try {
      const reply = await net.request("tracking.history", next === undefined ? { limit: pageSize } : { limit: pageSize, before: next });
      const added = reply.sessions.map(row);
      list.append(...added);
      if (next !== undefined) {
        announce(`${count(added.length, "more session")}.`);
        added[0]?.querySelector("a").focus();
      }
      next = reply.next;
      more.hidden = next === undefined || next === null;
      if (list.children.length === 0) {
        list.replaceWith(emptyState({ id: "history-empty", iconElement: icon("history"), title: "No sessions yet", text: "Runs and rides you track are listed here.", action: h("a", { class: "button primary", href: "/track" }, "Track a run") }));
      }
    } catch (error) {
      problem.textContent = error.message;
      retry.hidden = false;
    } finally {
      wait.hidden = true;
      more.disabled = false;
    }
  }

  load();
  return () => goal.close();
}

function row(session) {
  const ended = session.endedAt ?? session.startedAt;
  return h("li", {}, h("a", { class: "history-row", href: `/history/${session.id}`, dataset: { session: session.id } },
    h("span", { class: "history-icon" }, icon(session.activity)),
    h("span", { class: "history-what" }, h("strong", {}, session.title), h("span", { class: "muted small" }, `${activityNames[session.activity] ?? session.activity} · `, h("span", { class: "number" }, `${date(ended)} ${time24(ended)}`))),
    h("span", { class: "history-figures number" }, h("strong", {}, `${km(session.distance)} km`), h("span", { class: "muted small" }, hms(session.elapsed)))));
}
