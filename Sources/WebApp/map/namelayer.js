// The names of zones, places and buildings on a canvas of their own: they make room for labels without a new drawing of the campus.

import { makeCanvasLayer } from "./canvaslayer.js";
import { meetsAny } from "./labels.js";
import { NamePlacement } from "./nameplacement.js";
import { toUnit } from "../client/mercator.js";
import { token } from "../kit/theme.js";

const buildingNamesFromZoom = 16.4;
const placeNamesFromZoom = 15;
/** A zone's name may reach so far over its border. */
const borderSlackPixels = 6;
/** Where in its zone a zone's name may stand, in pixels from the middle: tried in turn. */
const zoneMoves = [
  [0, 0], [0, -20], [0, 20], [0, -40], [0, 40], [-30, 0], [30, 0], [-30, -24], [30, -24], [-30, 24], [30, 24],
  [0, -64], [0, 64], [-60, 0], [60, 0], [-60, -44], [60, -44], [-60, 44], [60, 44],
];

/** Makes the layer. Names of places stand `placeLift` pixels above them; `isInView(shape, frame)` skips shapes out of view. */
export function makeNameLayer(L, { placeLift, isInView }) {
  return new NameLayer(L, { placeLift, isInView });
}

/** Names on a map of the campus. */
class NameLayer {
  #layer; #placeLift; #isInView;
  #shapes = { zones: [], buildings: [], places: [] };
  #style = readStyle();
  /** Dots that names stand below instead of under: `{x, y}` of the unit square, and their radius in pixels. */
  #marks = { points: [], radius: 0 };
  /** The names in view, `{key, text, font, colour, x, y, box, zone}`, in pixels of the world at `#drawnScale`. */
  #names = [];
  #drawnScale = 0;
  /** By key: how far a name is moved, `[x, y]` in pixels, or null for one that is left out. */
  #moves = new Map();

  constructor(L, { placeLift, isInView }) {
    this.#placeLift = placeLift;
    this.#isInView = isInView;
    this.#layer = makeCanvasLayer(L, { padding: 0.3, className: "name-layer", paint: (context, frame) => this.#paint(context, frame) });
  }

  addTo(map) {
    this.#layer.addTo(map);
    return this;
  }

  remove() {
    this.#layer.remove();
  }

  /** Fills the layer with `{zones, buildings, places}`. */
  setShapes(shapes) {
    this.#shapes = shapes;
    this.#layer.redraw();
  }

  /** Moves names below the dots at `places`, `{lat, lon}` each. */
  setMarks(places, radius) {
    this.#marks = { points: places.map(({ lat, lon }) => toUnit(lat, lon)), radius };
    this.#layer.redraw();
  }

  /** Takes the colours of the current theme. */
  restyle() {
    this.#style = readStyle();
    this.#layer.redraw();
  }

  /** The boxes of the names in view, `{left, top, right, bottom}` in the frame's pixels. */
  boxes({ scale, left, top }) {
    if (scale !== this.#drawnScale) return [];
    return this.#names.map(({ key, box }) => shifted(box, this.#moves.get(key) ?? [0, 0], [-left, -top]));
  }

  /**
   * Leaves out names that a box of `taken` meets. A zone's name first moves to another point of its zone, off `dots` if possible.
   * Both are boxes in the frame's pixels.
   */
  makeRoom({ scale, left, top }, taken, dots) {
    if (scale !== this.#drawnScale) return;
    const full = taken.map((box) => shifted(box, [left, top]));
    const spots = dots.map((box) => shifted(box, [left, top]));
    const next = new Map();
    for (const name of this.#names) {
      const move = freeMove(name, this.#moves.get(name.key), full, spots);
      if (move) full.push(shifted(name.box, move));
      next.set(name.key, move);
    }
    const moves = this.#moves;
    const isSame = ([key, move]) => String(moves.get(key) ?? (moves.has(key) ? null : [0, 0])) === String(move);
    const changes = [...next].some((entry) => !isSame(entry));
    this.#moves = next;
    if (changes) this.#layer.redraw();
  }

  /** The names that can be read, for tests. */
  shown() {
    return this.#names.filter(({ key }) => this.#moves.get(key) !== null).map(({ text }) => text);
  }

  #paint(context, frame) {
    this.#names = this.#place(context, frame);
    this.#drawnScale = frame.scale;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = this.#style.halo;
    for (const { key, text, font, colour, x, y } of this.#names) {
      const move = this.#moves.get(key);
      if (move === null) continue;
      const [left, top] = [x + (move?.[0] ?? 0) - frame.left, y + (move?.[1] ?? 0) - frame.top];
      context.font = font;
      context.strokeText(text, left, top);
      context.fillStyle = colour;
      context.fillText(text, left, top);
    }
  }

  #place(context, frame) {
    const { zones, places, buildings } = this.#shapes;
    const { zone: zoneColour, label: colour } = this.#style;
    const placement = new NamePlacement(context, frame, { marks: this.#marks, isInView: this.#isInView });
    const widthOf = (shape) => (shape.east - shape.west) * frame.scale;
    for (const zone of zones) {
      const widthMax = widthOf(zone) * 0.9;
      placement.add(zone, zone.name ?? zone.ref, { size: 13, weight: 650, colour: zoneColour, widthMax, zone: boxOf(zone, frame.scale) });
    }
    const hasPlaces = frame.zoom >= placeNamesFromZoom;
    if (hasPlaces) for (const place of places) placement.add(place, place.name, { size: 12, weight: 600, colour, lift: this.#placeLift });
    if (frame.zoom < buildingNamesFromZoom) return placement.names;
    // A place that is a building is named once.
    const named = new Set(hasPlaces ? places.map(({ name }) => name) : []);
    for (const building of buildings) {
      if (!named.has(building.name)) placement.add(building, building.name, { size: 11.5, colour, widthMax: widthOf(building) * 2.2 });
    }
    return placement.names;
  }
}

/** How far a name has to move so that it meets none of `full`, and none of `spots` if possible; null if nothing is free. */
function freeMove({ box, zone }, last, full, spots) {
  const options = zone ? [...(last ? [last] : []), ...zoneMoves] : [[0, 0]];
  const free = options.filter((move) => {
    const moved = shifted(box, move);
    return !meetsAny(moved, full) && (!zone || isWithin(moved, zone));
  });
  return free.find((move) => !zone || !meetsAny(shifted(box, move), spots)) ?? free[0] ?? null;
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
