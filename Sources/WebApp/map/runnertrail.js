// The trail behind one runner. Canvas only.

import { runnerColour } from "./palette.js";

/** Older thirds are fainter: the trail shows the direction without an arrow. */
const parts = 3;

/**
 * Draws at most `pointsMax` points of the trail of `item`, an entry of the roster with its `x` and `y` on the canvas. The trail of a
 * runner who moves at `now` ends where the dot is.
 */
export function drawTrail(context, { scale, left, top }, item, { now, theme, pointsMax, isFollowed }) {
  const { trail, glide } = item.entry;
  const last = trail.length - 1;
  const first = Math.max(0, last - pointsMax);
  if (last < 1) return;
  context.strokeStyle = runnerColour(item.session, theme).fill;
  context.lineWidth = isFollowed ? 5 : 3.5;
  context.lineJoin = context.lineCap = "round";
  const moves = glide.isMoving(now);
  for (let part = 0; part < parts; part += 1) {
    const from = first + Math.floor(((last - first) * part) / parts);
    const to = first + Math.floor(((last - first) * (part + 1)) / parts);
    context.globalAlpha = 0.2 + part * 0.2;
    context.beginPath();
    for (let index = from; index <= to; index += 1) {
      const isTip = index === last && moves;
      const x = isTip ? item.x : trail.x(index) * scale - left;
      const y = isTip ? item.y : trail.y(index) * scale - top;
      if (index === from) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}
