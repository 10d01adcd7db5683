// This month's goal (U-6): how far, how much of it, and when it was reached; changed in place, and put back to nothing (U-3).

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { announce, confirmDialog, h } from "../kit/dom.js";
import { km, monthFirst } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { goalProblem, percentText } from "./goalwords.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { waitingLine } from "../kit/saved.js";

/**
 * Makes the card, an object with `element`, `load()` and `close()`. With `isWhole` the goal can be edited and reset; without, the card
 * leads to the history, where that is. `withTotals` adds the totals to date (U-3).
 */
export function makeGoalCard({ net, events }, { isWhole = true, withTotals = false, heading = "h2" } = {}) {
  return new GoalCard({ net, events }, { isWhole, withTotals, heading });
}

/** The card of the month's goal. */
class GoalCard {
  element;

  #net; #isWhole; #withTotals;
  #ending = new AbortController();
  #goal = null;
  #body;
  #kept = makeKeptNote("goal-kept");
  /** Whether the connection will bring something better than what is shown. */
  #isWanting = false;
  /** How often the connection came back. */
  #returns = 0;
  #problem = h("p", { class: "problem", role: "alert" });

  constructor({ net, events }, { isWhole, withTotals, heading }) {
    this.#net = net;
    this.#isWhole = isWhole;
    this.#withTotals = withTotals;
    this.#body = h("div", { class: "stack goal-body" }, loading(net));
    this.element = h("section", { class: "card stack goal-card", id: "goal", "aria-labelledby": "goal-title" },
      h(heading, { id: "goal-title" }, "This month's goal"), this.#kept.element, this.#body, this.#problem);
    for (const type of ["goal", "renew"]) events.addEventListener(type, () => this.load(), { signal: this.#ending.signal });
    const { signal } = this.#ending;
    signal.addEventListener("abort", whenLive(net, () => {
      this.#returns += 1;
      if (this.#isWanting) this.load();
    }));
    followWaiting(net.writes, isOfGoal, () => this.load(), signal);
    this.load();
  }

  async load() {
    this.#problem.textContent = "";
    const returns = this.#returns;
    try {
      this.#goal = await this.#net.read("goals.get", { timeZone: timeZone() });
      const at = keptAt(this.#goal);
      this.#isWanting = at !== null;
      this.#kept.draw(at);
      // A form that is being filled in stays.
      if (!this.#body.querySelector("form")) this.#draw();
    } catch (error) {
      // It came back meanwhile.
      if (error.isTransient && returns !== this.#returns && !this.#ending.signal.aborted) return this.load();
      this.#isWanting = isOnlyOffline(error, this.#net);
      if (this.#goal === null && this.#isWanting) return undefined;
      if (this.#goal === null) {
        this.#body.replaceChildren(h("button", { class: "button", type: "button", onclick: () => this.load() }, "Try again"));
      }
      this.#problem.textContent = error.message;
    }
    return undefined;
  }

  close() {
    this.#ending.abort();
  }

  #draw() {
    const goal = this.#goal;
    const waiting = this.#net.writes.waiting.some(isOfGoal) ? waitingLine("goal-waiting") : "";
    this.#body.replaceChildren(
      h("p", { class: "goal-figures" },
        h("strong", { class: "number", id: "goal-distance" }, km(goal.distance)), ` of ${goal.kilometres} km`),
      bar(goal), state(goal), waiting, ...(this.#withTotals ? [totals(goal.totals)] : []),
      this.#isWhole ? this.#actions() : h("a", { href: "/history", class: "now-link" }, "Goal and history"));
  }

  #actions() {
    return h("div", { class: "row" },
      h("button", { class: "button", type: "button", id: "goal-edit", onclick: () => this.#edit() }, "Edit goal"),
      h("button", { class: "button quiet", type: "button", id: "goal-reset", onclick: () => this.#reset() }, "Reset progress"));
  }

  #edit() {
    const field = makeField({
      name: "kilometres", label: "Goal in km", type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 6,
      hint: "Whole kilometres, 10 to 999. Applies to this month and later ones.",
    });
    field.input.value = String(this.#goal.kilometres);
    const form = makeForm({
      id: "goal-form", fields: [field], submitLabel: "Confirm",
      check: ({ kilometres }) => {
        const problem = goalProblem(kilometres, this.#goal.distance);
        return problem ? { kilometres: problem } : {};
      },
      send: async ({ kilometres }) => {
        const saved = await this.#net.writes.write("goals.save", { kilometres: Number(kilometres), timeZone: timeZone() });
        this.#goal = saved ?? this.#net.writes.shown("goals.get", {}, this.#goal);
        this.#draw();
        if (saved) announce(`Your goal is now ${this.#goal.kilometres} km.`);
        this.#focusEdit();
      },
    });
    const cancel = h("button", { class: "button wide", type: "button", id: "goal-cancel", onclick: () => {
      this.#draw();
      this.#focusEdit();
    } }, "Cancel");
    this.#body.replaceChildren(form, cancel);
    field.input.select();
  }

  #focusEdit() {
    /** @type {HTMLElement | null} */
    const button = this.#body.querySelector("#goal-edit");
    button?.focus();
  }

  async #reset() {
    const sure = await confirmDialog({
      id: "goal-reset-dialog", title: "Reset this month's progress?", confirm: "Reset progress", danger: true,
      text: "It starts again at 0 km. This can't be undone. Your sessions stay in your history.",
    });
    if (!sure) return;
    this.#problem.textContent = "";
    try {
      const at = new Date(this.#net.clock.now()).toISOString();
      const reset = await this.#net.writes.write("goals.reset", { timeZone: timeZone(), at });
      if (!reset) return;
      this.#goal = reset;
      this.#draw();
      announce("Progress reset to 0 km.");
    } catch (error) {
      this.#problem.textContent = error.message;
    }
  }
}

const isOfGoal = ({ method }) => method.startsWith("goals.");

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function bar({ percent, completedAt }) {
  const fill = h("span", { dataset: { done: Boolean(completedAt) } });
  fill.style.setProperty("width", `${Math.min(100, percent)}%`);
  return h("div", {
    class: "goal-bar", role: "progressbar", "aria-label": "Progress towards your goal", "aria-valuemin": 0, "aria-valuemax": 100,
    "aria-valuenow": Math.min(100, Math.floor(percent)), "aria-valuetext": `${percentText(percent)} percent`,
  }, fill);
}

function state({ percent, completedAt, endsAt, resetAt }) {
  const end = completedAt
    ? [" · ", h("strong", { class: "goal-done", id: "goal-completed" }, `Reached on ${monthFirst(completedAt)}`)]
    : ` · until ${monthFirst(new Date(Date.parse(endsAt) - 1))}`;
  return h("p", { class: "muted small" }, h("span", { class: "number", id: "goal-percent" }, `${percentText(percent)} %`), end,
    resetAt ? ` · counted from ${monthFirst(resetAt)}` : "");
}

function totals({ distance, elapsed, sessions }) {
  const figure = (name, key, value) => h("div", {}, h("dt", {}, name), h("dd", { class: "number", dataset: { total: key } }, value));
  return h("div", { class: "goal-totals" }, h("h3", { id: "totals-title" }, "To date"),
    h("dl", { class: "figures", id: "totals", "aria-labelledby": "totals-title" },
      figure("Distance", "distance", `${km(distance)} km`), figure("Time", "hours", `${(elapsed / 3_600).toFixed(1)} h`),
      figure("Sessions", "sessions", sessions.toLocaleString("en"))));
}
