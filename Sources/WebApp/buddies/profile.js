// One's own buddy profile, to change it, and how others see it.

import { showBuddies } from "./buddies.js";

export function show(root, _params, app) {
  return showBuddies(root, app, { isProfile: true });
}
