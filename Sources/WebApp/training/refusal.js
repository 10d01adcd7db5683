// A training whose start the server refused: why, the open workouts of which one has to end, and the way to try again.

import { h } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";

/** The card; `id` is the training that was refused, and `again()` sends its start again. */
export function refusalCard({ net }, error, { id, again }) {
  const list = h("ul", { class: "stack tight", id: "open-trainings" });
  const isFull = error.isConflict && /\bnot ended\b/.test(error.message);
  const text = isFull ? "You have too many open workouts. Finish or discard one, then try again." : sentence(error.message);
  const draw = (trainings) => list.replaceChildren(...trainings.filter((one) => one.id !== id).map((one) => h("li", {},
    h("a", { class: "button", href: `/training/${one.id}` }, icon("play"), `Open: ${one.plan.title}`))));
  if (isFull) {
    net.read("training.current").then(({ trainings }) => draw(trainings), () => {
      // The page of workouts lists them too.
    });
  }
  return h("section", { class: "notice bad", id: "start-refused", role: "alert" }, icon("warning"),
    h("div", { class: "stack tight grow" }, h("strong", {}, "This workout isn't saved."), h("span", {}, text), list,
      h("div", { class: "row" }, h("button", { class: "button", type: "button", id: "start-again", onclick: () => again() }, "Try again"),
        h("a", { class: "button", href: "/workouts" }, "See your workouts"))));
}
