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

export function show(root, { query }, app) {
  const { net } = app;
  const frame = consolePage(root, app,
    { part: "users", title: "People",
      actions: [h("a", { class: "button primary", href: "/admin/users/new", id: "new-user" }, icon("plus"), "Add a person")] });
  if (!frame || frame.isRefused) return frame?.close;
  const filter = { q: (query?.get("q") ?? "").slice(0, searchCharactersMax), role: roleNames[query?.get("role")] ? query.get("role") : "",
    state: query?.get("state") === "disabled" ? "disabled" : "" };
  let next = null;
  let shown = 0;
  let generation = 0;
  let searchTimer = 0;
  let closed = false;

  const search = h("input", { class: "input search-input", type: "search", id: "user-search", "aria-label": "Search people", placeholder: "Name, username or whole email", maxlength: searchCharactersMax, autocomplete: "off", autocapitalize: "none", spellcheck: "false", value: filter.q, oninput: () => {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(() => change({ q: search.value.trim() }), searchAfterMilliseconds);
  } });
  const role = h("select", { id: "user-role", "aria-label": "Role", onchange: () => change({ role: role.value }) },
    h("option", { value: "" }, "All roles"),
    ...roles.map(({ id, label }) => h("option", { value: id, selected: id === filter.role }, label)));
  const state = h("select", { id: "user-state", "aria-label": "State", onchange: () => change({ state: state.value }) },
    h("option", { value: "" }, "All states"), h("option", { value: "disabled", selected: filter.state === "disabled" }, "Disabled"));
  const found = h("p", { class: "muted small", role: "status", id: "users-found" });
  const tbody = h("tbody", { role: "rowgroup" });
  const table = h("table", { class: "people-table", role: "table", "aria-label": "People", id: "users", hidden: true },
    h("thead", { role: "rowgroup" },
      h("tr", { role: "row" }, ...columns.map((name) => h("th", { scope: "col", role: "columnheader" }, name)))), tbody);
  const status = h("div", {});
  const more = h("button", { class: "button wide", type: "button", id: "more-users", hidden: true, onclick: () => load(true) },
    "Show more");
  frame.page.append(h("div", { class: "people-filters" }, h("div", { class: "search-box" }, icon("search"), search), role, state), found,
    table, status, more);

  function change(part) {
    clearTimeout(searchTimer);
    Object.assign(filter, part);
    const given = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
    history.replaceState(history.state, "", given.size > 0 ? `/admin/users?${given}` : "/admin/users");
    load();
  }

  async function load(isMore = false) {
    const mine = ++generation;
    table.setAttribute("aria-busy", "true");
    more.disabled = true;
    if (shown === 0) status.replaceChildren(loading(net));
    try {
      const reply = await net.request("admin.users",
        { limit: pageSize, ...(filter.q && { text: filter.q }), ...(filter.role && { role: filter.role }),
          ...(filter.state && { state: filter.state }), ...(isMore && next && { before: next }) });
      if (closed || mine !== generation) return;
      const made = reply.users.map(row);
      if (isMore) tbody.append(...made);
      else tbody.replaceChildren(...made);
      shown = tbody.childElementCount;
      next = reply.next ?? null;
      table.hidden = shown === 0;
      more.hidden = next === null;
      const words = shown === 0 ? "" : `${count(shown, "person", "people")}${next ? " or more" : ""}, newest first`;
      setText(found, words);
      status.replaceChildren(shown === 0 ? empty() : "");
      if (isMore) made[0]?.querySelector("a").focus();
      else if (filter.q) announce(words || "Nobody is found.");
    } catch (error) {
      if (closed || mine !== generation) return;
      if (!isMore) {
        table.hidden = more.hidden = true;
        shown = 0;
        setText(found, "");
      }
      status.replaceChildren(trouble(error, () => load(isMore)));
    } finally {
      if (mine === generation) {
        table.removeAttribute("aria-busy");
        more.disabled = false;
      }
    }
  }

  function empty() {
    const isFiltered = Object.values(filter).some((value) => value !== "");
    return emptyState({ id: "users-empty", iconElement: icon("buddies"), title: isFiltered ? "Nobody is found" : "Nobody is here yet", text: isFiltered ? "Say less, or a whole email address." : "Add the first person.", action: isFiltered ? h("button", { class: "button", type: "button", onclick: () => {
      search.value = role.value = state.value = "";
      change({ q: "", role: "", state: "" });
    } }, "Clear the filters") : null });
  }

  function row(user) {
    const cell = (name, ...children) => h("td", { role: "cell", dataset: { label: name } }, ...children);
    return h("tr", { role: "row", dataset: { user: user.id } },
      h("th", { scope: "row", role: "rowheader" }, h("a", { href: `/admin/users/${user.id}`, class: "row-link" }, user.username), user.name
        ? h("span", { class: "muted small" }, user.name) : null),
      cell("Role", roleTag(user.role)), cell("State", stateTag(user)), cell("Email", h("span", { class: "number breaks" }, user.email)),
      cell("Last seen", h("span", { class: "number" }, user.lastUsedAt ? ago((net.clock.now() - Date.parse(user.lastUsedAt)) / 1000)
        : "Never")), cell("Since", h("span", { class: "number" }, dayText(user.createdAt))));
  }

  const live = () => { if (net.state === "live" && shown === 0) load(); };
  net.addEventListener("state", live);
  load();
  return () => {
    closed = true;
    clearTimeout(searchTimer);
    net.removeEventListener("state", live);
    frame.close();
  };
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
