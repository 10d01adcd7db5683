// Notices that one sent, and for admins anybody's: where they stand, newest first.

import { emptyState, h } from "../kit/dom.js";
import { dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { stateNames, toText } from "./words.js";
import { loading } from "../kit/loading.js";
import { maySend } from "./list.js";
import { eventTitle, levelTag, personName } from "./row.js";

const pageSize = 20;

/** The state as a tag. */
export function stateTag(state) {
  const looks = { scheduled: ["warn", "clock"], published: ["good", "tick"], withdrawn: ["bad", "close"], expired: ["", "clock"] };
  const [tone, name] = looks[state] ?? ["", "question"];
  return h("span", { class: `event-tag ${tone}`, dataset: { state } }, icon(name), stateNames[state] ?? state);
}

/** Serves `/notices/sent`. */
export function show(root, _params, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go("/login?next=/notices/sent", { replace: true });
    return undefined;
  }
  let next = null;
  let closed = false;
  const list = h("ul", { class: "notice-rows", id: "sent-notices" });
  const status = h("div", { class: "event-status" });
  const more = h("button", { class: "button wide", type: "button", hidden: true, onclick: () => load(next) }, "Load older ones");
  root.append(h("div", { class: "page stack notices-page" }, h("p", {}, h("a", { href: "/notices", class: "back" }, "← Notices")),
    h("header", { class: "notices-head" }, h("h1", { tabindex: "-1" }, "Sent notices"),
      maySend(net.account) ? h("a", { class: "button primary small-button", href: "/notices/new", id: "new-notice" }, icon("plus"), "New notice") : null), list, status, more));

  async function load(before = null) {
    more.disabled = true;
    if (list.children.length === 0) status.replaceChildren(loading(net));
    try {
      const reply = await net.request("notices.sent", { limit: pageSize, ...(before && { before }) });
      if (closed) return;
      list.append(...reply.notices.map(row));
      next = reply.next ?? null;
      more.hidden = next === null;
      status.replaceChildren(list.children.length > 0 ? "" : emptyState({ id: "sent-empty", iconElement: icon("send"), title: "Nothing sent yet", text: "Each notice you send is listed here. For large audiences you see about how many people have it and have read it." }));
    } catch (error) {
      if (closed) return;
      status.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message), h("button", { class: "button", type: "button", onclick: () => load(before) }, "Try again"));
    }
    more.disabled = false;
  }

  function row({ notice, audience, state, publishAt, recipients, received, read }) {
    const to = h("span", {});
    const drawTo = () => to.replaceChildren(`To: ${toText({ to: audience }, { campus: net.campus ?? app.lastCampus(), isMine: false, person: audience.kind === "user" ? personName(app, audience.account, drawTo) : null, eventTitle: audience.kind === "event" ? eventTitle(app, audience.event, drawTo) : null }).text}`);
    drawTo();
    return h("li", { class: "notice-row sent-row", dataset: { sent: notice.number, level: notice.level } },
      h("a", { class: "sent-link", href: `/notices/sent/${notice.number}` },
        h("span", { class: "notice-top" }, levelTag(notice.level), stateTag(state), notice.revision > 1 && state !== "withdrawn" ? h("span", { class: "notice-mark" }, "Corrected") : null),
        h("strong", { class: "notice-title" }, notice.title),
        h("span", { class: "notice-facts muted small" }, h("span", { class: "number" }, `${dayText(publishAt)} ${timeText(publishAt)}`), notice.from?.username && notice.from.username !== net.account?.username ? h("span", {}, `By ${app.known.nameOf(notice.from.username)}`) : null, to,
          state === "scheduled" || received === undefined ? null : h("span", { class: "number" }, `About ${received.toLocaleString("en")} of ${recipients.toLocaleString("en")} have it, ${read.toLocaleString("en")} read it`))));
  }

  load();
  return () => { closed = true; };
}
