// The notices for this person, newest first (N-7).

import { announce, emptyState, h, setText } from "../kit/dom.js";
import { dayKey, dayName } from "../kit/times.js";
import { icon } from "../kit/icons.js";
import { isUnread } from "./log.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loading } from "../kit/loading.js";
import { noticeRow, noticeSig } from "./row.js";

const tickMilliseconds = 30_000;

/** Whether somebody may send to more than the people of an event of theirs. */
export function maySend(account) {
  return account?.role === "admin" || account?.role === "lecturer";
}

/** Serves `/notices`; `?open=NUMBER` opens one. */
export function show(root, { query }, app) {
  const { net, notices, router } = app;
  const opened = new Set();
  let wanted = Number(query?.get("open")) || null;
  let closed = false;
  let isLoadingOlder = false;
  const account = net.account;

  const readAll = h("button", { class: "button small-button", type: "button", id: "read-all", onclick: markAll }, icon("ticks"), "Mark all as read");
  const count = h("p", { class: "muted", id: "unread-note", role: "status" });
  const offline = h("p", { class: "notice warn", role: "status", hidden: true }, icon("offline"), h("span", {}, "No connection. This is what is known here; what is new comes when the network is back."));
  const problem = h("p", { class: "problem", role: "alert" });
  const days = h("div", { class: "notice-days", id: "notices" });
  const status = h("div", { class: "event-status" });
  const more = h("button", { class: "button wide", type: "button", id: "older-notices", hidden: true, onclick: loadOlder }, "Load older ones");
  root.append(h("div", { class: "page stack notices-page" },
    h("header", { class: "notices-head" }, h("h1", { tabindex: "-1" }, "Notices"), h("div", { class: "row" },
      maySend(account) ? h("a", { class: "button small-button", href: "/notices/sent", id: "to-sent" }, icon("ticks"), "Sent") : null,
      maySend(account) ? h("a", { class: "button primary small-button", href: "/notices/new", id: "new-notice" }, icon("plus"), "New notice") : null)),
    h("div", { class: "notices-bar" }, count, account ? h("a", { class: "icon-button", href: "/settings/notifications", id: "notice-settings", "aria-label": "Notification settings", title: "Notification settings" }, icon("settings")) : null, readAll),
    account ? null : h("p", { class: "notice" }, icon("info"), h("span", {}, h("a", { href: "/login?next=/notices" }, "Log in"), " to get what is for you, your zones and your events, too.")),
    offline, problem, days, status, more));

  const sections = new KeyedChildren(days);
  const rowsOf = new Map();

  function draw() {
    if (closed) return;
    const now = net.clock.now();
    const shown = notices.log.shown(now);
    const groups = [];
    for (const notice of shown) {
      const key = dayKey(notice.at);
      if (groups.at(-1)?.key === key) groups.at(-1).notices.push(notice);
      else groups.push({ key, title: dayName(notice.at, now), notices: [notice] });
    }
    sections.draw(groups.map(({ key, title }) => ({ key, sig: title, make: () => daySection(key, title) })));
    for (const { key, notices: some } of groups) {
      rowsOf.get(key).draw(some.map((notice) => {
        const isOpen = opened.has(notice.number);
        return { key: notice.number, sig: noticeSig(notice, now, isOpen, app), make: () => noticeRow(notice, { app, now, isOpen, toggle: () => toggle(notice.number), known: draw }) };
      }));
    }
    for (const key of rowsOf.keys()) if (!groups.some((group) => group.key === key)) rowsOf.delete(key);
    const { unread } = notices;
    setText(count, shown.length === 0 ? "" : unread === 0 ? "All read" : `${unread.toLocaleString("en")} unread`);
    readAll.hidden = unread === 0;
    offline.hidden = net.state === "live" || shown.length === 0;
    more.hidden = notices.next === null;
    more.disabled = isLoadingOlder;
    drawStatus(shown.length);
    openWanted();
  }

  function daySection(key, title) {
    const rows = h("ul", { class: "notice-rows" });
    rowsOf.set(key, new KeyedChildren(rows));
    return h("section", { class: "notice-day", dataset: { day: title } }, h("h2", { class: "event-date" }, title), rows);
  }

  function drawStatus(shownCount) {
    if (shownCount > 0) return status.replaceChildren();
    if (notices.isLoaded) {
      return status.replaceChildren(emptyState({ id: "notices-empty", iconElement: icon("bell"), title: "No notices", text: account ? "What the campus, your zones and your events announce is shown here." : "What the campus announces to everybody is shown here." }));
    }
    if (notices.problem) {
      return status.replaceChildren(emptyState({ id: "notices-problem", iconElement: icon("offline"), title: "The notices could not be loaded", text: notices.problem.message, action: h("button", { class: "button", type: "button", onclick: () => notices.load() }, "Try again") }));
    }
    return status.replaceChildren(loading(net));
  }

  /** The one that was tapped elsewhere, once it is here. */
  function openWanted() {
    if (wanted === null || !notices.log.items.has(wanted)) return;
    const number = wanted;
    wanted = null;
    opened.add(number);
    notices.read([number]);
    draw();
    const row = days.querySelector(`[data-notice="${number}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("button")?.focus({ preventScroll: true });
  }

  function toggle(number) {
    const notice = notices.log.items.get(number);
    const hadFocus = days.querySelector(`[data-notice="${number}"]`)?.contains(document.activeElement);
    // One that is unread and open already was corrected or came anew: a tap is for reading it.
    if (!opened.delete(number)) opened.add(number);
    if (notice && isUnread(notice)) notices.read([number]);
    draw();
    if (hadFocus) days.querySelector(`[data-notice="${number}"] button`)?.focus({ preventScroll: true });
  }

  async function markAll() {
    problem.textContent = "";
    readAll.disabled = true;
    try {
      await notices.readAll();
      announce("All are marked as read.");
    } catch (error) {
      problem.textContent = error.message;
    }
    readAll.disabled = false;
    draw();
  }

  async function loadOlder() {
    isLoadingOlder = true;
    problem.textContent = "";
    draw();
    try {
      await notices.loadOlder();
    } catch (error) {
      problem.textContent = error.message;
    }
    isLoadingOlder = false;
    draw();
  }

  const signedInOrOut = () => router.go("/notices", { replace: true });
  notices.addEventListener("change", draw);
  net.addEventListener("state", draw);
  net.addEventListener("account", signedInOrOut);
  const ticker = setInterval(draw, tickMilliseconds);
  draw();
  return () => {
    closed = true;
    clearInterval(ticker);
    notices.removeEventListener("change", draw);
    net.removeEventListener("state", draw);
    net.removeEventListener("account", signedInOrOut);
  };
}
