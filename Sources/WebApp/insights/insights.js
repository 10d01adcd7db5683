// Personal analytics (C-3): today, goals, what comes up, and charts of a week, a month or a year.

import { makeChart } from "../charts/chart.js";
import { dayBeside, spanAround, spans, today, wholeWeeks } from "../charts/days.js";
import { daily, weekly } from "../charts/series.js";
import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { announce, h, setText } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { makeGoalsCard } from "./goals.js";
import { asOf, chartDays, charts, hasEstimatedSteps } from "./model.js";
import { makeTodayCard } from "./todaycard.js";
import { makeUpcomingCard } from "./upcoming.js";

await loadStyles("/app/insights/insights.css");

const dayCheckMilliseconds = 30_000;
const groupings = [{ id: "day", label: "Day" }, { id: "week", label: "Week" }];
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const isOfInsights = ({ method }) => method.startsWith("insights.");

/** Serves `/insights`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/insights")) return undefined;
  const page = new InsightsPage(root, app);
  return () => page.close();
}

class InsightsPage {
  #net;
  #end = new AbortController();
  #span = "week";
  #day = today();
  #grouping = "day";
  /** The reply for whole weeks, and the span of them that is shown. */
  #insights = null;
  #shown = null;
  /** The day of that reply, and the one that is drawn as today. */
  #received = today();
  #drawn = today();
  /** Number of the last request: only its answer is shown. */
  #generation = 0;
  #isWanting = false;
  #kept = makeKeptNote("insights-kept");
  #status;
  #problem = h("div", {});
  #label = h("span", { class: "span-label", id: "span-label", role: "status" });
  #next;
  #spanButtons;
  #groupButtons;
  /** A choice of model.js with its `chart`, `card` and `note`. */
  #charts;
  #today;
  #goals;
  #upcoming;
  /** The figures of now stay while another span cannot be loaded; its charts do not. */
  #summary = h("div", { class: "insight-summary", hidden: true });
  #chartList = h("div", { class: "insight-charts", hidden: true });

  constructor(root, app) {
    const { net } = app;
    this.#net = net;
    this.#status = loading(net);
    const { signal } = this.#end;
    const context = { writes: net.writes, signal };
    this.#today = makeTodayCard({
      ...context, recent: (span) => net.read("insights.get", { ...span, timeZone: timeZone() }),
      save: (params, note) => this.#write("insights.saveDay", params, note, { isToday: params.date === today() }),
    });
    this.#goals = makeGoalsCard({ ...context, save: (goals, note) => this.#write("insights.saveGoals", goals, note) });
    this.#upcoming = makeUpcomingCard({ now: () => net.clock.now() });
    this.#spanButtons = spans.map(({ id, label }) => chip(label, { span: id }, () => this.#choose({ span: id, day: today() })));
    this.#groupButtons = groupings.map(({ id, label }) => chip(label, { group: id }, () => this.#group(id)));
    this.#charts = charts.map((options) => this.#makeChart(options));
    this.#summary.append(this.#today.element, this.#goals.element, this.#upcoming.element);
    this.#chartList.append(...this.#charts.map(({ card }) => card));
    const head = h("div", { class: "insights-head" }, h("h1", { tabindex: "-1" }, "Progress"),
      h("a", { class: "button quiet", href: "/body" }, icon("heart"), "Body data"));
    root.append(h("div", { class: "page stack insights-page" }, head, h("p", { class: "muted" }, "Only you can see this."),
      this.#kept.element, h("div", { class: "stack", id: "insights" }, this.#summary, this.#spanBar(), this.#status, this.#problem,
        this.#chartList)));
    leaveWhenSignedOut(app, signal);
    signal.addEventListener("abort", whenLive(net, () => { if (this.#isWanting) this.#load(); }));
    followWaiting(net.writes, isOfInsights, () => this.#load(), signal);
    const timer = setInterval(() => this.#tick(), dayCheckMilliseconds);
    signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", () => this.#tick(), { signal });
    this.#load();
  }

  close() {
    this.#end.abort();
    this.#generation += 1;
    this.#goals.close();
    for (const { chart } of this.#charts) chart.close();
  }

  #spanBar() {
    const beside = (by) => () => this.#choose({ day: dayBeside(this.#span, this.#day, by) });
    this.#next = h("button", { class: "icon-button is-next", type: "button", id: "span-next", "aria-label": "Later", onclick: beside(1) },
      icon("back"));
    return h("div", { class: "span-bar" },
      h("div", { class: "chip-buttons", role: "group", "aria-label": "Time" }, ...this.#spanButtons),
      h("div", { class: "span-steps" },
        h("button", { class: "icon-button", type: "button", id: "span-before", "aria-label": "Earlier", onclick: beside(-1) },
          icon("back")), this.#label, this.#next));
  }

  /** @param {import("./model.js").ChartChoice} options */
  #makeChart(options) {
    const { id, title, kind, series, unit, gapDays, hint } = options;
    const chart = makeChart({ id: `chart-${id}`, label: title, kind, names: series, unit, gapDays });
    const note = h("p", { class: "hint", hidden: !hint }, hint ?? "");
    const isProgress = id === "progress";
    const more = isProgress ? h("a", { class: "now-link", href: "/trainings", id: "see-more" }, "See More", icon("arrow")) : null;
    const className = isProgress ? "card stack is-wide" : "card stack";
    const card = h("section", { class: className, id: `card-${id}`, "aria-labelledby": `title-${id}` },
      h("div", { class: "chart-head" },
        h("h2", { id: `title-${id}` }, title, unit ? h("span", { class: "chart-unit" }, `, ${unit.trim()}`) : null),
        isProgress ? h("div", { class: "chip-buttons", role: "group", "aria-label": "Bars for each" }, ...this.#groupButtons) : null),
      chart.element, note, more);
    return { ...options, chart, card, note };
  }

  #choose({ span = this.#span, day }) {
    // A year of days is too much for a phone: its bars begin with weeks.
    if (span !== this.#span) this.#grouping = span === "year" ? "week" : "day";
    this.#span = span;
    this.#day = day;
    this.#load({ isChosen: true });
  }

  /** One week alone has a single bar: its month shows how it compares. */
  #group(grouping) {
    if (grouping === "week" && this.#span === "week") this.#choose({ span: "month", day: this.#day });
    this.#grouping = grouping;
    this.#draw();
  }

  async #load({ isChosen = false } = {}) {
    const mine = ++this.#generation;
    const span = spanAround(this.#span, this.#day);
    const { label } = span;
    this.#problem.replaceChildren();
    this.#drawSpan(label);
    try {
      const reply = await this.#net.read("insights.get", { ...wholeWeeks(span), timeZone: timeZone() });
      if (mine !== this.#generation) return;
      const at = keptAt(reply);
      this.#isWanting = at !== null;
      this.#kept.draw(at);
      this.#insights = reply;
      this.#received = today(at ?? undefined);
      this.#shown = span;
      this.#draw();
      if (isChosen) announce(label);
    } catch (error) {
      if (mine === this.#generation) this.#failed(error);
    }
  }

  /** At midnight the page goes on to the new day, and to its week if it showed the one of the day before. */
  #tick() {
    if (document.hidden) return;
    this.#upcoming.tick();
    const now = today();
    if (now === this.#drawn) return;
    if (this.#day === this.#drawn) this.#day = now;
    this.#drawn = now;
    this.#drawNow();
    this.#load();
  }

  #failed(error) {
    this.#isWanting = isOnlyOffline(error, this.#net);
    this.#chartList.hidden = true;
    this.#status.hidden = !this.#isWanting;
    // The figures of now have what was entered since.
    if (this.#insights) this.#insights = this.#net.writes.shown("insights.get", {}, this.#insights);
    this.#drawNow();
    if (this.#isWanting) return;
    this.#problem.replaceChildren(loadProblem({ id: "insights-problem", title: "Couldn't load your progress", text: sentence(error.message),
      again: () => this.#load() }));
  }

  /** Resolves to whether the change was saved, or waits. */
  async #write(method, params, note, shown = null) {
    let isRefused = false;
    await note.run(async () => {
      try {
        return await this.#net.writes.write(method, params, shown);
      } catch (error) {
        isRefused = true;
        throw error;
      }
    });
    if (!this.#end.signal.aborted) await this.#load();
    return !isRefused;
  }

  // MARK: Drawing

  #drawSpan(label) {
    setText(this.#label, label);
    for (const button of this.#spanButtons) button.setAttribute("aria-pressed", String(button.dataset.span === this.#span));
    this.#next.disabled = spanAround(this.#span, this.#day).to >= today();
  }

  #draw() {
    const insights = this.#insights;
    if (!insights) return;
    this.#status.hidden = true;
    this.#summary.hidden = false;
    this.#chartList.hidden = false;
    this.#drawNow();
    for (const button of this.#groupButtons) button.setAttribute("aria-pressed", String(button.dataset.group === this.#grouping));
    const days = chartDays(insights.days);
    for (const one of this.#charts) {
      const isWeekly = one.isSum && this.#grouping === "week";
      const rows = isWeekly ? weekly(days, one.names, this.#shown, { today: today() }) : daily(days, one.names, this.#shown);
      const goal = insights.goals[one.goal?.[one.isSum ? this.#grouping : "day"]] ?? null;
      one.chart.draw(rows, { goal, firstColumn: isWeekly ? "Week" : "Day" });
      if (one.id === "steps") this.#drawStepsNote(one.note);
    }
  }

  #drawNow() {
    if (!this.#insights) return;
    const now = asOf(this.#insights, today(), this.#received);
    for (const part of [this.#today, this.#goals, this.#upcoming]) part.draw(now);
  }

  #drawStepsNote(note) {
    const { from, to } = this.#grouping === "week" ? wholeWeeks(this.#shown) : this.#shown;
    note.hidden = !hasEstimatedSteps(this.#insights.days.filter(({ date }) => date >= from && date <= to));
    setText(note, "Steps of days without an entry are estimated from your runs.");
  }
}

function chip(label, dataset, run) {
  return h("button", { class: "chip-button", type: "button", dataset, onclick: run }, label);
}
