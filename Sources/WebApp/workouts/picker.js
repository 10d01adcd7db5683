// The dialog in which an exercise is chosen.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { makeExerciseSearch } from "./exercisesearch.js";

/**
 * Opens the dialog; `chosen(exercise)` gets what is chosen, as in a list, and returns why it is refused, or null. The dialog stays open for
 * the next one.
 */
export function openExercisePicker({ net, title, chosen }) {
  const added = h("p", { class: "muted small", role: "status" });
  const search = makeExerciseSearch({ net, id: "picker-search", content: (parts, exercise) => h("button", {
    class: "exercise-link", type: "button", onclick: () => {
      added.textContent = chosen(exercise) ?? `Added: ${exercise.name}.`;
    },
  }, ...parts) });
  const dialog = openDialog({ id: "exercise-picker", title, className: "exercise-picker", content: h("div", { class: "stack" },
    search.element, h("div", { class: "picker-foot" }, added, h("button", { class: "button primary", type: "button", onclick: () =>
      dialog.close() }, "Done"))) });
  dialog.addEventListener("close", () => search.close());
  search.start();
  search.focus();
}
