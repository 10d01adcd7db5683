// The page of the own buddy profile: to change it, and to see how others see it.

import { showBuddies } from "./buddies.js";

/** Serves `/buddies/profile`. */
export function show(root, _params, app) {
  return showBuddies(root, app, { isProfile: true });
}
