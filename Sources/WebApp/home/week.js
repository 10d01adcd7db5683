// For the start page: the workouts of this week, the next one, and an invitation to train together (C-3).

import { spanAround, today } from "../charts/days.js";
import { keptAt } from "../connection/keptage.js";
import { notBegun, upcomingPath, weekText, whenText } from "../insights/model.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { followGroups } from "../together/signals.js";

/** `{element, close}`. */
export function makeWeekCard(app) {
  return new WeekCard(app);
}

class WeekCard {
  element;

  #app;
  #end = new AbortController();
  #signals;
  #isWanting = false;
  #kept = makeKeptNote("week-kept");
  #body;
  #invitation = h("div", {});

  constructor(app) {
    const { net } = app;
    this.#app = app;
    this.#body = h("div", { class: "stack tight" }, loading(net));
    this.element = h("section", { class: "card stack", id: "week", "aria-labelledby": "week-title" },
      h("h2", { id: "week-title" }, "This week"), this.#kept.element, this.#invitation, this.#body);
    this.#signals = followGroups(net, () => this.#loadInvitation());
    this.#end.signal.addEventListener("abort", whenLive(net, () => { if (this.#isWanting) this.#load(); }));
    this.#load();
    this.#loadInvitation();
  }

  close() {
    this.#end.abort();
    this.#signals.close();
  }

  async #load() {
    const { net } = this.#app;
    const { from, to } = spanAround("week", today());
    try {
      const insights = await net.read("insights.get", { from, to, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      if (this.#end.signal.aborted) return;
      const at = keptAt(insights);
      this.#isWanting = at !== null;
      this.#kept.draw(at);
      this.#draw(insights);
    } catch (error) {
      this.#isWanting = isOnlyOffline(error, net);
      if (this.#isWanting) return;
      this.#body.replaceChildren(h("p", { class: "muted" }, "Couldn't load your week."),
        h("button", { class: "button", type: "button", onclick: () => this.#load() }, "Try again"));
    }
  }

  #draw(insights) {
    const now = this.#app.net.clock.now();
    const next = notBegun(insights.upcoming, now).find(({ workout }) => workout);
    this.#body.replaceChildren(h("p", { id: "week-figures" }, h("strong", {}, weekText(insights))),
      next ? h("p", {}, "Next: ", h("a", { href: upcomingPath(next), id: "next-workout" }, next.title),
        ` · ${whenText(next.startsAt, now)}`) : h("p", { class: "muted" }, "No workout planned."),
      h("a", { class: "now-link", href: "/insights" }, "Your progress", icon("arrow")));
  }

  /** Without an answer there is none to show; the pages of groups say what is wrong. */
  async #loadInvitation() {
    const { net, known } = this.#app;
    try {
      const { groups } = await net.request("together.list");
      if (this.#end.signal.aborted) return;
      const isOpen = ({ members }) => members.some(({ username, state }) => username === net.account?.username && state === "invited");
      const group = groups.find(isOpen);
      this.#invitation.replaceChildren(...(group ? [h("p", { class: "notice good", id: "week-invitation" }, icon("buddies"),
        h("span", { class: "grow" }, `${known.nameOf(group.host)} invites you: ${group.title}. `,
          h("a", { href: `/together/${group.id}` }, "View")))] : []));
    } catch {
      // It comes with the next signal.
    }
  }
}
