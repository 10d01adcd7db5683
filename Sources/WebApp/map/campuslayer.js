// The campus, drawn from its own data on two canvases: areas, ways, buildings and zones below, their names above.

import { makeCanvasLayer } from "./canvaslayer.js";
import { toUnit } from "../client/mercator.js";
import { makeNameLayer } from "./namelayer.js";
import { token } from "../kit/theme.js";

const areaOrder = ["water", "green", "pitch", "parking"];
const wayWidths = { road: 5, pedestrian: 3.6, cycleway: 2.4, footway: 1.9, path: 1.6, steps: 3 };

/**
 * Makes the layer; `setCampus(geojson)` fills it, `restyle()` after a change of theme, `names` is the layer of its names. Names of
 * places stand `placeLift` pixels above them, where something else marks them.
 */
export function makeCampusLayer(L, { placeLift = 0 } = {}) {
  let shapes = { areas: [], ways: [], buildings: [], zones: [], places: [] };
  let colours = readColours();
  const names = makeNameLayer(L, { placeLift, isInView });

  const layer = makeCanvasLayer(L, {
    padding: 0.3,
    className: "campus-layer",
    paint(context, frame) {
      const seen = (shape) => isInView(shape, frame);
      context.lineJoin = "round";
      context.lineCap = "round";
      for (const name of areaOrder) fill(context, frame, shapes.areas.filter((area) => area.class === name && seen(area)), colours[name]);
      drawWays(context, frame, shapes.ways.filter(seen), colours);
      fill(context, frame, shapes.buildings.filter(seen), colours.building, colours.buildingEdge);
      drawZones(context, frame, shapes.zones.filter(seen), colours);
    },
  });

  layer.setCampus = (geojson) => {
    shapes = readShapes(geojson);
    layer.redraw();
    names.setShapes(shapes);
  };
  layer.restyle = () => {
    colours = readColours();
    layer.redraw();
    names.restyle();
  };
  layer.names = names;
  layer.on("add", () => names.addTo(layer._map));
  layer.on("remove", () => names.remove());
  return layer;
}

function readColours() {
  const names = [
    "water", "green", "pitch", "parking", "building", "building-edge", "road", "road-edge", "way", "cycleway", "steps", "zone",
  ];
  return Object.fromEntries(names.map((name) => [name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), token(`--map-${name}`)]));
}

function readShapes(geojson) {
  const shapes = { areas: [], ways: [], buildings: [], zones: [], places: [] };
  const lists = { area: shapes.areas, way: shapes.ways, building: shapes.buildings, zone: shapes.zones, place: shapes.places };
  for (const { properties, geometry } of geojson?.features ?? []) {
    const list = lists[properties?.kind];
    const lines = linesOf(geometry);
    if (!list || lines.length === 0) continue;
    list.push(measured({ class: properties.class, name: properties.name, ref: properties.ref, lines }));
  }
  shapes.buildings.sort((a, b) => b.extent - a.extent);
  drawSharedBordersOnce(shapes.zones);
  return shapes;
}

/** Gives each zone `borders`: its outline without what an earlier zone has. Dashes of two neighbours would fill each other's gaps. */
export function drawSharedBordersOnce(zones) {
  const drawn = new Set();
  for (const zone of zones) {
    zone.borders = [];
    for (const line of zone.lines) {
      let open = null;
      for (let index = 2; index < line.length; index += 2) {
        const ends = [`${line[index - 2]},${line[index - 1]}`, `${line[index]},${line[index + 1]}`];
        const edge = ends.sort().join(" ");
        if (drawn.has(edge)) { open = null; continue; }
        drawn.add(edge);
        if (!open) zone.borders.push(open = [line[index - 2], line[index - 1]]);
        open.push(line[index], line[index + 1]);
      }
    }
  }
}

function linesOf(geometry) {
  switch (geometry?.type) {
    case "Point": return [unitLine([geometry.coordinates])];
    case "LineString": return [unitLine(geometry.coordinates)];
    case "MultiLineString": case "Polygon": return geometry.coordinates.map(unitLine);
    case "MultiPolygon": return geometry.coordinates.flat().map(unitLine);
    default: return [];
  }
}

function unitLine(coordinates) {
  const line = new Float64Array(coordinates.length * 2);
  coordinates.forEach(([lon, lat], index) => {
    const { x, y } = toUnit(lat, lon);
    line[index * 2] = x;
    line[index * 2 + 1] = y;
  });
  return line;
}

function measured(shape) {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of shape.lines) {
    for (let index = 0; index < line.length; index += 2) {
      west = Math.min(west, line[index]);
      east = Math.max(east, line[index]);
      north = Math.min(north, line[index + 1]);
      south = Math.max(south, line[index + 1]);
    }
  }
  return { ...shape, west, north, east, south, extent: (east - west) * (south - north), x: (west + east) / 2, y: (north + south) / 2 };
}

function isInView(shape, { scale, left, top, width, height }) {
  return shape.east * scale >= left && shape.west * scale <= left + width
    && shape.south * scale >= top && shape.north * scale <= top + height;
}

function trace(context, { scale, left, top }, lines) {
  for (const line of lines) {
    context.moveTo(line[0] * scale - left, line[1] * scale - top);
    for (let index = 2; index < line.length; index += 2) context.lineTo(line[index] * scale - left, line[index + 1] * scale - top);
  }
}

function fill(context, frame, list, colour, edge = null) {
  if (list.length === 0) return;
  context.fillStyle = colour;
  // One path a shape: even-odd over several would cut holes where two overlap.
  for (const shape of list) {
    context.beginPath();
    trace(context, frame, shape.lines);
    context.fill("evenodd");
    if (edge) {
      context.strokeStyle = edge;
      context.lineWidth = 1;
      context.stroke();
    }
  }
}

function drawWays(context, frame, ways, colours) {
  const factor = Math.min(2.4, Math.max(0.45, 2 ** ((frame.zoom - 16) * 0.6)));
  const byClass = new Map();
  for (const way of ways) {
    const name = wayWidths[way.class] ? way.class : "path";
    byClass.set(name, [...(byClass.get(name) ?? []), way]);
  }
  const stroke = (name, colour, width, dash = []) => {
    if (!byClass.has(name)) return;
    context.beginPath();
    for (const way of byClass.get(name)) trace(context, frame, way.lines);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  };
  const width = (name) => wayWidths[name] * factor;
  context.lineCap = "butt";
  stroke("road", colours.roadEdge, width("road") + 1.6);
  context.lineCap = "round";
  stroke("path", colours.way, width("path"), [4 * factor, 4 * factor]);
  stroke("footway", colours.way, width("footway"));
  stroke("cycleway", colours.cycleway, width("cycleway"));
  stroke("pedestrian", colours.way, width("pedestrian"));
  stroke("road", colours.road, width("road"));
  context.lineCap = "butt";
  stroke("steps", colours.steps, width("steps"), [2 * factor, 1.6 * factor]);
}

function drawZones(context, frame, zones, colours) {
  context.strokeStyle = colours.zone;
  context.lineWidth = 1.25;
  context.setLineDash([7, 6]);
  context.beginPath();
  for (const zone of zones) trace(context, frame, zone.borders);
  context.stroke();
  context.setLineDash([]);
}
