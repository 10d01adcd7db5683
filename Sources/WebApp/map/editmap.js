// The map of the console: the campus, its places as dots to tap, a mark to put, an outline to draw.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "./animation.js";
import { makeMapView } from "./mapview.js";
import { token } from "../kit/theme.js";
import { makeMark } from "./picker.js";

const placeZoom = 17;
/** An outline of more points than these is drawn without handles. */
const handlesMax = 150;
const outlinePadding = [24, 24];

/**
 * Makes the map: `tapped({lat, lon})` is called for a tap on the map, `chosen(place)` for one on a place's dot, and
 * `moved(index, [lat, lon])` for a corner that was dragged.
 */
export function makeAdminMap({ app, label = "Map of places and zones", tapped, chosen, moved }) {
  return new AdminMap(app, { label, tapped, chosen, moved });
}

/** The map of the console. */
class AdminMap {
  element;
  /** Resolves when the map is there, or could not be loaded. */
  ready;

  #app; #tapped; #chosen; #moved;
  #mapElement = h("div", { class: "map", id: "admin-map" });
  #view = null;
  #isClosed = false;
  #putMark = (_place) => {};
  /** `{places, outline}`: groups of Leaflet layers, once the map is there. */
  #layers = null;
  #places = [];
  #selected = null;
  #mark = null;
  #outline = null;

  constructor(app, { label, tapped, chosen, moved }) {
    this.#app = app;
    this.#tapped = tapped;
    this.#chosen = chosen;
    this.#moved = moved;
    this.element = h("div", { class: "admin-map" }, this.#mapElement);
    const options = { label, padding: () => ({ padding: [16, 16] }), placeLift: 17 };
    this.ready = makeMapView(this.#mapElement, app, options).then((view) => this.#attach(view), (error) => {
      this.#mapElement.append(h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"),
        `${error.message} You can still enter coordinates.`));
    });
  }

  /** Shows `places` as dots, the one with the id `selected` larger. */
  showPlaces(places, selected = null) {
    this.#places = places;
    this.#selected = selected;
    this.#drawPlaces();
  }

  /** Puts the mark; with `goes`, the map goes there when it is out of sight. */
  mark(place, { goes = false } = {}) {
    this.#mark = place;
    this.#putMark(place);
    if (!place || !goes || !this.#view) return;
    const { map } = this.#view;
    const isInSight = map.getZoom() >= placeZoom - 1 && map.getBounds().pad(-0.1).contains([place.lat, place.lon]);
    if (!isInSight) map.setView([place.lat, place.lon], Math.max(map.getZoom(), placeZoom), { animate: mayAnimate() });
  }

  /** Draws `{points, isClosed, isEditable}`; null takes it away. */
  outline(next, { goes = false } = {}) {
    this.#outline = next;
    this.#drawOutline();
    if (goes && this.#view && next?.points.length > 2) {
      this.#view.map.fitBounds(next.points, { padding: outlinePadding, animate: mayAnimate() });
    }
  }

  /** The middle of the visible map, or null without a map. */
  middle() {
    if (!this.#view) return null;
    const { lat, lng } = this.#view.map.getCenter();
    return { lat, lon: lng };
  }

  /** Draws the campus as it is after a change. */
  async renew() {
    const geojson = await this.#app.campusMap({ anew: true });
    if (!this.#isClosed) this.#view?.campusLayer.setCampus(geojson);
    return geojson;
  }

  close() {
    this.#isClosed = true;
    this.#view?.destroy();
  }

  #attach(view) {
    if (this.#isClosed) return view.destroy();
    this.#view = view;
    const { L, map } = view;
    this.#layers = { places: L.layerGroup().addTo(map), outline: L.layerGroup().addTo(map) };
    this.#putMark = makeMark(view);
    map.on("click", ({ latlng }) => this.#tapped({ lat: latlng.lat, lon: latlng.lng }));
    view.whenThemeChanges(() => this.#draw());
    this.#draw();
    const mark = this.#mark;
    this.#putMark(mark);
    if (mark) map.setView([mark.lat, mark.lon], placeZoom, { animate: false });
    else if (this.#outline?.points.length > 2) map.fitBounds(this.#outline.points, { padding: outlinePadding, animate: false });
    return undefined;
  }

  #draw() {
    this.#drawPlaces();
    this.#drawOutline();
  }

  #drawPlaces() {
    if (!this.#view) return;
    const { L } = this.#view;
    const { accent, ring, ink } = colours();
    this.#layers.places.clearLayers();
    for (const place of this.#places) {
      const isSelected = place.id === this.#selected;
      const dot = L.circleMarker([place.lat, place.lon], {
        radius: isSelected ? 10 : 7, weight: 2.5, color: ring, fillColor: isSelected ? accent : ink, fillOpacity: 1,
        bubblingMouseEvents: false,
      });
      dot.on("click", () => this.#chosen(place));
      dot.bindTooltip(h("span", {}, place.name), { direction: "top", offset: [0, -8] });
      this.#layers.places.addLayer(dot);
    }
  }

  #drawOutline() {
    if (!this.#view) return;
    const layer = this.#layers.outline;
    layer.clearLayers();
    if (!this.#outline) return;
    const { L } = this.#view;
    const { accent, ring } = colours();
    const { points, isClosed, isEditable } = this.#outline;
    const dashArray = isClosed ? null : "6 6";
    const style = { color: accent, weight: 3, fillColor: accent, fillOpacity: .16, dashArray, interactive: false };
    if (points.length > 1) layer.addLayer(isClosed ? L.polygon(points, style) : L.polyline(points, { ...style, fill: false }));
    if (!isEditable || points.length > handlesMax) return;
    for (const [index, point] of points.entries()) layer.addLayer(this.#handle(index, point));
    if (points.length === 1) {
      layer.addLayer(L.circleMarker(points[0], { radius: 6, color: ring, fillColor: accent, fillOpacity: 1, interactive: false }));
    }
  }

  /** A handle to drag a corner. */
  #handle(index, point) {
    const { L } = this.#view;
    const handle = L.marker(point, {
      draggable: true, keyboard: false, autoPan: true, icon: L.divIcon({ className: "corner", iconSize: [32, 32] }),
      title: `Corner ${index + 1}: drag to move it`,
    });
    handle.on("dragend", () => {
      const { lat, lng } = handle.getLatLng();
      this.#moved(index, [lat, lng]);
    });
    return handle;
  }
}

function colours() {
  return { accent: token("--accent"), ring: token("--map-ring"), ink: token("--ink") };
}
