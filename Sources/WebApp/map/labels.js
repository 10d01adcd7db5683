// Where names go so that they do not cover each other. Pure.

const labelsMax = 80;
/** Of the map for each label: more would hide what is below. */
const pixelsPerLabelMin = 9_000;
const gap = 6;
const cellPixels = 48;
/** No dot reaches farther from its middle. */
const dotReachMax = 12;

/** Offsets of a label's corner from its dot, tried in turn: right, left, above, below, then the corners. */
function candidates({ width, height, radius }) {
  const [right, left, above, below] = [radius + gap, -radius - gap - width, -radius - gap - height, radius + gap];
  return [
    { dx: right, dy: -height / 2 }, { dx: left, dy: -height / 2 }, { dx: -width / 2, dy: above }, { dx: -width / 2, dy: below },
    { dx: right, dy: above + gap }, { dx: left, dy: above + gap }, { dx: right, dy: below - gap }, { dx: left, dy: below - gap },
  ];
}

/**
 * Places labels for `items` (`{session, x, y, width, height, radius, text, priority}`) in a view of
 * `{width, height, visible, blocked, names}`. Boxes are `{left, top, right, bottom}`: a label stays within `visible`, and off
 * every box of `blocked` (buttons, panels). It avoids `names` (names of zones and places) while another side is free.
 * Result: session → `{dx, dy, width, height, text}`. The highest `priority` goes first (2 followed, 1 selected, 0 other) and always
 * gets a label; items that had one before (`previous`) come next and keep their side, so that labels do not flicker.
 */
export function placeLabels(items, previous, view) {
  const { visible, blocked = [], names = [] } = view;
  const placed = new Map();
  const boxes = [];
  const dots = new DotGrid(items);
  const covered = blocked.reduce((sum, box) => sum + areaOf(box), 0);
  const most = visible ? Math.min(labelsMax, Math.max(1, Math.ceil((areaOf(visible) - covered) / pixelsPerLabelMin))) : labelsMax;
  const rank = (item) => (item.priority > 0 ? -item.priority : previous.has(item.session) ? 1 : 2);
  const ordered = [...items].sort((a, b) => rank(a) - rank(b) || a.session - b.session)
    .filter(({ x, y }) => x >= 0 && y >= 0 && x <= view.width && y <= view.height);
  const isClear = ({ box }) => isInside(box, visible) && !meetsAny(box, blocked);

  function place(item, isWanted) {
    const options = optionsOf(item, previous.get(item.session));
    const isGood = (option) => isClear(option) && isFree(option.box, boxes, dots, item);
    const atLeast = () => options.find((option) => isClear(option) && !meetsAny(option.box, boxes)) ?? options.find(isClear) ?? options[0];
    const chosen = options.find((option) => isGood(option) && !meetsAny(option.box, names))
      ?? (isWanted ? options.find(isGood) : null) ?? (item.priority ? atLeast() : null);
    if (!chosen) return;
    boxes.push(chosen.box);
    placed.set(item.session, { dx: chosen.dx, dy: chosen.dy, width: item.width, height: item.height, text: item.text });
  }

  for (const item of ordered) if (item.priority || placed.size < most) place(item, item.priority > 0);
  // Where there are few labels, a name gives way to one more.
  for (const item of ordered) if (placed.size < most / 2 && !placed.has(item.session)) place(item, true);
  return placed;
}

/** Where an item's label may go, the side it had before first. */
function optionsOf(item, before) {
  const options = candidates(item).map((option) => ({ ...option, box: boxOf(item, option) }));
  const keep = before ? options.findIndex(({ dx, dy }) => Math.sign(dx) === Math.sign(before.dx) && Math.abs(dy - before.dy) < 1) : -1;
  if (keep > 0) options.unshift(...options.splice(keep, 1));
  return options;
}

function areaOf({ left, top, right, bottom }) {
  return (right - left) * (bottom - top);
}

/** Whether two boxes have a part in common. */
export function meets(box, other) {
  return box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top;
}

/** Whether `box` meets one of `others`. */
export function meetsAny(box, others) {
  return others.some((other) => meets(box, other));
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

/** The column or row of cells at a coordinate. */
function cellOf(pixels) {
  return Math.floor(pixels / cellPixels);
}

function isDotIn({ x, y, radius }, box) {
  const reach = radius * 0.7;
  return x + reach > box.left && x - reach < box.right && y + reach > box.top && y - reach < box.bottom;
}

/** Dots by square cell, so that a label looks only at its neighbours. */
class DotGrid {
  #cells = new Map();

  constructor(items) {
    for (const item of items) {
      const key = this.#key(cellOf(item.x), cellOf(item.y));
      const cell = this.#cells.get(key);
      if (cell) cell.push(item);
      else this.#cells.set(key, [item]);
    }
  }

  anyIn(box, self) {
    const [firstColumn, lastColumn] = [cellOf(box.left - dotReachMax), cellOf(box.right + dotReachMax)];
    const [firstRow, lastRow] = [cellOf(box.top - dotReachMax), cellOf(box.bottom + dotReachMax)];
    for (let column = firstColumn; column <= lastColumn; column += 1) {
      for (let row = firstRow; row <= lastRow; row += 1) {
        for (const item of this.#cells.get(this.#key(column, row)) ?? []) if (item !== self && isDotIn(item, box)) return true;
      }
    }
    return false;
  }

  #key(column, row) {
    return column * 100_003 + row;
  }
}
