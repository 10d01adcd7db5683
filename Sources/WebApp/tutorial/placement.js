// Where the card of a step lies: beside the control that it points at, never over it. Pure.

/** Between the card, the highlight and the edges of the window. */
export const gapPixels = 12;

const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

/**
 * `{left, top}` of a card of `{width, height}` in a window of `{width, height}`. `target` is the box of the highlight, `{left, top, right,
 * bottom}`, or null, which puts the card in the middle.
 */
export function placeCard(card, target, view) {
  const most = { left: view.width - card.width - gapPixels, top: view.height - card.height - gapPixels };
  const middle = { left: (view.width - card.width) / 2, top: (view.height - card.height) / 2 };
  const inside = ({ left, top }) => ({ left: clamp(left, gapPixels, most.left), top: clamp(top, gapPixels, most.top) });
  if (!target) return inside(middle);
  const alongside = {
    left: (target.left + target.right - card.width) / 2, top: (target.top + target.bottom - card.height) / 2,
  };
  const below = { left: alongside.left, top: target.bottom + gapPixels };
  const above = { left: alongside.left, top: target.top - gapPixels - card.height };
  const right = { left: target.right + gapPixels, top: alongside.top };
  const left = { left: target.left - gapPixels - card.width, top: alongside.top };
  if (below.top <= most.top) return inside(below);
  if (above.top >= gapPixels) return inside(above);
  if (right.left <= most.left) return inside(right);
  if (left.left >= gapPixels) return inside(left);
  // The target is nearly as large as the window: the card lies at the end that is farther from the target's middle.
  const isLow = target.top + target.bottom > view.height;
  return inside({ left: alongside.left, top: isLow ? gapPixels : most.top });
}

/** The highlight around the boxes of controls: it leaves some room around them, and stays in `frame`, the part of the page they are in. */
export function highlightBox(boxes, frame, room = 8) {
  const [least, most] = [(side) => Math.min(...boxes.map((box) => box[side])), (side) => Math.max(...boxes.map((box) => box[side]))];
  return {
    left: Math.max(least("left") - room, frame.left + 2), top: Math.max(least("top") - room, frame.top + 2),
    right: Math.min(most("right") + room, frame.right - 2), bottom: Math.min(most("bottom") + room, frame.bottom - 2),
  };
}

/** Whether a box lies in another. */
export function isInside(box, frame) {
  return box.left >= frame.left && box.top >= frame.top && box.right <= frame.right && box.bottom <= frame.bottom;
}
