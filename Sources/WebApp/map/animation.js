// Whether motion may be shown.

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether motion may be shown; asked each time, since the setting can change. */
export function mayAnimate() {
  return !reducedMotion.matches;
}
