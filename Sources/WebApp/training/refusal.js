// A training whose start the server refused: why, the open workouts of which one has to end, and the way to try again.

import { waitingMethods } from "../connection/waitingmethods.js";
import { h } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { listTime } from "../kit/times.js";

/** The card; `id` is the training that was refused, and `again()` sends its start again. */
export function refusalCard({ net }, error, { id, again }) {
  const list = h("ul", { class: "stack tight", id: "open-trainings" });
  const full = waitingMethods["training.start"].refusal(error);
  const draw = (trainings) => list.replaceChildren(...trainings.filter((one) => one.id !== id).map((one) => h("li", {},
    h("a", { class: "button", href: `/training/${one.id}` }, icon("play"),
      `Open: ${one.plan.title}, ${listTime(Date.parse(one.startedAt))}`))));
  if (full) {
    net.read("training.current").then(({ trainings }) => draw(trainings), () => {
      // The page of workouts lists them too.
    });
  }
  return h("section", { class: "notice bad", id: "start-refused", role: "alert" }, icon("warning"),
    h("div", { class: "stack tight grow" }, h("strong", {}, "This workout isn't saved."),
      h("span", {}, full ?? sentence(error.message)), list,
      h("div", { class: "row" }, h("button", { class: "button", type: "button", id: "start-again", onclick: () => again() }, "Try again"),
        h("a", { class: "button", href: "/workouts" }, "See your workouts"))));
}
