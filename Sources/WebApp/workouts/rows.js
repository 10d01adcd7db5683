// A workout in a list.

import { h } from "../kit/dom.js";
import { count, dayText, momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { waitingText } from "../kit/saved.js";
import { equipmentText, placeName, statusName, summaryText } from "./words.js";

const typeIcons = { cardio: "pulse", swimming: "heat", stretching: "heart", balance: "target", plyometrics: "moving" };
export const iconOfType = (type) => typeIcons[type] ?? "strength";

const statusClasses = { notStarted: "tag", inProgress: "tag warn", completed: "tag good" };

/** The state of a workout in a word. */
export const statusTag = (status) => h("span", { class: statusClasses[status] ?? "tag" }, statusName(status));

/** The row of a workout; one of a buddy has a blue border and the buddy's name, `fromName`. */
export function workoutRow(workout, { isWaiting = false, fromName = workout.from } = {}) {
  const { id, title, status, from, tags, scheduledAt, lastTrainedAt, exercises, sets, place, equipment, type } = workout;
  const when = scheduledAt ? `Planned for ${momentText(Date.parse(scheduledAt))}`
    : lastTrainedAt ? `Last done ${dayText(Date.parse(lastTrainedAt))}` : null;
  const facts = [count(exercises, "exercise"), count(sets, "set"), placeName(place), equipmentText(equipment)];
  return h("li", { class: from ? "workout-row of-buddy" : "workout-row", dataset: { workout: id } },
    h("a", { class: "workout-link", href: `/workouts/${encodeURIComponent(id)}` },
      h("span", { class: "history-icon" }, icon(iconOfType(type))),
      h("span", { class: "workout-what" },
        h("strong", {}, title), h("span", { class: "muted small" }, summaryText(workout)), h("span", { class: "muted small" },
          facts.join(" · ")),
        h("span", { class: "workout-tags" }, statusTag(status),
          from ? h("span", { class: "tag buddy-tag" }, `From ${fromName}`) : null,
          ...tags.map((tag) => h("span", { class: "plain-tag" }, tag))),
        when ? h("span", { class: "small when-line" }, icon("clock"), when) : null,
        isWaiting ? h("span", { class: "muted small waiting-words" }, icon("waiting"), waitingText) : null)));
}
