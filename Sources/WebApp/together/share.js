// Shares a workout with a buddy, as a copy (W-6).

import { confirmDialog, h, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { loadStyles } from "../kit/styles.js";
import { makeBuddyPicker } from "./choose.js";
import { sharedText } from "./words.js";

/** Asks for a buddy, and shares the workout with this UUID. `signal` ends with the page. */
export async function shareWorkout(workout, app, signal) {
  await loadStyles("/app/together/together.css");
  if (signal.aborted) return;
  const scope = app.pictures.scope();
  const end = new AbortController();
  const picker = makeBuddyPicker({ app, scope, signal: end.signal, legend: "With which buddy?", name: "share-buddy", isSingle: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const [buddy] = picker.value;
    problem.textContent = buddy ? "" : "Choose a buddy.";
    if (!buddy) return;
    try {
      if (await confirmAndShare({ net: app.net, workout, buddy, name: picker.names[0] })) dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  } }, picker.element, problem, h("button", { class: "button primary", type: "submit", id: "share-workout" }, "Share"));
  const dialog = openDialog({ id: "share-workout-dialog", title: "Share this workout", content: form });
  // A link opens another page, which the dialog would cover.
  form.addEventListener("click", ({ target }) => { if (target instanceof Element && target.closest("a")) dialog.close(); });
  signal.addEventListener("abort", () => dialog.close(), { signal: end.signal });
  dialog.addEventListener("close", () => {
    end.abort();
    scope.close();
  });
}

/** Asks, then shares; a toast says what it did. Resolves to whether it was shared; rejects with the server's error. */
export async function confirmAndShare({ net, workout, buddy, name, title = null }) {
  const sure = await confirmDialog({ id: "confirm-share", title: `Share with ${name}?`, confirm: "Share",
    text: `${name} gets a copy of ${title ? `“${title}”` : "this workout"}. Your results and your body data stay with you. `
      + "You can't take it back." });
  if (!sure) return false;
  toast(sharedText(await net.request("workouts.share", { workout, buddy }), name), { key: `shared-${workout}` });
  return true;
}
