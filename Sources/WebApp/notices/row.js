// A notice in a list, and what lists, its preview and the start page share.

import { h } from "../kit/dom.js";
import { dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isUnread } from "./log.js";
import { fromText, levelOf, toText, untilText } from "./words.js";

const titlesMax = 100;
const titles = new Map();
const names = new Map();

/** How much it matters: words, icon and colour. */
export function levelTag(id) {
  const { label, icon: name } = levelOf(id);
  return h("span", { class: "notice-level", dataset: { level: id } }, icon(name), label);
}

/** The title of an event that notices are about; null until it is known, or when it is not open to us. `known` is called then. */
export function eventTitle({ events }, id, known = () => {}) {
  if (!titles.has(id)) {
    if (titles.size >= titlesMax) titles.delete(titles.keys().next().value);
    titles.set(id, null);
    events.get(id).then(({ details }) => {
      titles.set(id, details.title);
      known();
    }, () => {});
  }
  return titles.get(id);
}

/** The name of an account that a notice went to, for its sender; null until it is known. `known` is called then. */
export function personName({ net, known: people }, account, known = () => {}) {
  if (!names.has(account)) {
    if (names.size >= titlesMax) names.delete(names.keys().next().value);
    names.set(account, null);
    net.request("admin.user", { account }).then(({ user }) => {
      names.set(account, user.username);
      known();
    }, () => {});
  }
  const username = names.get(account);
  return username === null ? null : people.nameOf(username);
}

/** To whom it is, as an element: an event's title leads there. */
export function toElement(notice, app, { isMine = true, known } = {}) {
  const { kind, event, account } = notice.to;
  const person = kind === "user" && !isMine && account ? personName(app, account, known) : null;
  const { text, path } = toText(notice, { campus: app.net.campus ?? app.lastCampus(), isMine, person, eventTitle: kind === "event" ? eventTitle(app, event, known) : null });
  return path ? h("a", { href: path }, text) : h("span", {}, text);
}

/** What a row is drawn from. */
export function noticeSig(notice, now, isOpen, app) {
  return JSON.stringify([notice, isOpen, notice.expiresAt ? untilText(notice.expiresAt, now) : null, notice.to?.kind === "event" ? titles.get(notice.to.event) ?? null : null, app.net.campus?.zones?.length]);
}

/**
 * A list item. `isOpen` shows all of it, `toggle()` is called when that is to change; without `toggle` it is only shown. `known` is called when
 * it can say more. With `path` the title leads there instead.
 */
export function noticeRow(notice, { app, now, isOpen = false, toggle = null, path = null, isMine = true, known, heading = "h3", tag = "li" }) {
  const { number, level, at, changedAt, expiresAt, withdrawn } = notice;
  if (withdrawn) {
    return h(tag, { class: "notice-row", dataset: { notice: number, withdrawn: true } }, h("span", { class: "notice-icon" }, icon("close")),
      h("div", { class: "notice-what" }, h("p", { class: "muted" }, h("strong", {}, "Withdrawn. "), `A notice of ${timeText(at)} was taken back by its sender.`)));
  }
  const bodyId = `notice-${number}-body`;
  const unread = isUnread(notice);
  const title = toggle
    ? h("button", { class: "notice-title", type: "button", "aria-expanded": String(isOpen), "aria-controls": bodyId, onclick: (event) => {
      event.stopPropagation();
      toggle();
    } }, notice.title, unread ? h("span", { class: "visually-hidden" }, " (unread)") : null)
    : path ? h("a", { class: "notice-title", href: path }, notice.title) : h("span", { class: "notice-title" }, notice.title);
  return h(tag, {
    class: "notice-row", dataset: { notice: number, level, unread, open: isOpen }, onclick: toggle && ((event) => {
      if (!event.target.closest("a, button") && String(getSelection()) === "") toggle();
    }),
  },
  h("span", { class: "notice-icon" }, icon(levelOf(level).icon)),
  h("div", { class: "notice-what" },
    h("div", { class: "notice-top" }, levelTag(level), unread ? h("span", { class: "notice-new" }, "Unread") : null, changedAt ? h("span", { class: "notice-mark" }, "Corrected") : null, h("time", { class: "notice-time number", datetime: at, title: `${dayText(at)} ${timeText(at)}` }, timeText(at))),
    h(heading, { class: "notice-heading" }, title),
    h("div", { id: bodyId, class: "notice-more" },
      notice.body ? h("p", { class: "notice-body" }, notice.body) : null,
      h("p", { class: "notice-facts muted small" }, fromText(notice, (username) => app.known.nameOf(username)), h("span", {}, "To: ", toElement(notice, app, { isMine, known })),
        isOpen && changedAt ? h("span", {}, `Corrected ${dayText(changedAt)}, ${timeText(changedAt)}`) : null, isOpen && expiresAt ? h("span", {}, `Holds ${untilText(expiresAt, now)}`) : null))));
}
