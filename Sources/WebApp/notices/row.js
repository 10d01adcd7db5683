// A notice in a list, and parts that lists, its preview and the start page share.

import { h } from "../kit/dom.js";
import { momentText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isUnread } from "./log.js";
import { fromText, levelOf, toText, untilText } from "./words.js";

const titlesMax = 100;
const titles = new Map();
const names = new Map();

/** The level as a tag: words, icon and colour. */
export function levelTag(id) {
  const { label, icon: name } = levelOf(id);
  return h("span", { class: "notice-level", dataset: { level: id } }, icon(name), label);
}

/** The title of an event that notices are about; null until it is known, and when the account cannot see it. `known()` is called then. */
function eventTitle({ events }, id, known = () => {}) {
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

/** The name of an account that a notice went to, for its sender; null until it is known. `known()` is called then. */
function personName({ net, known: people }, account, known = () => {}) {
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

/** An audience in words, as of `toText`. `known()` is called when a title or name that it lacks becomes known. */
export function audienceText({ kind, ...members }, app, { isMine = true, known = () => {} } = {}) {
  const { event, account } = members;
  const person = kind === "user" && !isMine && account ? personName(app, account, known) : null;
  const title = kind === "event" ? eventTitle(app, event, known) : null;
  return toText({ to: { kind, ...members } }, { campus: app.net.campus ?? app.lastCampus(), isMine, person, eventTitle: title });
}

/** An audience as an element: the title of an event leads to its page. */
function audienceElement(audience, app, options) {
  const { text, path } = audienceText(audience, app, options);
  return path ? h("a", { href: path }, text) : h("span", {}, text);
}

/** Everything that a row shows, as a string: another row is made when it changes. */
export function noticeSig(notice, now, isOpen, app) {
  const until = notice.expiresAt ? untilText(notice.expiresAt, now) : null;
  const title = notice.to?.kind === "event" ? titles.get(notice.to.event) ?? null : null;
  return JSON.stringify([notice, isOpen, until, title, app.net.campus?.zones?.length]);
}

/**
 * A list item. `isOpen` shows all of it; `toggle()` is called when that is to change, without `toggle` the row is only shown. `known()` is
 * called when a title or name that it lacks becomes known. With `path` the title leads there.
 */
export function noticeRow(notice, options) {
  const { isOpen = false, toggle = null, path = null, heading = "h3", tag = "li" } = options;
  const { number, level, withdrawn } = notice;
  if (withdrawn) return withdrawnRow(notice, tag);
  const unread = isUnread(notice);
  const pressed = toggle && ((event) => {
    if (!event.target.closest("a, button") && String(getSelection()) === "") toggle();
  });
  return h(tag, { class: "notice-row", dataset: { notice: number, level, unread, open: isOpen }, onclick: pressed },
    h("span", { class: "notice-icon" }, icon(levelOf(level).icon)),
    h("div", { class: "notice-what" }, rowTop(notice, unread),
      h(heading, { class: "notice-heading" }, rowTitle(notice, { isOpen, toggle, path, unread })), rowMore(notice, options)));
}

const bodyIdOf = (number) => `notice-${number}-body`;

function withdrawnRow({ number, at }, tag) {
  const text = `The sender withdrew this notice from ${timeText(at)}.`;
  return h(tag, { class: "notice-row", dataset: { notice: number, withdrawn: true } }, h("span", { class: "notice-icon" }, icon("close")),
    h("div", { class: "notice-what" }, h("p", { class: "muted" }, h("strong", {}, "Withdrawn. "), text)));
}

function rowTop({ level, changedAt, at }, unread) {
  return h("div", { class: "notice-top" }, levelTag(level), unread ? h("span", { class: "notice-new" }, "Unread") : null,
    changedAt ? h("span", { class: "notice-mark" }, "Corrected") : null,
    h("time", { class: "notice-time number", datetime: at, title: momentText(at) }, timeText(at)));
}

function rowTitle({ number, title }, { isOpen, toggle, path, unread }) {
  if (!toggle) return path ? h("a", { class: "notice-title", href: path }, title) : h("span", { class: "notice-title" }, title);
  const pressed = (event) => {
    event.stopPropagation();
    toggle();
  };
  return h("button", {
    class: "notice-title", type: "button", "aria-expanded": String(isOpen), "aria-controls": bodyIdOf(number), onclick: pressed,
  }, title, unread ? h("span", { class: "visually-hidden" }, " (unread)") : null);
}

function rowMore(notice, { app, now, isOpen = false, isMine = true, known }) {
  const { number, body, changedAt, expiresAt } = notice;
  return h("div", { id: bodyIdOf(number), class: "notice-more" }, body ? h("p", { class: "notice-body" }, body) : null,
    h("p", { class: "notice-facts muted small" }, fromText(notice, (username) => app.known.nameOf(username)),
      h("span", {}, "To: ", audienceElement(notice.to, app, { isMine, known })),
      isOpen && changedAt ? h("span", {}, `Corrected ${momentText(changedAt)}`) : null,
      isOpen && expiresAt ? h("span", {}, `Valid ${untilText(expiresAt, now)}`) : null));
}
