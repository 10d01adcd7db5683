// Crowds of which the server sends counts instead of runners: their circles on the map, and where a click leads. Canvas only.

import { fromUnit, toUnit } from "../client/mercator.js";
import { squaresInRow } from "../client/positions.js";

/** Squares smaller than this are drawn together. */
const squarePixelsMin = 60;
const radiusRange = { min: 13, max: 30 };

/**
 * The clusters of `roster` at a scale in pixels of the unit square: `{key, count, unitX, unitY, box}` each, where neighbours that would
 * cover each other are one. `box` is the part of the map that they are of, `[south, west, north, east]`.
 */
export function gather(roster, scale) {
  const gathered = [];
  for (const [topic, clusters] of roster.clusters ?? []) {
    const [, zoom, x, y] = topic.split("/").map(Number);
    const squares = 2 ** zoom * squaresInRow;
    let merged = 1;
    while (merged < squaresInRow && (scale / squares) * merged < squarePixelsMin) merged *= 2;
    const blocks = new Map();
    for (const { index, count, lat, lon } of clusters) {
      const column = Math.floor((index % squaresInRow) / merged);
      const row = Math.floor(index / squaresInRow / merged);
      const key = `${topic}/${merged}/${row}/${column}`;
      const at = toUnit(lat, lon);
      const block = blocks.get(key) ?? {
        key, count: 0, unitX: 0, unitY: 0,
        box: boxOf((x * squaresInRow + column * merged) / squares, (y * squaresInRow + row * merged) / squares, merged / squares),
      };
      block.count += count;
      block.unitX += at.x * count;
      block.unitY += at.y * count;
      blocks.set(key, block);
    }
    for (const block of blocks.values()) gathered.push({ ...block, unitX: block.unitX / block.count, unitY: block.unitY / block.count });
  }
  return apart(gathered, scale);
}

/** Circles that would touch a larger one go into it: squares meet where crowds do not care. */
function apart(gathered, scale) {
  const kept = [];
  for (const item of gathered.sort((a, b) => b.count - a.count)) {
    const near = kept.find((other) => (
      Math.hypot(other.unitX - item.unitX, other.unitY - item.unitY) * scale < radiusOf(other.count) + radiusOf(item.count)));
    if (near) join(near, item);
    else kept.push(item);
  }
  return kept;
}

/** The smallest key of those in a circle is its own: it stays while they grow and shrink against each other. */
function join(larger, { key, count, unitX, unitY, box: [south, west, north, east] }) {
  const total = larger.count + count;
  const [s, w, n, e] = larger.box;
  Object.assign(larger, {
    key: key < larger.key ? key : larger.key, count: total,
    unitX: (larger.unitX * larger.count + unitX * count) / total, unitY: (larger.unitY * larger.count + unitY * count) / total,
    box: [Math.min(s, south), Math.min(w, west), Math.max(n, north), Math.max(e, east)],
  });
}

function boxOf(x, y, size) {
  const [northWest, southEast] = [fromUnit(x, y), fromUnit(x + size, y + size)];
  return [southEast.lat, northWest.lon, northWest.lat, southEast.lon];
}

/** Draws `items` of `gather` that are in `frame`, and gives them back with `x`, `y` and `radius`. The smaller lie above. */
export function drawClusters(context, { scale, left, top, width, height }, items, style, hovered) {
  const placed = items.map((item) => ({ ...item, x: item.unitX * scale - left, y: item.unitY * scale - top, radius: radiusOf(item.count) }))
    .filter(({ x, y, radius }) => x > -radius && y > -radius && x < width + radius && y < height + radius)
    .sort((a, b) => b.count - a.count);
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { key, x, y, radius, count } of placed) {
    context.beginPath();
    context.arc(x, y, radius + (key === hovered ? 6 : 4), 0, Math.PI * 2);
    context.globalAlpha = 0.3;
    context.fillStyle = style.crowd;
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    context.fillStyle = style.crowd;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = style.ring;
    context.stroke();
    context.font = `700 ${radius < 18 ? 12 : 14}px system-ui, sans-serif`;
    context.fillStyle = style.crowdInk;
    context.fillText(shortCount(count), x, y + 0.5);
  }
  return placed;
}

/** The one of what was drawn that a point is in; null beside all. A finger needs some room. */
export function clusterAt(placed, { x, y }) {
  const slack = 6;
  return placed.findLast((item) => Math.hypot(item.x - x, item.y - y) <= item.radius + slack) ?? null;
}

function radiusOf(count) {
  return Math.min(radiusRange.max, radiusRange.min + 2 * Math.log2(count));
}

/** At most four characters: `999`, `1.2k`, `35k`. */
function shortCount(count) {
  if (count < 1000) return String(count);
  return count < 9950 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}
