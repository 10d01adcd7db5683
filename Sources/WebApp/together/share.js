// Shares a workout with a buddy, as a copy (W-6).

import { toast } from "../kit/dom.js";

/** Asks for a buddy, and shares the workout with this UUID. */
export function shareWorkout(_workout, _app) {
  toast("Sharing isn't available yet.");
}
