// The people of a live group, beside a guided session.

import { h } from "../kit/dom.js";

/** `{element, sharesZone, close()}` of the live group with this UUID. `sharesZone`: whether the others see the caller's heart-rate zone. */
export function groupPanel(_group, _app) {
  return { element: h("div", {}), sharesZone: false, close() {} };
}
