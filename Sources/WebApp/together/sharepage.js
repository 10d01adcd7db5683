// The page that shares a workout with a buddy: for those who begin with the buddy.

import { h } from "../kit/dom.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { makeBuddyPicker, makeWorkoutPicker } from "./choose.js";
import { confirmAndShare } from "./share.js";

await loadStyles("/app/together/together.css");

/** Serves `/together/share?buddy=&workout=`. */
export function show(root, { query }, app) {
  if (!requireSignIn(app, location.pathname + location.search)) return undefined;
  const end = new AbortController();
  const scope = app.pictures.scope();
  leaveWhenSignedOut(app, end.signal);
  const workouts = makeWorkoutPicker({ app, signal: end.signal, chosen: query?.get("workout") || null });
  const buddies = makeBuddyPicker({ app, scope, signal: end.signal, legend: "With which buddy?", chosen: query?.get("buddy") || null,
    isSingle: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const [buddy] = buddies.value;
    problem.textContent = !workouts.value ? "Choose a workout." : !buddy ? "Choose a buddy." : "";
    if (problem.textContent) return;
    try {
      await confirmAndShare({ net: app.net, workout: workouts.value, buddy, name: buddies.names[0], title: workouts.title });
    } catch (error) {
      problem.textContent = error.message;
    }
  } }, h("div", { class: "card stack" }, workouts.element), h("div", { class: "card stack" }, buddies.element), problem,
  h("button", { class: "button primary big wide", type: "submit", id: "share-workout" }, "Share"));
  root.append(h("div", { class: "page stack group-page" }, h("a", { class: "back", href: "/together" }, "← Train together"),
    h("h1", { tabindex: "-1" }, "Share a workout"),
    h("p", { class: "muted" }, "Your buddy gets a copy to keep and to change."), form));
  return () => {
    end.abort();
    scope.close();
  };
}
