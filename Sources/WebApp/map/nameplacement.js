// Where the names of one frame stand. Canvas only, to measure them.

import { meets } from "./labels.js";

const namesMax = 120;

/** Places names in the order in which they are added; one that would meet an earlier one is left out. */
export class NamePlacement {
  /** The placed names, `{key, text, font, colour, x, y, box, zone}`, in pixels of the world at the frame's scale. */
  names = [];

  #context; #frame; #isInView;
  #marks;

  /** Names stand below `marks`, `{points, radius}`; shapes for which `isInView(shape, frame)` does not hold have none. */
  constructor(context, frame, { marks, isInView }) {
    this.#context = context;
    this.#frame = frame;
    this.#isInView = isInView;
    this.#marks = marks.points.map((point) => aroundMark(point, marks.radius, frame.scale));
  }

  /** Places `text` in the middle of `shape`, `lift` pixels higher; `zone` is the box in which it may be moved. */
  add(shape, text, { size, colour, weight = 500, widthMax = Infinity, lift = 0, zone = null }) {
    const { scale } = this.#frame;
    if (!text || this.names.length >= namesMax || !this.#isInView(shape, this.#frame)) return;
    const font = `${weight} ${size}px system-ui, sans-serif`;
    this.#context.font = font;
    const { width } = this.#context.measureText(text);
    if (width > widthMax) return;
    const x = shape.x * scale;
    const half = size * 0.7;
    const boxAt = (middle) => ({ left: x - width / 2 - 4, right: x + width / 2 + 4, top: middle - half, bottom: middle + half });
    let y = shape.y * scale - lift;
    const mark = this.#marks.find((dot) => meets(boxAt(y), dot));
    if (mark) y = mark.bottom + half;
    const box = boxAt(y);
    if (this.names.some((other) => meets(box, other.box))) return;
    this.names.push({ key: `${text} ${shape.x} ${shape.y}`, text, font, colour, x, y, box, zone });
  }
}

function aroundMark({ x, y }, radius, scale) {
  return { left: x * scale - radius, top: y * scale - radius, right: x * scale + radius, bottom: y * scale + radius };
}
