// The people of the campus: found by words, role and state; a table, or cards on a phone.

import { roleNames, roles } from "./parts.js";
import { announce, emptyState, h, setText } from "../kit/dom.js";
import { ago, count, dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage, trouble } from "./frame.js";
import { loading } from "../kit/loading.js";

const pageSize = 30;
const searchCharactersMax = 254;
const searchAfterMilliseconds = 350;
const columns = ["Person", "Role", "State", "Email", "Last seen", "Since"];

/** Serves `/admin/users`. */
export function show(root, { query }, app) {
  const add = h("a", { class: "button primary", href: "/admin/users/new", id: "new-user" }, icon("plus"), "Add person");
  const frame = consolePage(root, app, { part: "users", title: "People", actions: [add] });
  if (!frame || frame.isRefused) return frame?.close;
  const page = new UsersPage(app, frame, filterOf(query));
  page.start();
  return () => page.close();
}

/** `{q, role, state}` of the page's address; an empty text is no filter. */
function filterOf(query) {
  const role = query?.get("role");
  return {
    q: (query?.get("q") ?? "").slice(0, searchCharactersMax),
    role: roleNames[role] ? role : "",
    state: query?.get("state") === "disabled" ? "disabled" : "",
  };
}

/** The fields of the filter: `{element, clear(), close()}`; `changed(part)` with the members that are changed. */
function makeFilters(filter, changed) {
  let timer = 0;
  const search = h("input", { class: "input search-input", type: "search", id: "user-search", "aria-label": "Search people",
    placeholder: "Name, username or full email", maxlength: searchCharactersMax, autocomplete: "off", autocapitalize: "none",
    spellcheck: "false", value: filter.q, oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => change({ q: search.value.trim() }), searchAfterMilliseconds);
    } });
  const role = h("select", { id: "user-role", "aria-label": "Role", onchange: () => change({ role: role.value }) },
    h("option", { value: "" }, "All roles"),
    ...roles.map(({ id, label }) => h("option", { value: id, selected: id === filter.role }, label)));
  const state = h("select", { id: "user-state", "aria-label": "State", onchange: () => change({ state: state.value }) },
    h("option", { value: "" }, "All states"), h("option", { value: "disabled", selected: filter.state === "disabled" }, "Disabled"));

  function change(part) {
    clearTimeout(timer);
    changed(part);
  }

  return {
    element: h("div", { class: "people-filters" }, h("div", { class: "search-box" }, icon("search"), search), role, state),
    clear() {
      search.value = role.value = state.value = "";
      change({ q: "", role: "", state: "" });
    },
    close: () => clearTimeout(timer),
  };
}

class UsersPage {
  #net;
  #frame;
  #filter;
  #filters;
  #next = null;
  /** How many people are shown. */
  #shown = 0;
  #generation = 0;
  #closed = new AbortController();
  #found = h("p", { class: "muted small", role: "status", id: "users-found" });
  #body = h("tbody", { role: "rowgroup" });
  #table = h("table", { class: "people-table", role: "table", "aria-label": "People", id: "users", hidden: true },
    h("thead", { role: "rowgroup" },
      h("tr", { role: "row" }, ...columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name)))), this.#body);
  #status = h("div", {});
  #more = h("button", { class: "button wide", type: "button", id: "more-users", hidden: true, onclick: () => this.#load(true) },
    "Show more");

  constructor({ net }, frame, filter) {
    this.#net = net;
    this.#frame = frame;
    this.#filter = filter;
    this.#filters = makeFilters(filter, (part) => this.#change(part));
    frame.page.append(this.#filters.element, this.#found, this.#table, this.#status, this.#more);
  }

  start() {
    this.#net.addEventListener("state", () => {
      if (this.#net.state === "live" && this.#shown === 0) this.#load();
    }, { signal: this.#closed.signal });
    this.#load();
  }

  close() {
    this.#closed.abort();
    this.#filters.close();
    this.#frame.close();
  }

  #change(part) {
    Object.assign(this.#filter, part);
    const given = new URLSearchParams(Object.entries(this.#filter).filter(([, value]) => value !== ""));
    history.replaceState(history.state, "", given.size > 0 ? `/admin/users?${given}` : "/admin/users");
    this.#load();
  }

  async #load(isMore = false) {
    const mine = ++this.#generation;
    const isStale = () => this.#closed.signal.aborted || mine !== this.#generation;
    this.#table.setAttribute("aria-busy", "true");
    this.#more.disabled = true;
    if (this.#shown === 0) this.#status.replaceChildren(loading(this.#net));
    try {
      const page = await this.#request(isMore);
      if (!isStale()) this.#show(page, isMore);
    } catch (error) {
      if (isStale()) return;
      if (!isMore) {
        this.#table.hidden = this.#more.hidden = true;
        this.#shown = 0;
        setText(this.#found, "");
      }
      this.#status.replaceChildren(trouble(error, () => this.#load(isMore)));
    } finally {
      if (mine === this.#generation) {
        this.#table.removeAttribute("aria-busy");
        this.#more.disabled = false;
      }
    }
  }

  #request(isMore) {
    const { q, role, state } = this.#filter;
    return this.#net.request("admin.users", { limit: pageSize, ...(q && { text: q }), ...(role && { role }), ...(state && { state }),
      ...(isMore && this.#next && { before: this.#next }) });
  }

  #show({ users, next = null }, isMore) {
    const rows = users.map((user) => userRow(user, this.#net.clock.now()));
    if (isMore) this.#body.append(...rows);
    else this.#body.replaceChildren(...rows);
    this.#shown = this.#body.childElementCount;
    this.#next = next;
    this.#table.hidden = this.#shown === 0;
    this.#more.hidden = next === null;
    const words = this.#shown === 0 ? "" : `${count(this.#shown, "person", "people")}${next ? " or more" : ""}, newest first`;
    setText(this.#found, words);
    this.#status.replaceChildren(this.#shown === 0 ? this.#empty() : "");
    if (isMore) rows[0]?.querySelector("a").focus();
    else if (this.#filter.q) announce(words || "No results.");
  }

  #empty() {
    const isFiltered = Object.values(this.#filter).some((value) => value !== "");
    const clear = h("button", { class: "button", type: "button", onclick: () => this.#filters.clear() }, "Clear filters");
    return emptyState({ id: "users-empty", iconElement: icon("buddies"), title: isFiltered ? "No results" : "No people yet",
      text: isFiltered ? "Try a shorter name, or a full email address." : "Add the first person.", action: isFiltered ? clear : null });
  }
}

/** A row of the table; `now` is the server's time in ms. */
function userRow(user, now) {
  const cell = (name, ...children) => h("td", { role: "cell", dataset: { label: name } }, ...children);
  const number = (text) => h("span", { class: "number" }, text);
  return h("tr", { role: "row", dataset: { user: user.id } },
    h("th", { scope: "row", role: "rowheader" }, h("a", { href: `/admin/users/${user.id}`, class: "row-link" }, user.username),
      user.name ? h("span", { class: "muted small" }, user.name) : null),
    cell("Role", roleTag(user.role)),
    cell("State", stateTag(user)),
    cell("Email", h("span", { class: "number breaks" }, user.email)),
    cell("Last seen", number(user.lastUsedAt ? ago((now - Date.parse(user.lastUsedAt)) / 1000) : "Never")),
    cell("Since", number(dayText(user.createdAt))));
}

/** A role as a tag. */
export function roleTag(role) {
  return h("span", { class: "event-tag role-tag", dataset: { role } }, roleNames[role] ?? role);
}

/** How an account is, as a tag: disabled, invited, a sample, or active. */
export function stateTag({ state, invited, simulated }) {
  const [kind, words] = state === "disabled" ? ["bad", "Disabled"] : invited ? ["warn", "Invited"] : simulated ? ["", "Sample"]
    : ["good", "Active"];
  return h("span", { class: `event-tag ${kind}` }, words);
}
