// This month's goal (U-6): how far, how much of it, and when it was reached; changed in place, and put back to nothing (U-3).

import { announce, confirmDialog, h } from "../kit/dom.js";
import { km, numericDate } from "../kit/format.js";
import { makeField, makeForm } from "../kit/form.js";
import { loading } from "../kit/loading.js";

const kilometresMin = 10;
const kilometresMax = 999;

/** What is wrong with a goal, in the words of U-6; null when nothing is. */
export function goalProblem(text, metres) {
  const kilometres = Number(text);
  if (text.trim() !== "" && kilometres > kilometresMax) return "Goal must not exceed 999KM";
  if (text.trim() === "" || !Number.isInteger(kilometres) || kilometres < kilometresMin) return "Goal must be between 10-999 km";
  return kilometres * 1000 < metres ? `Goal must not be below the ${km(metres)} km that this month already has` : null;
}

/** `16.000`: of the goal, with three decimals. */
export function percentText(percent) {
  return Math.max(0, percent || 0).toFixed(3);
}

/**
 * The card. `isWhole` shows the way to edit and reset it; without, it leads to the history, where that is. `withTotals` says what was done to
 * date, too (U-3). Gives `{element, load, close}`.
 */
export function makeGoalCard({ net, events }, { isWhole = true, withTotals = false, heading = "h2" } = {}) {
  let goal = null;
  const body = h("div", { class: "stack goal-body" }, loading(net));
  const problem = h("p", { class: "problem", role: "alert" });
  const element = h("section", { class: "card stack goal-card", id: "goal", "aria-labelledby": "goal-title" },
    h(heading, { id: "goal-title" }, "This month’s goal"), body, problem);

  const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

  function draw() {
    const percent = percentText(goal.percent);
    const isDone = Boolean(goal.completedAt);
    const fill = h("span", { dataset: { done: isDone } });
    fill.style.setProperty("width", `${Math.min(100, goal.percent)}%`);
    body.replaceChildren(
      h("p", { class: "goal-figures" }, h("strong", { class: "number", id: "goal-distance" }, km(goal.distance)), ` of ${goal.kilometres} km`),
      h("div", { class: "goal-bar", role: "progressbar", "aria-label": "Share of the goal", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.min(100, Math.floor(goal.percent)), "aria-valuetext": `${percent} percent` },
        fill),
      h("p", { class: "muted small" }, h("span", { class: "number", id: "goal-percent" }, `${percent} %`),
        isDone ? [" · ", h("strong", { class: "goal-done", id: "goal-completed" }, `Reached on ${numericDate(goal.completedAt)}`)] : ` · until ${numericDate(new Date(Date.parse(goal.endsAt) - 1))}`,
        goal.resetAt ? ` · counted from ${numericDate(goal.resetAt)}` : ""),
      ...(withTotals ? [totals()] : []),
      isWhole
        ? h("div", { class: "row" },
          h("button", { class: "button", type: "button", id: "goal-edit", onclick: edit }, "Edit goal"),
          h("button", { class: "button quiet", type: "button", id: "goal-reset", onclick: reset }, "Reset progress"))
        : h("a", { href: "/history", class: "now-link" }, "Edit goal and see history"));
  }

  function totals() {
    const figure = (name, key, value) => h("div", {}, h("dt", {}, name), h("dd", { class: "number", dataset: { total: key } }, value));
    const { distance, elapsed, sessions } = goal.totals;
    return h("div", { class: "goal-totals" }, h("h3", { id: "totals-title" }, "To date"), h("dl", { class: "figures", id: "totals", "aria-labelledby": "totals-title" },
      figure("Distance", "distance", `${km(distance)} km`), figure("Time", "hours", `${(elapsed / 3_600).toFixed(1)} h`), figure("Sessions", "sessions", sessions.toLocaleString("en"))));
  }

  function edit() {
    const field = makeField({ name: "kilometres", label: "Goal in km", type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 6, hint: "Whole kilometres, 10 to 999, for this month and those to come." });
    field.input.value = String(goal.kilometres);
    const form = makeForm({
      id: "goal-form", fields: [field], submitLabel: "Confirm",
      check: ({ kilometres }) => { const wrong = goalProblem(kilometres, goal.distance); return wrong ? { kilometres: wrong } : {}; },
      send: async ({ kilometres }) => {
        goal = await net.request("goals.save", { kilometres: Number(kilometres), timeZone: timeZone() });
        draw();
        announce(`Your goal is ${goal.kilometres} km now.`);
        body.querySelector("#goal-edit")?.focus();
      },
    });
    body.replaceChildren(form, h("button", { class: "button wide", type: "button", id: "goal-cancel", onclick: () => { draw(); body.querySelector("#goal-edit")?.focus(); } }, "Cancel"));
    field.input.select();
  }

  async function reset() {
    const sure = await confirmDialog({ id: "goal-reset-dialog", title: "Reset this month’s progress?", text: "It begins at 0 km again and cannot be brought back. Your sessions stay in the history.", confirm: "Reset", danger: true });
    if (!sure) return;
    problem.textContent = "";
    try {
      goal = await net.request("goals.reset", { timeZone: timeZone() });
      draw();
      announce("Progress begins at 0 km again.");
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  async function load() {
    problem.textContent = "";
    try {
      goal = await net.request("goals.get", { timeZone: timeZone() });
      // What somebody is typing stays.
      if (!body.querySelector("form")) draw();
    } catch (error) {
      if (goal === null) body.replaceChildren(h("button", { class: "button", type: "button", onclick: load }, "Try again"));
      problem.textContent = error.message;
    }
  }

  const news = ["goal", "renew"];
  for (const name of news) events.addEventListener(name, load);
  load();
  return { element, load, close: () => { for (const name of news) events.removeEventListener(name, load); } };
}
