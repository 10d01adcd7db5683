// The page of an exercise: how it is done, the muscles, its energy cost with the source, and cautions.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeLoadable } from "../kit/loadable.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { exerciseDiagram, hasPose, muscleDiagram } from "./diagram.js";
import { equipmentText, levelName, metText, muscleName, typeName } from "./words.js";

const sourceNames = { campanile: "Written for Campanile", freeExerciseDB: "From free-exercise-db", wger: "From wger" };

await loadStyles("/app/workouts/workouts.css");

/** Serves `/exercises/:source/:id`. */
export function show(root, { source, id }, app) {
  if (!requireSignIn(app, location.pathname)) return undefined;
  const heading = h("h1", { tabindex: "-1" }, "Exercise");
  const place = h("div", { class: "stack" });
  const part = makeLoadable({ net: app.net, fetch: () => app.net.read("exercises.get", { exercise: `${source}/${id}` }),
    draw: (exercise) => {
    setText(heading, exercise.name);
    place.replaceChildren(...exerciseParts(exercise));
  } });
  root.append(h("div", { class: "page stack exercise-page" }, h("p", {}, h("a", { href: "/exercises", class: "back" }, "← Exercises")),
    heading, part.element, place));
  const ending = new AbortController();
  leaveWhenSignedOut(app, ending.signal);
  part.load();
  return () => {
    ending.abort();
    part.close();
  };
}

const fact = (label, value) => h("div", {}, h("dt", {}, label), h("dd", {}, value));
const muscleList = (muscles) => (muscles.length === 0 ? "–" : muscles.map(muscleName).join(", "));

/** How an exercise is done: its steps and what to be careful with. Also in the guided session. */
export function instructions({ instructions: steps = [], caution, isUnilateral, exclusion }) {
  return [
    exclusion ? h("p", { class: "notice bad", id: "exclusion" }, icon("warning"),
      h("span", {}, h("strong", {}, "Not recommended for you. "), exclusion.reason,
        h("span", { class: "small" }, ` (${exclusion.source})`))) : null,
    h("ol", { class: "steps instructions" }, ...steps.map((step) => h("li", {}, step))),
    isUnilateral ? h("p", { class: "muted" }, "Do one side at a time, and each set on both sides.") : null,
    caution ? h("p", { class: "notice warn" }, icon("warning"), h("span", {}, caution)) : null,
  ].filter(Boolean);
}

function exerciseParts(exercise) {
  const { type, level, equipment, primaryMuscles, secondaryMuscles, met, credit, source, diagram } = exercise;
  return [
    h("div", { class: "exercise-grid" },
      h("div", { class: "card exercise-figure" }, exerciseDiagram(exercise), hasPose(diagram) ? muscleDiagram(exercise) : null),
      h("div", { class: "stack" }, h("h2", {}, "How to do it"), ...instructions(exercise),
        h("dl", { class: "facts workout-facts" }, fact("Type", typeName(type)), fact("Level", levelName(level)),
          fact("Equipment", equipmentText(equipment)), fact("Muscles", muscleList(primaryMuscles)),
          secondaryMuscles.length > 0 ? fact("Also used", muscleList(secondaryMuscles)) : null,
          h("div", { class: "wide-fact" }, h("dt", {}, "Energy cost"),
            h("dd", {}, `${met.value} MET`, h("span", { class: "hint" }, metText(met))))),
        h("p", { class: "muted small" }, [sourceNames[source] ?? "", credit].filter(Boolean).join(". ")))),
  ];
}
