// The names of zones, places and buildings on a canvas of their own: they make room for labels without a new drawing of the campus.

import { makeCanvasLayer } from "./canvaslayer.js";
import { meetsAny } from "./labels.js";
import { toUnit } from "../client/mercator.js";
import { token } from "../kit/theme.js";

const buildingNamesFromZoom = 16.4;
const placeNamesFromZoom = 15;
const namesMax = 120;
/** A zone's name may reach so far over its border. */
const borderSlackPixels = 6;
/** Where in its zone a zone's name may stand, in pixels from the middle: tried in turn. */
const zoneMoves = [
  [0, 0], [0, -20], [0, 20], [0, -40], [0, 40], [-30, 0], [30, 0], [-30, -24], [30, -24], [-30, 24], [30, 24],
  [0, -64], [0, 64], [-60, 0], [60, 0], [-60, -44], [60, -44], [-60, 44], [60, 44],
];

/**
 * Makes the layer; `setShapes({zones, buildings, places})` fills it, `restyle()` after a change of theme. `boxes(frame)` are the
 * names in view as `{left, top, right, bottom}` in that frame's pixels. `makeRoom(frame, taken, dots)` leaves out names that a box
 * of `taken` meets; a zone's name first looks for another place in its zone, off `dots` where it can. `setMarks(places, radius)`
 * moves names below the dots at `{lat, lon}`.
 */
export function makeNameLayer(L, { placeLift, isInView }) {
  let shapes = { zones: [], buildings: [], places: [] };
  let style = readStyle();
  /** Dots that names stand below instead of under: `{x, y}` of the unit square, and their radius in pixels. */
  let marks = { points: [], radius: 0 };
  /** The names in view, `{key, text, font, colour, x, y, box, zone}`, in pixels of the world at `drawnScale`. */
  let names = [];
  let drawnScale = 0;
  /** By key: how far a name is moved, `[x, y]` in pixels, or null for one that is left out. */
  let moves = new Map();

  const layer = makeCanvasLayer(L, { padding: 0.3, className: "name-layer", paint });

  function paint(context, frame) {
    names = place(context, frame);
    drawnScale = frame.scale;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = style.halo;
    for (const { key, text, font, colour, x, y } of names) {
      const move = moves.get(key);
      if (move === null) continue;
      const [left, top] = [x + (move?.[0] ?? 0) - frame.left, y + (move?.[1] ?? 0) - frame.top];
      context.font = font;
      context.strokeText(text, left, top);
      context.fillStyle = colour;
      context.fillText(text, left, top);
    }
  }

  function place(context, frame) {
    const placed = [];
    const widthOf = (shape) => (shape.east - shape.west) * frame.scale;
    const put = (shape, text, { size, weight = 500, colour = style.label, widthMax = Infinity, lift = 0, zone = null }) => {
      if (!text || placed.length >= namesMax || !isInView(shape, frame)) return;
      const font = `${weight} ${size}px system-ui, sans-serif`;
      context.font = font;
      const { width } = context.measureText(text);
      if (width > widthMax) return;
      const x = shape.x * frame.scale;
      const boxAt = (middle) => ({ left: x - width / 2 - 4, right: x + width / 2 + 4, top: middle - size * 0.7, bottom: middle + size * 0.7 });
      let y = shape.y * frame.scale - lift;
      const mark = marks.points.map((point) => aroundMark(point, marks.radius, frame.scale)).find((dot) => meetsAny(boxAt(y), [dot]));
      if (mark) y = mark.bottom + size * 0.7;
      const box = boxAt(y);
      if (meetsAny(box, placed.map((other) => other.box))) return;
      placed.push({ key: `${text} ${shape.x} ${shape.y}`, text, font, colour, x, y, box, zone });
    };
    const { zones, places, buildings } = shapes;
    const hasPlaces = frame.zoom >= placeNamesFromZoom;
    for (const zone of zones) {
      put(zone, zone.name ?? zone.ref, { size: 13, weight: 650, colour: style.zone, widthMax: widthOf(zone) * 0.9, zone: boxOf(zone, frame.scale) });
    }
    if (hasPlaces) for (const one of places) put(one, one.name, { size: 12, weight: 600, lift: placeLift });
    if (frame.zoom < buildingNamesFromZoom) return placed;
    // A place that is a building is named once.
    const named = new Set(hasPlaces ? places.map(({ name }) => name) : []);
    for (const building of buildings) {
      if (!named.has(building.name)) put(building, building.name, { size: 11.5, widthMax: widthOf(building) * 2.2 });
    }
    return placed;
  }

  layer.setShapes = (given) => {
    shapes = given;
    layer.redraw();
  };
  layer.setMarks = (places, radius) => {
    marks = { points: places.map(({ lat, lon }) => toUnit(lat, lon)), radius };
    layer.redraw();
  };
  layer.restyle = () => {
    style = readStyle();
    layer.redraw();
  };
  layer.boxes = ({ scale, left, top }) => {
    if (scale !== drawnScale) return [];
    return names.map(({ key, box }) => shifted(box, moves.get(key) ?? [0, 0], [-left, -top]));
  };
  layer.makeRoom = ({ scale, left, top }, taken, dots) => {
    if (scale !== drawnScale) return;
    const full = taken.map((box) => shifted(box, [left, top]));
    const spots = dots.map((box) => shifted(box, [left, top]));
    const next = new Map();
    for (const { key, box, zone } of names) {
      const last = moves.get(key);
      const options = zone ? [...(last ? [last] : []), ...zoneMoves] : [[0, 0]];
      const free = options.filter((move) => {
        const moved = shifted(box, move);
        return !meetsAny(moved, full) && (!zone || isWithin(moved, zone));
      });
      const move = free.find((one) => !zone || !meetsAny(shifted(box, one), spots)) ?? free[0] ?? null;
      if (move) full.push(shifted(box, move));
      next.set(key, move);
    }
    const isSame = ([key, move]) => String(moves.get(key) ?? (moves.has(key) ? null : [0, 0])) === String(move);
    const changes = [...next].some((entry) => !isSame(entry));
    moves = next;
    if (changes) layer.redraw();
  };
  /** The names that can be read, for tests. */
  layer.shown = () => names.filter(({ key }) => moves.get(key) !== null).map(({ text }) => text);
  return layer;
}

function aroundMark({ x, y }, radius, scale) {
  return { left: x * scale - radius, top: y * scale - radius, right: x * scale + radius, bottom: y * scale + radius };
}

function boxOf({ west, north, east, south }, scale) {
  return { left: west * scale, top: north * scale, right: east * scale, bottom: south * scale };
}

function shifted({ left, top, right, bottom }, ...moves) {
  const [x, y] = [0, 1].map((axis) => moves.reduce((sum, move) => sum + move[axis], 0));
  return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
}

function isWithin(box, zone) {
  const slack = borderSlackPixels;
  return box.left >= zone.left - slack && box.right <= zone.right + slack
    && box.top >= zone.top - slack && box.bottom <= zone.bottom + slack;
}

function readStyle() {
  return { zone: token("--map-zone"), label: token("--map-label"), halo: token("--map-halo") };
}
