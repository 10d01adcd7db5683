// The map of a route: the line with the crowd along it, the floor plan of a level, the person, what is closed.

import { steps, stepOf } from "../heatmap/scale.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { currentTheme, token } from "../kit/theme.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { MyMark } from "../map/mymark.js";
import { narrow } from "../map/narrow.js";
import { placeChips } from "./chips.js";
import { makeClosureMarks } from "./closuremarks.js";
import { FloorLayer } from "./floorlayer.js";
import { crowdPieces, levelChanges, piecesOf } from "./routeline.js";
import { levelWords } from "./words.js";

const pane = "route";
const herePane = "route-here";
/** Above the floor plan, and the person above the route. */
const paneHeights = { [pane]: "420", [herePane]: "430" };
const elsewhereOpacity = 0.35;
const nearZoom = 18.5;
const toolsPixels = 72;
const changeNames = { lift: "Lift", steps: "Stairs", escalator: "Escalator" };

/** A map in `element`; `sheet` is the panel that covers a part of it; `tapped({lat, lon})` is called for a tap on the map. */
export class RouteMap {
  element = h("div", { class: "map", id: "route-map" });
  /** Resolves when the map is there, or could not be loaded. */
  ready;

  #app; #sheet; #tapped;
  #view = null;
  #isClosed = false;
  #lines = null;
  #floors = null;
  #here = null;
  #marks = null;
  #route = null;
  #others = [];
  #level = null;
  #plan = { rooms: [], doors: [] };
  #place = null;
  #isFitWanted = false;

  constructor(app, { label, sheet, tapped = (_where) => {} }) {
    this.#app = app;
    this.#sheet = sheet;
    this.#tapped = tapped;
    this.ready = makeMapView(this.element, app, { label, padding: () => this.#padding() }).then((view) => this.#attach(view), (error) => {
      this.element.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message));
    });
  }

  /** What is drawn, for tests. */
  get shown() {
    return { rooms: this.#floors?.count ?? 0, level: this.#level, closures: this.#marks?.closures.length ?? 0,
      here: this.#here?.shown() ?? null };
  }

  /** Draws a route, or none with null; `others` are alternatives that were not chosen. */
  setRoute(route, others = []) {
    this.#route = route;
    this.#others = others;
    this.#drawLines();
  }

  /** Shows a level with its plan, `{rooms, doors}`. */
  setLevel(level, plan) {
    this.#level = level;
    this.#plan = plan;
    this.#floors?.set(plan);
    this.#drawLines();
  }

  /** Draws the person at `{lat, lon, accuracy}`, or nowhere with null. */
  setPlace(place) {
    this.#place = place;
    this.#here?.draw(place);
  }

  /** Loads what is closed once more. */
  renewClosures() {
    this.#marks?.load();
  }

  /** Shows the whole campus. */
  fitCampus() {
    this.#view?.fitCampus();
  }

  /** Shows the whole route. */
  fit() {
    this.#isFitWanted = this.#view === null;
    if (!this.#view || !this.#route) return;
    const { L, map } = this.#view;
    const bounds = L.latLngBounds(this.#route.points.map(({ lat, lon }) => [lat, lon]));
    if (bounds.isValid()) map.fitBounds(bounds, { ...this.#padding(), maxZoom: nearZoom, animate: mayAnimate() });
  }

  /** Moves the map to a place, in the middle of what the panel leaves free. */
  goTo({ lat, lon }, zoomMin = nearZoom) {
    if (!this.#view) return;
    const { L, map } = this.#view;
    const zoom = Math.max(map.getZoom(), zoomMin);
    const { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom] } = this.#padding();
    const middle = map.project([lat, lon], zoom).add(L.point((right - left) / 2, (bottom - top) / 2));
    map.setView(map.unproject(middle, zoom), zoom, { animate: mayAnimate() });
  }

  /** Whether a place is on the part of the map that the panel leaves free. */
  isInSight({ lat, lon }) {
    if (!this.#view) return true;
    const { map } = this.#view;
    const { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom] } = this.#padding();
    const { x, y } = map.latLngToContainerPoint([lat, lon]);
    const size = map.getSize();
    return x > left && x < size.x - right && y > top && y < size.y - bottom;
  }

  /** The middle of the map, or null without one. */
  get middle() {
    if (!this.#view) return null;
    const { lat, lng } = this.#view.map.getCenter();
    return { lat, lon: lng };
  }

  /** Calls `listener` when a person drags the map. */
  whenDragged(listener) {
    this.ready.then(() => this.#view?.map.on("dragstart", listener));
  }

  close() {
    this.#isClosed = true;
    this.#marks?.close();
    this.#view?.destroy();
  }

  #attach(view) {
    if (this.#isClosed) return view.destroy();
    this.#view = view;
    const { L, map } = view;
    for (const [name, height] of Object.entries(paneHeights)) map.createPane(name).style.zIndex = height;
    this.#floors = new FloorLayer(view);
    this.#lines = L.layerGroup().addTo(map);
    this.#here = new MyMark({ ...view, L: inPane(L, herePane) });
    this.#marks = makeClosureMarks(view, this.#app);
    map.on("click", ({ latlng }) => this.#tapped({ lat: latlng.lat, lon: latlng.lng }));
    // Whether chips meet depends on the zoom.
    map.on("zoomend", () => this.#drawLines());
    view.whenThemeChanges(() => {
      this.#drawLines();
      this.#here.draw(this.#place);
    });
    this.#floors.set(this.#plan);
    this.#drawLines();
    this.#here.draw(this.#place);
    if (this.#isFitWanted) this.fit();
    return undefined;
  }

  #padding() {
    const { offsetWidth, offsetHeight } = this.#sheet();
    return narrow.matches
      ? { paddingTopLeft: [toolsPixels, 36], paddingBottomRight: [toolsPixels, Math.min(offsetHeight, innerHeight * 0.5) + 24] }
      : { paddingTopLeft: [offsetWidth + 48, 40], paddingBottomRight: [toolsPixels + 16, 40] };
  }

  #drawLines() {
    if (!this.#view) return;
    this.#lines.clearLayers();
    for (const other of this.#others) this.#drawOther(other);
    if (!this.#route) return;
    const { L } = this.#view;
    const line = (points, style) => this.#lines.addLayer(L.polyline(points, { interactive: false, pane, lineJoin: "round", ...style }));
    for (const { points, people } of crowdPieces(this.#route)) {
      const step = steps[Math.max(0, stepOf(people))];
      line(points, { color: step[currentTheme()], weight: 20, opacity: 0.55, className: "route-crowd" });
    }
    const [colour, ring] = [token("--route"), token("--map-ring")];
    for (const { points, isUncertain, isHere } of piecesOf(this.#route, this.#level)) {
      const opacity = isHere ? 1 : elsewhereOpacity;
      line(points, { color: ring, weight: 9, opacity: 0.9 * opacity });
      line(points, { color: colour, weight: 5.5, opacity, ...(isUncertain && { dashArray: "3 10", className: "route-uncertain" }) });
    }
    this.#drawDots();
  }

  #drawOther({ points }) {
    const { L } = this.#view;
    this.#lines.addLayer(L.polyline(points.map(({ lat, lon }) => [lat, lon]), {
      color: token("--ink-2"), weight: 4, opacity: 0.45, interactive: false, pane, lineJoin: "round",
    }));
  }

  /** The start, the changes of level and the destination. The destination's chip has room before those of the changes. */
  #drawDots() {
    const { map } = this.#view;
    const [start, end] = [this.#route.points[0], this.#route.points.at(-1)];
    const [plain, ring] = [{ color: token("--route"), fillColor: token("--map-ring") }, token("--map-ring")];
    const isHere = this.#level === null || (end.level ?? null) === null || end.level === this.#level;
    const isNamed = isHere && this.#route.name && !(end.level && this.#floors.hasLabel(this.#route.name));
    const dots = [
      { ...end, isHere, text: isNamed ? this.#route.name : null,
        style: { radius: 10, weight: 3, color: ring, fillColor: token("--accent") } },
      ...levelChanges(this.#route, this.#level).map((change) => ({ ...change,
        text: change.isHere ? `${changeNames[change.kind]} to ${levelWords(change.level)}` : null,
        style: { radius: 6, weight: 3, ...plain } })),
      { ...start, isHere: true, text: null, style: { radius: 7, weight: 3, ...plain } },
    ];
    const named = dots.filter(({ text }) => text);
    const sides = placeChips(named.map(({ lat, lon, text }) => ({ text, point: map.latLngToContainerPoint([lat, lon]) })), map.getSize().x);
    // Of the objects on this level the first in the list lies on top.
    const order = [...dots].reverse().sort((one, other) => Number(one.isHere) - Number(other.isHere));
    for (const dot of order) this.#dot(dot, sides[named.indexOf(dot)] ?? null);
  }

  #dot({ lat, lon, isHere, text, style }, side) {
    const opacity = isHere ? 1 : elsewhereOpacity;
    const dot = this.#view.L.circleMarker([lat, lon], { ...style, opacity, fillOpacity: opacity, interactive: false, pane });
    this.#lines.addLayer(dot);
    if (!side) return;
    const offset = side === "right" ? [10, 0] : [-10, 0];
    dot.bindTooltip(h("span", {}, text), { permanent: true, direction: side, className: "end-label", offset }).openTooltip();
  }
}

/** Circles of Leaflet in a pane. */
function inPane(L, name) {
  return {
    circle: (where, style) => L.circle(where, { ...style, pane: name }),
    circleMarker: (where, style) => L.circleMarker(where, { ...style, pane: name }),
  };
}
