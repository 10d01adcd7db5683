// The log of what admins did, newest first, by person and kind.

import { actionGroups } from "./sentences.js";
import { announce, emptyState, h, setText } from "../kit/dom.js";
import { count, dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { AuditPerson } from "./auditperson.js";
import { consolePage, trouble } from "./frame.js";
import { auditRow } from "./auditrow.js";
import { loading } from "../kit/loading.js";

const pageSize = 50;

/** Serves `/admin/audit`. */
export function show(root, { query }, app) {
  const frame = consolePage(root, app, { part: "audit", title: "Admin log" });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new AuditPage(app, frame, filterOf(query));
  page.start();
  return () => page.close();
}

/** `{account, action}` of the page's address; `account` is null and `action` empty without a filter. */
function filterOf(query) {
  const actions = actionGroups.flatMap(({ all, actions: some }) => [all, ...some.map(([value]) => value)]);
  const action = query?.get("action");
  return { account: Number(query?.get("account")) || null, action: actions.includes(action) ? action : "" };
}

/** Options of the kinds of entries. */
function kindOptions() {
  return [h("option", { value: "" }, "Everything"), ...actionGroups.map(({ label, all, actions }) => {
    if (actions.length === 0) return h("option", { value: all }, label);
    return h("optgroup", { label }, h("option", { value: all }, `${label}: all`),
      ...actions.map(([value, words]) => h("option", { value }, `${label}: ${words.toLowerCase()}`)));
  })];
}

class AuditPage {
  #net;
  #frame;
  #filter;
  #next = null;
  #generation = 0;
  #closed = new AbortController();
  #person;
  #kind = h("select", { id: "audit-kind", onchange: () => this.#change({ action: this.#kind.value }) }, ...kindOptions());
  #list = h("ol", { class: "audit-list audit-days", id: "audit" });
  #found = h("p", { class: "muted small", role: "status", id: "audit-found" });
  #status = h("div", {});
  #more = h("button", { class: "button wide", type: "button", id: "more-audit", hidden: true, onclick: () => this.#load(true) },
    "Show older");

  constructor({ net }, frame, filter) {
    this.#net = net;
    this.#frame = frame;
    this.#filter = filter;
    this.#kind.value = filter.action;
    this.#person = new AuditPerson(net, filter.account, (account) => this.#change({ account }));
    frame.page.append(
      h("p", { class: "muted" }, "Everything admins do is logged for two years. Nobody can change the log."),
      h("div", { class: "audit-filters" }, this.#person.element,
        h("div", { class: "field" }, h("label", { for: "audit-kind" }, "Action"), this.#kind)),
      this.#found, this.#list, this.#status, this.#more);
  }

  start() {
    this.#net.addEventListener("state", () => {
      if (this.#net.state === "live" && this.#list.childElementCount === 0) this.#load();
    }, { signal: this.#closed.signal });
    this.#load();
  }

  close() {
    this.#closed.abort();
    this.#person.close();
    this.#frame.close();
  }

  #change(part) {
    Object.assign(this.#filter, part);
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(this.#filter)) if (value) given.set(name, String(value));
    history.replaceState(history.state, "", given.size > 0 ? `/admin/audit?${given}` : "/admin/audit");
    this.#load();
  }

  async #load(isMore = false) {
    const mine = ++this.#generation;
    const isStale = () => this.#closed.signal.aborted || mine !== this.#generation;
    this.#list.setAttribute("aria-busy", "true");
    this.#more.disabled = true;
    if (!isMore && this.#list.childElementCount === 0) this.#status.replaceChildren(loading(this.#net));
    try {
      const page = await this.#request(isMore);
      if (!isStale()) this.#show(page, isMore);
    } catch (error) {
      if (isStale()) return;
      if (!isMore) this.#list.replaceChildren();
      setText(this.#found, "");
      this.#status.replaceChildren(trouble(error, () => this.#load(isMore)));
    } finally {
      if (mine === this.#generation) {
        this.#list.removeAttribute("aria-busy");
        this.#more.disabled = false;
      }
    }
  }

  #request(isMore) {
    const { account, action } = this.#filter;
    return this.#net.request("admin.audit", { limit: pageSize, ...(account && { account }), ...(action && { action }),
      ...(isMore && this.#next && { before: this.#next }) });
  }

  #show({ entries, next = null }, isMore) {
    if (!isMore) this.#list.replaceChildren();
    const rows = this.#append(entries);
    this.#next = next;
    this.#more.hidden = next === null;
    const shown = this.#list.querySelectorAll(".audit-row").length;
    setText(this.#found, shown === 0 ? "" : `${count(shown, "entry", "entries")}${next ? " or more" : ""}`);
    this.#status.replaceChildren(shown > 0 ? "" : this.#empty());
    if (isMore && rows[0]) {
      announce("Older entries added.");
      rows[0].querySelector("a")?.focus();
    }
  }

  #empty() {
    const isFiltered = Boolean(this.#filter.account || this.#filter.action);
    const clear = () => {
      this.#person.clear();
      this.#kind.value = "";
      this.#change({ account: null, action: "" });
    };
    return emptyState({ id: "audit-empty", iconElement: icon("log"), text: "What admins do appears here.",
      title: isFiltered ? "No matching entries" : "No entries yet",
      action: isFiltered ? h("button", { class: "button", type: "button", onclick: clear }, "Clear filters") : null });
  }

  /** Appends entries day by day; the rows that were made. */
  #append(entries) {
    return entries.map((entry) => {
      const row = auditRow(entry, { withAddress: true });
      this.#dayOf(entry).querySelector("ul").append(row);
      return row;
    });
  }

  /** The list of an entry's day, which is the last one or comes behind it. */
  #dayOf({ at }) {
    const day = dayText(at);
    const last = this.#list.lastElementChild;
    if (last?.dataset.day === day) return last;
    const title = day === dayText(this.#net.clock.now()) ? "Today" : day;
    const made = h("li", { dataset: { day } }, h("h2", { class: "event-date number" }, title), h("ul", { class: "card audit-list" }));
    this.#list.append(made);
    return made;
  }
}
