// The map of the console: the campus, its places as dots to tap, a mark to put, an outline to draw.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView, mayAnimate } from "./mapview.js";
import { token } from "../kit/theme.js";
import { makeMark } from "./picker.js";

const placeZoom = 17;
/** An outline of more points than these is drawn without handles. */
const handlesMax = 150;

/**
 * `tapped({lat, lon})` is told of a tap on the map, `chosen(place)` of one on a place's dot, and `moved(index, [lat, lon])` of a
 * corner that was dragged.
 */
export function makeAdminMap({ app, tapped, chosen, moved }) {
  const element = h("div", { class: "map", id: "admin-map" });
  let view = null;
  let closed = false;
  let putMark = () => {};
  let places = [];
  let selected = null;
  let mark = null;
  let outline = null;
  let layers = null;

  const colours = () => ({ accent: token("--accent"), ring: token("--map-ring"), ink: token("--ink") });

  function drawPlaces() {
    if (!view) return;
    const { accent, ring, ink } = colours();
    layers.places.clearLayers();
    for (const place of places) {
      const isSelected = place.id === selected;
      const dot = view.L.circleMarker([place.lat, place.lon], { radius: isSelected ? 10 : 7, weight: 2.5, color: ring, fillColor: isSelected ? accent : ink, fillOpacity: 1, bubblingMouseEvents: false });
      dot.on("click", () => chosen(place));
      dot.bindTooltip(h("span", {}, place.name), { direction: "top", offset: [0, -8] });
      layers.places.addLayer(dot);
    }
  }

  function drawOutline() {
    if (!view) return;
    layers.outline.clearLayers();
    if (!outline) return;
    const { accent, ring } = colours();
    const { points, isClosed, isEditable } = outline;
    const style = { color: accent, weight: 3, fillColor: accent, fillOpacity: .16, dashArray: isClosed ? null : "6 6", interactive: false };
    if (points.length > 1) layers.outline.addLayer(isClosed ? view.L.polygon(points, style) : view.L.polyline(points, { ...style, fill: false }));
    if (!isEditable) return;
    if (points.length > handlesMax) return;
    for (const [index, point] of points.entries()) {
      const handle = view.L.marker(point, { draggable: true, keyboard: false, autoPan: true, icon: view.L.divIcon({ className: "corner", iconSize: [32, 32] }), title: `Corner ${index + 1}: drag to move it` });
      handle.on("dragend", () => { const { lat, lng } = handle.getLatLng(); moved(index, [lat, lng]); });
      layers.outline.addLayer(handle);
    }
    if (points.length === 1) layers.outline.addLayer(view.L.circleMarker(points[0], { radius: 6, color: ring, fillColor: accent, fillOpacity: 1, interactive: false }));
  }

  const ready = makeMapView(element, app, { label: "Map of places and zones", padding: () => ({ padding: [16, 16] }), placeLift: 17 }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    layers = { places: view.L.layerGroup().addTo(view.map), outline: view.L.layerGroup().addTo(view.map) };
    putMark = makeMark(view);
    view.map.on("click", ({ latlng }) => tapped({ lat: latlng.lat, lon: latlng.lng }));
    view.whenThemeChanges(() => {
      drawPlaces();
      drawOutline();
    });
    drawPlaces();
    drawOutline();
    putMark(mark);
    if (mark) view.map.setView([mark.lat, mark.lon], placeZoom, { animate: false });
    else if (outline?.points.length > 2) view.map.fitBounds(outline.points, { padding: [24, 24], animate: false });
    return undefined;
  }, (error) => element.append(h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"), `${error.message} Coordinates can still be typed.`)));

  return {
    element: h("div", { class: "admin-map" }, element),
    ready,
    showPlaces(list, id = null) {
      places = list;
      selected = id;
      drawPlaces();
    },
    /** Puts the mark; with `goes`, the map goes there when it is out of sight. */
    mark(place, { goes = false } = {}) {
      mark = place;
      putMark(place);
      if (place && goes && view && (view.map.getZoom() < placeZoom - 1 || !view.map.getBounds().pad(-0.1).contains([place.lat, place.lon]))) view.map.setView([place.lat, place.lon], Math.max(view.map.getZoom(), placeZoom), { animate: mayAnimate() });
    },
    /** Draws `{points, isClosed, isEditable}`; null takes it away. */
    outline(next, { goes = false } = {}) {
      outline = next;
      drawOutline();
      if (goes && view && next?.points.length > 2) view.map.fitBounds(next.points, { padding: [24, 24], animate: mayAnimate() });
    },
    /** The middle of what is shown, or null without a map. */
    middle() {
      if (!view) return null;
      const { lat, lng } = view.map.getCenter();
      return { lat, lon: lng };
    },
    /** Draws the campus as it is after a change. */
    async renew() {
      const geojson = await app.campusMap({ anew: true });
      if (!closed) view?.campusLayer.setCampus(geojson);
      return geojson;
    },
    close() {
      closed = true;
      view?.destroy();
    },
  };
}
