// A recommended workout: its card, and how it is saved or started.

import { uuid } from "../client/uuid.js";
import { attempt } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { entriesOf, savedPlan } from "./plan.js";
import { iconOfType } from "./rows.js";
import { keepSaved, localWorkout } from "./saving.js";
import { equipmentText, placeName, summaryText } from "./words.js";

/** Saves a recommendation as a workout of the caller, and opens it. */
async function take({ net, router }, { plan, exercises }) {
  const id = uuid();
  await attempt(async () => {
    const saved = savedPlan(plan);
    const workout = await net.writes.write("workouts.save", { id, plan: saved });
    if (workout === null) keepSaved(net, localWorkout({ id, plan: saved, exercises, now: net.clock.now() }));
    router.go(`/workouts/${id}`);
    return workout;
  });
}

/** The card of a recommendation; `isFirst` for the one that is recommended. */
export function recommendationCard(app, recommendation, { isFirst = false, level = "h3" } = {}) {
  const { plan, reason, exercises } = recommendation;
  const names = entriesOf(plan).map(({ exercise }) => exercises.find(({ id }) => id === exercise)?.name).filter(Boolean);
  const facts = [placeName(plan.place), equipmentText(plan.equipment), count(names.length, "exercise")];
  const open = h("button", { class: isFirst ? "button primary" : "button", type: "button", onclick: () => {
    open.disabled = true;
    take(app, recommendation).finally(() => { open.disabled = false; });
  } }, icon("plus"), "Use this workout");
  return h("article", { class: isFirst ? "card stack tight recommendation is-first" : "card stack tight recommendation" },
    h("div", { class: "recommendation-head" }, h("span", { class: "history-icon" }, icon(iconOfType(plan.type))),
      h("div", { class: "grow" }, isFirst ? h("p", { class: "eyebrow small" }, "Recommended for you") : null, h(level, {}, plan.title),
        h("p", { class: "muted small" }, summaryText(plan)), h("p", { class: "muted small" }, facts.join(" · ")))),
    h("p", {}, reason),
    h("details", { class: "recommendation-exercises" }, h("summary", {}, "Exercises"),
      h("ol", { class: "steps" }, ...names.map((name) => h("li", {}, name)))),
    h("div", { class: "row" }, open));
}
