// A line of the log of what admins did.

import { pathOf, sentenceOf } from "./sentences.js";
import { h } from "../kit/dom.js";
import { momentText } from "../kit/format.js";

/** A row; `withAddress` adds where it came from. */
export function auditRow(entry, { withAddress = false } = {}) {
  const { actor, verb, kind, subject, rest } = sentenceOf(entry);
  const path = pathOf(entry);
  const isOperator = entry.actor === undefined || entry.actor === null;
  return h("li", { class: "audit-row", dataset: { entry: entry.id, action: entry.action } },
    h("p", { class: "audit-words" },
      isOperator ? h("strong", {}, actor) : h("a", { href: `/admin/users/${entry.actor}` }, h("strong", {}, actor)), ` ${verb} ${kind}`,
      path ? h("a", { href: path }, h("strong", {}, subject)) : h("strong", {}, subject), rest),
    h("p", { class: "muted small number" }, h("time", { datetime: entry.at }, momentText(entry.at)), isOperator
      ? " · on the server" : "", withAddress && entry.address ? ` · from ${entry.address}` : ""));
}
