// A report as admins see it: its reason, its evidence, and the form that closes it.

import { h, toast } from "../kit/dom.js";
import { count, dayText, momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

const resolutionCharactersMax = 1_000;
/** Messages of a report that are shown without a tap. */
const openEvidenceMax = 3;
const reasonNames = { spam: "Spam", harassment: "Harassment", unsafe: "Feels unsafe", fake: "Fake profile", other: "Something else" };

/** Name of a reason; an unknown one is shown as it is. */
export const reasonName = (reason) => reasonNames[reason] ?? reason;

/** A row of the list; `scope` shows pictures, `closed()` is called when the report was closed here. */
export function reportRow(report, { net, scope, closed }) {
  const { id, at, reporter, reported, reportsOfAccount, reason, note, conversation, event, closedAt, resolution } = report;
  const about = conversation ? `, conversation ${conversation}` : "";
  return h("li", { class: "card stack report", dataset: { report: id } },
    h("div", { class: "report-head" }, h("h2", {}, reasonName(reason), ": ", reported?.name ?? "account deleted"),
      h("span", { class: "tag" }, count(reportsOfAccount, "report"), " about this account")),
    h("p", { class: "muted small number" }, `Report ${id}, ${momentText(at)}, by ${reporter?.name ?? "a deleted account"}${about}`),
    note ? h("blockquote", {}, note) : null,
    event ? eventEvidence(event) : null,
    reported ? h("p", { class: "row" }, h("a", { class: "button small-button", href: `/admin/users/${reported.account}`,
      dataset: { person: reported.account } }, icon("account"), `View ${reported.name}`)) : null,
    messageEvidence(report, scope),
    closedAt
      ? h("p", { class: "notice good" }, icon("tick"), h("span", {}, h("strong", {}, `Closed ${dayText(closedAt)}: `), resolution ?? ""))
      : closeForm(id, { net, closed }));
}

/** Text of the event at the time of the report. */
function eventEvidence({ event, title, description, place, startsAt }) {
  return h("div", { class: "stack report-event" },
    h("p", {}, h("a", { href: `/events/${event}` }, `Event ${event}`), ": ", h("strong", {}, title)),
    h("p", { class: "muted small" }, `${place}, ${momentText(startsAt)}`),
    description ? h("p", { class: "evidence-text" }, description) : null);
}

function messageEvidence({ evidence, event, reporter, reported }, scope) {
  if (evidence.length === 0) return event ? null : h("p", { class: "muted" }, "This report has no messages.");
  const nameOf = (account) => [reporter, reported].find((person) => person?.account === account)?.name ?? `Account ${account}`;
  return h("details", { open: evidence.length <= openEvidenceMax }, h("summary", {}, count(evidence.length, "message")),
    h("ol", { class: "evidence" }, ...evidence.map((message) => messageRow(message, { nameOf, scope }))));
}

function messageRow({ by, at, text, picture, deleted, before, cut }, { nameOf, scope }) {
  const img = picture ? h("img", { class: "evidence-picture", alt: "Reported picture" }) : null;
  if (img) scope.show(img, picture, { onMissing: () => img.replaceWith(h("p", { class: "muted" }, "Couldn't load the picture.")) });
  return h("li", {},
    h("p", { class: "small muted number" }, h("strong", {}, nameOf(by)), ` ${momentText(at)}`, deleted ? " · deleted by its author" : ""),
    text ? h("p", { class: "evidence-text" }, text) : null, img,
    ...before.map((earlier) => h("p", { class: "evidence-text earlier" }, h("span", { class: "muted" }, "Before: "), earlier)),
    cut ? h("p", { class: "small muted evidence-cut" },
      "This message is shortened: it was longer, or edited more often, than a report can hold.") : null);
}

function closeForm(id, { net, closed }) {
  const field = h("textarea", { class: "input", id: `resolution-${id}`, rows: "2", maxlength: resolutionCharactersMax });
  const submit = h("button", { class: "button", type: "submit" }, "Close report");
  const problem = h("p", { class: "problem", role: "alert" });
  const send = async (event) => {
    event.preventDefault();
    const resolution = field.value.trim();
    problem.textContent = resolution === "" ? "Describe what you did." : "";
    if (resolution === "") return;
    submit.disabled = true;
    try {
      await net.request("reports.close", { report: id, resolution });
      toast("Report closed.");
      closed();
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  };
  return h("form", { class: "stack", onsubmit: send },
    h("div", { class: "field" }, h("label", { for: `resolution-${id}` }, "What did you do about it?"), field), problem,
    h("div", { class: "row" }, submit));
}
