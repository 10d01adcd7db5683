// Reports, for admins: who reports whom, why, what was said, and closing one.

import { emptyState, h, setText, toast } from "../kit/dom.js";
import { count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { consolePage } from "./frame.js";
import { loading } from "../kit/loading.js";

const pageSize = 20;
const resolutionCharactersMax = 1_000;
const reasonNames = { spam: "Spam", harassment: "Harassment", unsafe: "Feels unsafe", fake: "Fake person", other: "Something else" };

export function show(root, _params, app) {
  const { net, chat, pictures } = app;
  const frame = consolePage(root, app, { part: "reports", title: "Reports" });
  if (!frame || frame.isRefused) return frame?.close;
  const scope = pictures.scope();
  let isClosedShown = false;
  let next = null;
  let generation = 0;
  const list = h("ul", { class: "stack", id: "reports" });
  const problem = h("p", { class: "problem", role: "alert" });
  const status = h("div", {});
  const openCount = h("span", { class: "number" });
  const more = h("button", { class: "button wide", type: "button", hidden: true, onclick: () => load(next) }, "Load more");
  const tab = (closed, label, ...rest) => h("button", { class: "chip-button", type: "button", "aria-pressed": String(closed === isClosedShown), dataset: { closed }, onclick: () => {
    isClosedShown = closed;
    for (const button of tabs.children) button.setAttribute("aria-pressed", String(button.dataset.closed === String(closed)));
    load();
  } }, label, ...rest);
  const tabs = h("div", { class: "row", role: "group", "aria-label": "Which reports" });
  tabs.append(tab(false, "Open", openCount), tab(true, "Closed"));
  frame.page.append(tabs, problem, list, status, more);

  async function load(before = null) {
    const mine = ++generation;
    problem.textContent = "";
    if (!before) status.replaceChildren(loading(net));
    try {
      const reply = await net.request("reports.list", { closed: isClosedShown, limit: pageSize, ...(before && { before }) });
      if (mine !== generation) return;
      if (!before) list.replaceChildren();
      list.append(...reply.reports.map(row));
      setText(openCount, reply.open > 0 ? ` ${reply.open}` : "");
      next = reply.next ?? null;
      more.hidden = next === null;
      status.replaceChildren(list.children.length > 0 ? ""
        : emptyState(
          { id: "reports-empty", iconElement: icon("flag"), title: isClosedShown ? "No closed reports" : "No open reports",
            text: "What people report is listed here, with the messages or the event it is about." }));
    } catch (error) {
      if (mine !== generation) return;
      status.replaceChildren();
      problem.textContent = error.message;
    }
  }

  function row(report) {
    const { id, at, reporter, reported, reportsOfAccount, reason, note, conversation, evidence, event, closedAt, resolution } = report;
    const nameOf = (account) => [reporter, reported].find((person) => person?.account === account)?.name ?? `Account ${account}`;
    return h("li", { class: "card stack report", dataset: { report: id } },
      h("div", { class: "report-head" }, h("h2", {}, reasonNames[reason] ?? reason, ": ", reported?.name ?? "account deleted"),
        h("span", { class: "tag" }, count(reportsOfAccount, "report"), " of this account")),
      h("p", { class: "muted small number" }, `Report ${id}, ${dayText(at)} ${timeText(at)}, by `
        + `${reporter?.name ?? "an account that is gone"}${conversation ? `, conversation ${conversation}` : ""}`),
      note ? h("blockquote", {}, note) : null,
      event ? eventEvidence(event) : null,
      reported ? h("p", { class: "row" },
        h("a", { class: "button small-button", href: `/admin/users/${reported.account}`, dataset: { person: reported.account } },
          icon("account"), `Account of ${reported.name}`)) : null,
      event && evidence.length === 0 ? null : evidence.length > 0
        ? h("details", { open: evidence.length <= 3 }, h("summary", {}, count(evidence.length, "message")),
          h("ol", { class: "evidence" }, ...evidence.map((message) => evidenceRow(message, nameOf))))
        : h("p", { class: "muted" }, "No messages belong to this report."),
      closedAt ? h("p", { class: "notice good" }, icon("tick"),
        h("span", {}, h("strong", {}, `Closed ${dayText(closedAt)}: `), resolution ?? "")) : closeForm(id));
  }

  /** What the event said when it was reported. */
  function eventEvidence({ event, title, description, place, startsAt }) {
    return h("div", { class: "stack report-event" },
      h("p", {}, h("a", { href: `/events/${event}` }, `Event ${event}`), ": ", h("strong", {}, title)),
      h("p", { class: "muted small" }, `${place}, ${dayText(startsAt)} ${timeText(startsAt)}`), description
      ? h("p", { class: "evidence-text" }, description) : null);
  }

  function evidenceRow({ by, at, text, picture, deleted, before, cut }, nameOf) {
    const img = picture ? h("img", { class: "evidence-picture", alt: "Reported picture" }) : null;
    if (img) scope.show(img, picture, { onMissing: () => img.replaceWith(h("p", { class: "muted" }, "The picture cannot be shown.")) });
    return h("li", {}, h("p", { class: "small muted number" }, h("strong", {}, nameOf(by)), ` ${dayText(at)} ${timeText(at)}`, deleted ? " · deleted by its writer" : ""),
      text ? h("p", { class: "evidence-text" }, text) : null, img,
      ...before.map((earlier) => h("p", { class: "evidence-text earlier" }, h("span", { class: "muted" }, "Before: "), earlier)),
      cut ? h("p", { class: "small muted evidence-cut" },
        "Shortened: this message was longer, or changed more often, than a report holds. Long wordings end early.") : null);
  }

  function closeForm(id) {
    const field = h("textarea", { class: "input", id: `resolution-${id}`, rows: "2", maxlength: resolutionCharactersMax });
    const submit = h("button", { class: "button", type: "submit" }, "Close the report");
    const trouble = h("p", { class: "problem", role: "alert" });
    return h("form", { class: "stack", onsubmit: async (event) => {
      event.preventDefault();
      const resolution = field.value.trim();
      trouble.textContent = resolution === "" ? "Please write what was done." : "";
      if (resolution === "") return;
      submit.disabled = true;
      try {
        await net.request("reports.close", { report: id, resolution });
        toast("Report closed");
        load();
      } catch (error) {
        trouble.textContent = error.message;
        submit.disabled = false;
      }
    } }, h("div", { class: "field" }, h("label", { for: `resolution-${id}` }, "What was done about it?"), field), trouble,
    h("div", { class: "row" }, submit));
  }

  const arrived = () => { if (!isClosedShown && !list.contains(document.activeElement)) load(); };
  chat.addEventListener("report", arrived);
  load();
  return () => {
    frame.close();
    chat.removeEventListener("report", arrived);
    scope.close();
  };
}
