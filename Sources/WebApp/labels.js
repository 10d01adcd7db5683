// Where names go so that they do not cover each other. Pure.

const labelsMax = 80;
const gap = 6;
const cellPixels = 48;

/** Offsets of a label's corner from its dot, tried in turn: right, left, above, below. */
function candidates({ width, height, radius }) {
  return [
    { dx: radius + gap, dy: -height / 2 },
    { dx: -radius - gap - width, dy: -height / 2 },
    { dx: -width / 2, dy: -radius - gap - height },
    { dx: -width / 2, dy: radius + gap },
  ];
}

/**
 * Places labels for `items` (`{session, x, y, width, height, radius, text, priority}`) in a view of `{width, height, visible}`;
 * a name stays within `visible` (`{left, top, right, bottom}`), so that no edge cuts it off.
 * Result: session → `{dx, dy, width, height, text}`. Priority items always get one; items that had one before (`previous`)
 * come next and keep their side, so that names do not flicker.
 */
export function placeLabels(items, previous, view) {
  const placed = new Map();
  const boxes = [];
  const dots = new DotGrid(items);
  const rank = (item) => (item.priority ? 0 : previous.has(item.session) ? 1 : 2);
  const ordered = [...items].sort((a, b) => rank(a) - rank(b) || a.session - b.session);
  for (const item of ordered) {
    if (placed.size >= labelsMax && !item.priority) break;
    if (item.x < 0 || item.y < 0 || item.x > view.width || item.y > view.height) continue;
    const before = previous.get(item.session);
    const options = candidates(item);
    const keep = before ? options.findIndex((option) => Math.sign(option.dx) === Math.sign(before.dx) && Math.abs(option.dy - before.dy) < 1) : -1;
    if (keep > 0) options.unshift(...options.splice(keep, 1));
    const chosen = options.find((option) => isInside(boxOf(item, option), view.visible) && isFree(boxOf(item, option), boxes, dots, item)) ?? (item.priority ? options[0] : null);
    if (!chosen) continue;
    boxes.push(boxOf(item, chosen));
    placed.set(item.session, { dx: chosen.dx, dy: chosen.dy, width: item.width, height: item.height, text: item.text });
  }
  return placed;
}

function boxOf(item, { dx, dy }) {
  return { left: item.x + dx, top: item.y + dy, right: item.x + dx + item.width, bottom: item.y + dy + item.height };
}

function isInside(box, visible) {
  return !visible || (box.left >= visible.left && box.top >= visible.top && box.right <= visible.right && box.bottom <= visible.bottom);
}

function isFree(box, boxes, dots, self) {
  for (const other of boxes) {
    if (box.left < other.right + 2 && box.right > other.left - 2 && box.top < other.bottom + 2 && box.bottom > other.top - 2) return false;
  }
  return !dots.anyIn(box, self);
}

/** Dots by square cell, so that a label looks only at its neighbours. */
class DotGrid {
  #cells = new Map();

  constructor(items) {
    for (const item of items) {
      const key = this.#key(Math.floor(item.x / cellPixels), Math.floor(item.y / cellPixels));
      const cell = this.#cells.get(key);
      if (cell) cell.push(item);
      else this.#cells.set(key, [item]);
    }
  }

  anyIn(box, self) {
    const reachMax = 12;
    for (let column = Math.floor((box.left - reachMax) / cellPixels); column <= Math.floor((box.right + reachMax) / cellPixels); column += 1) {
      for (let row = Math.floor((box.top - reachMax) / cellPixels); row <= Math.floor((box.bottom + reachMax) / cellPixels); row += 1) {
        for (const item of this.#cells.get(this.#key(column, row)) ?? []) {
          const reach = item.radius * 0.7;
          if (item !== self && item.x + reach > box.left && item.x - reach < box.right && item.y + reach > box.top && item.y - reach < box.bottom) return true;
        }
      }
    }
    return false;
  }

  #key(column, row) {
    return column * 100_003 + row;
  }
}
