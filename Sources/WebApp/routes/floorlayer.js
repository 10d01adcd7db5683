// The plan of one level on a map: rooms with their names, corridors, lifts and stairs, doors.

import { h } from "../kit/dom.js";
import { token } from "../kit/theme.js";

const pane = "floors";
const labelPane = "floor-labels";
/** Above the drawing of the campus, below the route. */
const paneHeights = { [pane]: "410", [labelPane]: "411" };
const labelZoomMin = 18;
const letterPixels = 6.4;
const linePixels = 15;
/** A room with fewer pixels each way has no room for its name. */
const labelPixelsMin = 26;
const marks = { lift: "Lift", stairs: "Stairs" };

/** The layer on the map `view`. */
export class FloorLayer {
  #view; #shapes; #labels;
  #plan = { rooms: [], doors: [] };
  #labelled = new Set();

  constructor(view) {
    this.#view = view;
    const { L, map } = view;
    for (const [name, height] of Object.entries(paneHeights)) map.createPane(name).style.zIndex = height;
    this.#shapes = L.layerGroup().addTo(map);
    this.#labels = L.layerGroup().addTo(map);
    map.on("zoomend", () => this.#drawLabels());
    view.whenThemeChanges(() => this.#draw());
  }

  /** Number of rooms that are drawn, for tests. */
  get count() { return this.#plan.rooms.length; }

  /** Whether a name is written on the plan. */
  hasLabel(name) {
    return this.#labelled.has(name);
  }

  /** Shows a plan, `{rooms, doors}`. */
  set(plan) {
    this.#plan = plan;
    this.#draw();
  }

  #draw() {
    const { L } = this.#view;
    const colours = { room: token("--plan-room"), corridor: token("--plan-way"), area: token("--plan-way"), lift: token("--plan-lift"),
      stairs: token("--plan-lift") };
    const edge = token("--plan-edge");
    this.#shapes.clearLayers();
    // Rooms lie on areas.
    const order = ["area", "corridor", "room", "stairs", "lift"];
    for (const { kind, lines } of [...this.#plan.rooms].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))) {
      const style = { weight: 1.2, color: edge, fillColor: colours[kind] ?? colours.room, fillOpacity: 1, interactive: false, pane };
      this.#shapes.addLayer(L.polygon(lines, style));
    }
    for (const door of this.#plan.doors) {
      const style = { radius: 2.5, weight: 0, fillColor: token("--plan-door"), fillOpacity: 1, interactive: false, pane };
      this.#shapes.addLayer(L.circleMarker([door.lat, door.lon], style));
    }
    this.#drawLabels();
  }

  #drawLabels() {
    const { L, map } = this.#view;
    this.#labels.clearLayers();
    this.#labelled.clear();
    if (map.getZoom() < labelZoomMin) return;
    for (const { kind, name, code, lines } of this.#plan.rooms) {
      const text = name ?? code ?? marks[kind];
      if (!text || kind === "corridor") continue;
      const box = L.latLngBounds(lines[0] ?? []);
      if (!box.isValid()) continue;
      const [one, other] = [map.project(box.getSouthWest()), map.project(box.getNorthEast())];
      const [width, height] = [Math.abs(other.x - one.x), Math.abs(other.y - one.y)];
      if (width < labelPixelsMin || height < linePixels) continue;
      const label = [text, code].find((words) => words && fits(words, width, height));
      if (!label) continue;
      this.#labelled.add(label);
      const words = h("span", { "aria-hidden": "true" }, label);
      words.style.width = `${Math.floor(width)}px`;
      const labelIcon = L.divIcon({ className: "room-label", html: words, iconSize: [0, 0] });
      this.#labels.addLayer(L.marker(box.getCenter(), { icon: labelIcon, interactive: false, keyboard: false, pane: labelPane }));
    }
  }
}

/** Whether words fit into a box without breaking one of them. */
function fits(text, width, height) {
  const longest = Math.max(...text.split(/\s+/).map((word) => word.length)) * letterPixels;
  return longest <= width && Math.ceil((text.length * letterPixels) / width) * linePixels <= height;
}
