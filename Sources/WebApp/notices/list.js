// The notices for this person, newest first (N-7).

import { announce, emptyState, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { loadProblem } from "../kit/loadable.js";
import { keptText, loading } from "../kit/loading.js";
import { dayKey, dayName } from "../kit/times.js";
import { isUnread } from "./log.js";
import { noticeRow, noticeSig } from "./row.js";

const tickMilliseconds = 30_000;

/** Whether an account may send to more than the people of its own events. */
export function maySend(account) {
  return account?.role === "admin" || account?.role === "lecturer";
}

/** Serves `/notices`; `?open=NUMBER` opens one. */
export function show(root, { query }, app) {
  const page = new NoticeListPage(root, Number(query?.get("open")) || null, app);
  return () => page.close();
}

class NoticeListPage {
  #app;
  #account;
  #end = new AbortController();
  #ticker;
  /** Numbers of notices that are open. */
  #opened = new Set();
  /** Number of the notice to open once it is here, or null. */
  #wanted;
  #isLoadingOlder = false;
  /** Key of a day → its rows. */
  #rows = new Map();

  #count = h("p", { class: "muted", id: "unread-note", role: "status" });
  #offlineText = h("span", {});
  #offline = h("p", { class: "notice warn", role: "status", id: "notices-kept", hidden: true }, icon("offline"), this.#offlineText);
  #problem = h("p", { class: "problem", role: "alert" });
  #days = h("div", { class: "notice-days", id: "notices" });
  #sections = new KeyedChildren(this.#days);
  #status = h("div", { class: "event-status" });
  #readAll = h("button", { class: "button small-button", type: "button", id: "read-all", onclick: () => this.#markAll() },
    icon("ticks"), "Mark all as read");
  #more = h("button", { class: "button wide", type: "button", id: "older-notices", hidden: true, onclick: () => this.#loadOlder() },
    "Show older");

  constructor(root, wanted, app) {
    this.#app = app;
    this.#account = app.net.account;
    this.#wanted = wanted;
    root.append(h("div", { class: "page stack notices-page" }, head(this.#account),
      h("div", { class: "notices-bar" }, this.#count, this.#account ? settingsLink() : null, this.#readAll),
      this.#account ? null : guestNote(), this.#offline, this.#problem, this.#days, this.#status, this.#more));
    this.#listen();
    this.#draw();
  }

  close() {
    this.#end.abort();
    clearInterval(this.#ticker);
  }

  #listen() {
    const { net, notices, router } = this.#app;
    const { signal } = this.#end;
    notices.addEventListener("change", () => this.#draw(), { signal });
    net.addEventListener("state", () => this.#draw(), { signal });
    net.addEventListener("account", () => router.go("/notices", { replace: true }), { signal });
    this.#ticker = setInterval(() => this.#draw(), tickMilliseconds);
  }

  // MARK: drawing

  #draw() {
    if (this.#end.signal.aborted) return;
    const { net, notices } = this.#app;
    const now = net.clock.now();
    const shown = notices.log.shown(now);
    this.#drawDays(shown, now);
    const { unread } = notices;
    setText(this.#count, shown.length === 0 ? "" : unread === 0 ? "All read" : `${unread.toLocaleString("en")} unread`);
    this.#readAll.hidden = unread === 0;
    this.#offline.hidden = net.state === "live" || shown.length === 0;
    // While the connection is there, notices come at once.
    const at = notices.isLoaded && net.lastMessageAt > 0 ? net.lastMessageAt : notices.updatedAt;
    setText(this.#offlineText, `${at === null ? "You're offline." : keptText(at)} New notices appear when you're back online.`);
    this.#more.hidden = notices.next === null;
    this.#more.disabled = this.#isLoadingOlder;
    this.#status.replaceChildren(...(shown.length > 0 ? [] : [this.#statusElement()]));
    this.#openWanted();
  }

  #drawDays(shown, now) {
    const groups = groupsByDay(shown, now);
    this.#sections.draw(groups.map(({ key, title }) => ({ key, sig: title, make: () => this.#daySection(key, title) })));
    for (const { key, notices } of groups) this.#rows.get(key).draw(notices.map((notice) => this.#row(notice, now)));
    for (const key of this.#rows.keys()) if (!groups.some((group) => group.key === key)) this.#rows.delete(key);
  }

  #daySection(key, title) {
    const rows = h("ul", { class: "notice-rows" });
    this.#rows.set(key, new KeyedChildren(rows));
    return h("section", { class: "notice-day", dataset: { day: title } }, h("h2", { class: "event-date" }, title), rows);
  }

  #row(notice, now) {
    const app = this.#app;
    const isOpen = this.#opened.has(notice.number);
    const toggle = () => this.#toggle(notice.number);
    return {
      key: notice.number, sig: noticeSig(notice, now, isOpen, app),
      make: () => noticeRow(notice, { app, now, isOpen, toggle, known: () => this.#draw() }),
    };
  }

  /** Without a notice to show: why. */
  #statusElement() {
    const { net, notices } = this.#app;
    if (notices.isLoaded) {
      const source = this.#account ? "Notices from campus, your zones and your events" : "Notices for everyone on campus";
      return emptyState({ id: "notices-empty", iconElement: icon("bell"), title: "No notices", text: `${source} appear here.` });
    }
    if (!notices.problem) return loading(net);
    const { message: text } = notices.problem;
    return loadProblem({ id: "notices-problem", title: "Couldn't load notices", text, again: () => notices.load() });
  }

  // MARK: reading

  #openWanted() {
    const number = this.#wanted;
    const { notices } = this.#app;
    if (number === null || !notices.log.items.has(number)) return;
    this.#wanted = null;
    this.#opened.add(number);
    notices.read([number]);
    this.#draw();
    const row = this.#days.querySelector(`[data-notice="${number}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("button")?.focus({ preventScroll: true });
  }

  #toggle(number) {
    const { notices } = this.#app;
    const notice = notices.log.items.get(number);
    const rowOf = () => this.#days.querySelector(`[data-notice="${number}"]`);
    const hadFocus = rowOf()?.contains(document.activeElement);
    if (!this.#opened.delete(number)) this.#opened.add(number);
    // An open notice that was corrected is unread again: the tap that closes it reads it.
    if (notice && isUnread(notice)) notices.read([number]);
    this.#draw();
    if (hadFocus) rowOf()?.querySelector("button")?.focus({ preventScroll: true });
  }

  async #markAll() {
    this.#problem.textContent = "";
    this.#readAll.disabled = true;
    try {
      await this.#app.notices.readAll();
      announce("All marked as read.");
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#readAll.disabled = false;
    this.#draw();
  }

  async #loadOlder() {
    this.#isLoadingOlder = true;
    this.#problem.textContent = "";
    this.#draw();
    try {
      await this.#app.notices.loadOlder();
    } catch (error) {
      this.#problem.textContent = error.message;
    }
    this.#isLoadingOlder = false;
    this.#draw();
  }
}

/** Notices by day: `[{key, title, notices}]`, in their order. */
function groupsByDay(notices, now) {
  const groups = [];
  for (const notice of notices) {
    const key = dayKey(notice.at);
    if (groups.at(-1)?.key === key) groups.at(-1).notices.push(notice);
    else groups.push({ key, title: dayName(notice.at, now), notices: [notice] });
  }
  return groups;
}

function head(account) {
  const links = maySend(account) ? [
    h("a", { class: "button small-button", href: "/notices/sent", id: "to-sent" }, icon("ticks"), "Sent"),
    h("a", { class: "button primary small-button", href: "/notices/new", id: "new-notice" }, icon("plus"), "New notice"),
  ] : [];
  return h("header", { class: "notices-head" }, h("h1", { tabindex: "-1" }, "Notices"), h("div", { class: "row" }, ...links));
}

function settingsLink() {
  const label = "Notification settings";
  return h("a", { class: "icon-button", href: "/settings/notifications", id: "notice-settings", "aria-label": label, title: label },
    icon("settings"));
}

function guestNote() {
  return h("p", { class: "notice" }, icon("info"),
    h("span", {}, h("a", { href: "/login?next=/notices" }, "Log in"), " for notices about your zones and events."));
}
