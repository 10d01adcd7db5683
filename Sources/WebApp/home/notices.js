// For the start page: important notices that were not read. An unread emergency is above each page already.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { KeyedChildren } from "../kit/keyed.js";
import { noticeRow, noticeSig } from "../notices/row.js";

const shownMax = 3;

/** `{element, close}`: a section, hidden without such a notice. */
export function makeHomeNotices(app) {
  const { net, notices } = app;
  const list = h("ul", { class: "notice-rows" });
  const rows = new KeyedChildren(list);
  const end = new AbortController();
  const more = h("a", { class: "now-link", href: "/notices" }, "All notices", icon("arrow"));
  const element = h("section", { class: "stack home-part", id: "home-notices", hidden: true },
    h("div", { class: "home-part-head" }, h("h2", {}, "Important"), more), list);

  function draw() {
    const now = net.clock.now();
    const important = notices.log.unread(now).filter(({ level }) => level === "important").slice(0, shownMax);
    element.hidden = important.length === 0;
    rows.draw(important.map((notice) => ({
      key: notice.number, sig: noticeSig(notice, now, false, app),
      make: () => noticeRow(notice, { app, now, known: draw, path: `/notices?open=${notice.number}` }),
    })));
  }

  notices.addEventListener("change", draw, { signal: end.signal });
  draw();
  return { element, close: () => end.abort() };
}
