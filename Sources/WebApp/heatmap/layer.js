// The heatmap on one canvas: a square for each cell with people, and how many where there is room for a number.

import { makeCanvasLayer } from "../map/canvaslayer.js";
import { byStep, steps } from "./scale.js";
import { currentTheme, token } from "../kit/theme.js";

const padding = 0.25;
/** A square of fewer pixels has no room for a number. */
const numberPixelsMin = 38;
/** A square of fewer pixels has no gap around it, and is drawn no smaller than the second. */
const gapPixelsMin = 10;
const cellPixelsMin = 3;
const opacity = { light: 0.56, dark: 0.58 };

/**
 * Makes the layer; `layer.set(cells, zoom)` fills it, `layer.restyle()` after a change of theme. `layer.cost` adds up frames, their
 * duration in ms, and has the number of cells drawn last.
 */
export function makeHeatLayer(L) {
  let lists = byStep([]);
  let zoom = 19;
  const layer = makeCanvasLayer(L, { padding, className: "heat-layer", paint });
  layer.cost = { frames: 0, milliseconds: 0, drawn: 0 };

  function paint(context, { scale, left, top, width, height }) {
    const started = performance.now();
    const theme = currentTheme();
    const size = scale / 2 ** zoom;
    const side = Math.max(cellPixelsMin, size - (size >= gapPixelsMin ? 1 : 0));
    const seen = [];
    context.globalAlpha = opacity[theme];
    for (const [index, cells] of lists.entries()) {
      context.fillStyle = steps[index][theme];
      context.beginPath();
      for (const cell of cells) {
        const x = cell[0] * size - left;
        const y = cell[1] * size - top;
        if (x + side < 0 || y + side < 0 || x > width || y > height) continue;
        context.rect(x, y, side, side);
        seen.push(cell);
      }
      context.fill();
    }
    context.globalAlpha = 1;
    if (size >= numberPixelsMin) drawNumbers(context, seen, size, left, top);
    layer.cost.frames += 1;
    layer.cost.milliseconds += performance.now() - started;
    layer.cost.drawn = seen.length;
  }

  function drawNumbers(context, cells, size, left, top) {
    context.font = `700 ${Math.min(15, size * 0.3)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3.5;
    context.lineJoin = "round";
    context.strokeStyle = token("--map-halo");
    context.fillStyle = token("--ink");
    for (const [x, y, people] of cells) {
      const [px, py] = [(x + 0.5) * size - left, (y + 0.5) * size - top];
      context.strokeText(`≈${people}`, px, py);
      context.fillText(`≈${people}`, px, py);
    }
  }

  layer.set = (cells, cellZoom) => {
    lists = byStep(cells);
    zoom = cellZoom;
    layer.redraw();
  };
  layer.restyle = () => layer.redraw();
  return layer;
}
