// The catalogue of exercises.

import { h } from "../kit/dom.js";
import { whenLive } from "../kit/loadable.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { exercisePath, makeExerciseSearch } from "./exercisesearch.js";

await loadStyles("/app/workouts/workouts.css");

/** Serves `/exercises`; the query may have `muscle` and `type`. */
export function show(root, { query }, app) {
  if (!requireSignIn(app, "/exercises")) return undefined;
  const search = makeExerciseSearch({
    net: app.net, initial: { text: "", muscle: query?.get("muscle") ?? "", type: query?.get("type") ?? "" },
    content: (parts, { id }) => h("a", { class: "exercise-link", href: exercisePath(id) }, ...parts),
  });
  root.append(h("div", { class: "page stack workouts-page" }, h("p", {}, h("a", { href: "/workouts", class: "back" }, "← Workouts")),
    h("h1", { tabindex: "-1" }, "Exercises"), search.element));
  const ending = new AbortController();
  leaveWhenSignedOut(app, ending.signal);
  const stopFollowing = whenLive(app.net, () => search.again());
  search.start();
  return () => {
    ending.abort();
    stopFollowing();
    search.close();
  };
}
