// The names beside the runners on the map: their widths, where they are, and how they are drawn.

import { ago } from "../kit/format.js";
import { placeLabels } from "./labels.js";
import { runnerColour } from "./palette.js";
import { dotRadius } from "./runnerglyphs.js";

const font = "600 12px system-ui, sans-serif";
const widthsMax = 4_000;
const labelPixels = { height: 21, padding: 8, corner: 7 };

/** Labels of runners, placed now and then and drawn each frame. */
export class RunnerLabels {
  #clock;
  #obstacles;
  #names;
  /** session → `{dx, dy, width, height, text}`, see `placeLabels`. */
  #placed = new Map();
  #widths = new Map();

  /**
   * Labels stay off `obstacles()`, boxes in the map's pixels, and before the `names` of the campus (a name layer, or null). `clock` is the
   * server's, for the age of an offline runner's position.
   */
  constructor({ clock, obstacles, names }) {
    this.#clock = clock;
    this.#obstacles = obstacles;
    this.#names = names;
  }

  /**
   * Places the labels of `items`; names of the campus make room for them and for what covers the map. `corner` is the canvas's in the map's
   * layer, and `priorityOf(item)` as `placeLabels` has it.
   */
  place(context, frame, items, { map, corner, priorityOf }) {
    const measured = items.map((item) => ({ ...item, ...this.#measure(context, item), priority: priorityOf(item) }));
    const { x, y } = map.containerPointToLayerPoint([0, 0]).subtract(corner);
    const size = map.getSize();
    const blocked = this.#obstacles()
      .map(({ left, top, right, bottom }) => ({ left: left + x, top: top + y, right: right + x, bottom: bottom + y }));
    const visible = { left: x, top: y, right: x + size.x, bottom: y + size.y };
    this.#placed = placeLabels(measured, this.#placed, { ...frame, visible, blocked, names: this.#names?.boxes(frame) ?? [] });
    if (!this.#names) return;
    const taken = blocked.concat(measured.filter(({ session }) => this.#placed.has(session)).map((item) => this.boxOf(item)));
    this.#names.makeRoom(frame, taken, items.map(dotBox));
  }

  /** Draws the labels of those of `items` that have one. */
  draw(context, items, { pill, ink, theme }, isEmphasised) {
    context.font = font;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const item of items) {
      const label = this.#placed.get(item.session);
      if (!label) continue;
      const x = item.x + label.dx;
      const y = item.y + label.dy;
      context.beginPath();
      roundedBox(context, x, y, label.width, label.height, labelPixels.corner);
      context.globalAlpha = 0.93;
      context.fillStyle = pill;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = runnerColour(item.session, theme).fill;
      context.lineWidth = isEmphasised(item) ? 2.5 : 1.25;
      context.stroke();
      context.fillStyle = ink;
      context.fillText(label.text, x + labelPixels.padding, y + label.height / 2 + 0.5);
    }
  }

  /** The text of a runner's label, or undefined. */
  textOf(session) {
    return this.#placed.get(session)?.text;
  }

  /** The box of a labelled item's label, `{left, top, right, bottom}`, in the canvas's pixels. */
  boxOf({ session, x, y }) {
    const { dx, dy, width, height } = this.#placed.get(session);
    return { left: x + dx, top: y + dy, right: x + dx + width, bottom: y + dy + height };
  }

  /** Whether the label of `item` covers a point of the canvas. */
  covers(item, { x, y }) {
    const label = this.#placed.get(item.session);
    return label !== undefined && x >= item.x + label.dx && x <= item.x + label.dx + label.width
      && y >= item.y + label.dy && y <= item.y + label.dy + label.height;
  }

  #measure(context, { session, runner }) {
    let text = runner.name;
    if (runner.state === "offline") text += ` · ${ago(this.#clock.age(runner.at))}`;
    const key = `${session} ${text.length} ${runner.name}`;
    if (!this.#widths.has(key)) {
      context.font = font;
      if (this.#widths.size > widthsMax) this.#widths.clear();
      this.#widths.set(key, context.measureText(text).width + labelPixels.padding * 2);
    }
    return { text, width: this.#widths.get(key), height: labelPixels.height, radius: dotRadius };
  }
}

function dotBox({ x, y }) {
  return { left: x - dotRadius, top: y - dotRadius, right: x + dotRadius, bottom: y + dotRadius };
}

function roundedBox(context, x, y, width, height, radius) {
  context.moveTo(x + radius, y);
  context.arcTo(x + width, y, x + width, y + height, radius);
  context.arcTo(x + width, y + height, x, y + height, radius);
  context.arcTo(x, y + height, x, y, radius);
  context.arcTo(x, y, x + width, y, radius);
  context.closePath();
}
