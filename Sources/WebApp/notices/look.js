// The preview of a notice that is written: it looks as its readers will see it.

import { h } from "../kit/dom.js";
import { timeOf } from "../events/times.js";
import { noticeRow } from "./row.js";

/** The preview. `base` is the status of a notice that is corrected, or null. */
export class NoticeLook {
  element = h("div", { class: "notice-look" });

  #app;
  #from;

  constructor(app) {
    const { account } = app.net;
    this.#app = app;
    this.#from = { username: account.username, role: account.role };
  }

  /** Draws a form's values; `audience` is null while it is not chosen. `again()` is called when a name that the row shows becomes known. */
  draw({ values, audience, base, again }) {
    const now = this.#app.net.clock.now();
    const body = values.body.trim();
    this.element.replaceChildren(noticeRow({
      number: "preview", revision: 1, at: new Date(publishTime(values, base, now)).toISOString(), readAt: "preview", level: values.level,
      title: values.title.trim() || "Title", ...(body && { body }), from: base?.notice.from ?? this.#from,
      to: audience ?? { kind: values.audience }, ...(base && { changedAt: new Date(now).toISOString() }),
    }, { app: this.#app, now, isOpen: true, tag: "div", isMine: false, known: again }));
    // The notice does not exist yet: its links lead nowhere.
    for (const link of this.element.querySelectorAll("a")) link.replaceWith(h("span", {}, link.textContent));
  }
}

function publishTime({ when, date, time }, base, now) {
  if (base) return base.publishAt;
  return when === "later" ? timeOf(date, time) ?? now : now;
}
