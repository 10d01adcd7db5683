// The log of what admins did, newest first, by person and kind.

import { actionGroups } from "./sentences.js";
import { announce, emptyState, h, setText } from "../kit/dom.js";
import { count, dayText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage, trouble } from "./frame.js";
import { auditRow } from "./auditrow.js";
import { loading } from "../kit/loading.js";

const pageSize = 50;
const suggestedMax = 8;
const searchAfterMilliseconds = 300;

export function show(root, { query }, app) {
  const { net } = app;
  const frame = consolePage(root, app, { part: "audit", title: "What admins did" });
  if (!frame || frame.isRefused) return frame?.close;
  const actions = actionGroups.flatMap(({ all, actions: some }) => [all, ...some.map(([value]) => value)]);
  const filter = { account: Number(query?.get("account")) || null, action: actions.includes(query?.get("action")) ? query.get("action")
    : "" };
  let next = null;
  let generation = 0;
  let personTimer = 0;
  let closed = false;

  const kind = h("select", { id: "audit-kind", onchange: () => change({ action: kind.value }) }, h("option", { value: "" }, "Everything"),
    ...actionGroups.map(({ label, all, actions: some }) => (
      some.length === 0 ? h("option", { value: all }, label)
        : h("optgroup", { label }, h("option", { value: all }, `${label}: all`),
          ...some.map(([value, words]) => h("option", { value }, `${label}: ${words.toLowerCase()}`))))));
  kind.value = filter.action;
  const names = h("datalist", { id: "audit-people" });
  const problem = h("p", { class: "problem", id: "audit-person-problem" });
  const person = h("input", { class: "input", id: "audit-person", type: "search", list: "audit-people", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 20, placeholder: "Username", "aria-describedby": "audit-person-problem", oninput: () => {
    problem.textContent = "";
    clearTimeout(personTimer);
    personTimer = setTimeout(choosePerson, searchAfterMilliseconds);
  }, onchange: () => choosePerson({ isFinal: true }) });
  const list = h("ol", { class: "audit-list audit-days", id: "audit" });
  const found = h("p", { class: "muted small", role: "status", id: "audit-found" });
  const status = h("div", {});
  const more = h("button", { class: "button wide", type: "button", id: "more-audit", hidden: true, onclick: () => load(true) },
    "Show older");
  frame.page.append(h("p", { class: "muted" }, "All of it is written down and kept for two years. Nobody can change it, not even they."),
    h("div", { class: "audit-filters" },
      h("div", { class: "field" }, h("label", { for: "audit-person" }, "Person, who did it or to whom"), person, names, problem),
      h("div", { class: "field" }, h("label", { for: "audit-kind" }, "What"), kind)), found, list, status, more);

  function change(part) {
    Object.assign(filter, part);
    const given = new URLSearchParams(Object.entries(filter).filter(([, value]) => value).map(([name, value]) => [name, String(value)]));
    history.replaceState(history.state, "", given.size > 0 ? `/admin/audit?${given}` : "/admin/audit");
    load();
  }

  /** The account with the username that is written; suggests others while there is none. */
  async function choosePerson({ isFinal = false } = {}) {
    clearTimeout(personTimer);
    const text = person.value.trim();
    if (text === "") {
      if (filter.account) change({ account: null });
      return;
    }
    try {
      const { users } = await net.request("admin.users", { text, limit: suggestedMax });
      if (closed || person.value.trim() !== text) return;
      const exact = users.find(({ username }) => username.toLowerCase() === text.toLowerCase());
      names.replaceChildren(...users.map(({ username, name }) => h("option", { value: username }, name ?? "")));
      if (exact && exact.id !== filter.account) change({ account: exact.id });
      else if (!exact && isFinal) problem.textContent = users.length > 0 ? "Say the whole username, or choose one of the list."
        : "There is nobody of that username. Accounts that were deleted are found without it.";
    } catch (error) {
      if (!closed) problem.textContent = error.message;
    }
  }

  /** Who it is of, when one came here by a link. */
  async function nameOfAccount() {
    if (!filter.account) return;
    try {
      const { user } = await net.request("admin.user", { account: filter.account });
      if (!closed && person.value === "") person.value = user.username;
    } catch {
      if (!closed && person.value === "") person.placeholder = `Account ${filter.account}`;
    }
  }

  async function load(isMore = false) {
    const mine = ++generation;
    list.setAttribute("aria-busy", "true");
    more.disabled = true;
    if (!isMore && list.childElementCount === 0) status.replaceChildren(loading(net));
    try {
      const reply = await net.request("admin.audit",
        { limit: pageSize, ...(filter.account && { account: filter.account }), ...(filter.action && { action: filter.action }),
          ...(isMore && next && { before: next }) });
      if (closed || mine !== generation) return;
      if (!isMore) list.replaceChildren();
      const rows = append(reply.entries);
      next = reply.next ?? null;
      more.hidden = next === null;
      const shown = list.querySelectorAll(".audit-row").length;
      setText(found, shown === 0 ? "" : `${count(shown, "entry", "entries")}${next ? ", and older ones" : ""}`);
      status.replaceChildren(shown > 0 ? "" : emptyState({ id: "audit-empty", iconElement: icon("log"), title: filter.account || filter.action ? "Nothing like that was done" : "Nothing was done yet", text: "What admins do is written down here.", action: filter.account || filter.action ? h("button", { class: "button", type: "button", onclick: () => {
        person.value = kind.value = "";
        change({ account: null, action: "" });
      } }, "Clear the filters") : null }));
      if (isMore && rows[0]) {
        announce("Older entries are shown.");
        rows[0].querySelector("a")?.focus();
      }
    } catch (error) {
      if (closed || mine !== generation) return;
      if (!isMore) list.replaceChildren();
      setText(found, "");
      status.replaceChildren(trouble(error, () => load(isMore)));
    } finally {
      if (mine === generation) {
        list.removeAttribute("aria-busy");
        more.disabled = false;
      }
    }
  }

  /** Day by day. */
  function append(entries) {
    const rows = [];
    for (const entry of entries) {
      const day = dayText(entry.at);
      let last = list.lastElementChild;
      if (last?.dataset.day !== day) {
        const title = day === dayText(net.clock.now()) ? "Today" : day;
        last = h("li", { dataset: { day } }, h("h2", { class: "event-date number" }, title), h("ul", { class: "card audit-list" }));
        list.append(last);
      }
      const row = auditRow(entry, { withAddress: true });
      last.querySelector("ul").append(row);
      rows.push(row);
    }
    return rows;
  }

  const live = () => { if (net.state === "live" && list.childElementCount === 0) load(); };
  net.addEventListener("state", live);
  nameOfAccount();
  load();
  return () => {
    closed = true;
    clearTimeout(personTimer);
    net.removeEventListener("state", live);
    frame.close();
  };
}
