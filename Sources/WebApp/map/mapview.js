// A map of the campus in an element: Leaflet, our own campus drawing, optional tiles, theme changes.

import { mayAnimate } from "./animation.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadLeaflet, loadMaps } from "./leaflet.js";
import { narrow } from "./narrow.js";
import { nextTask } from "./nexttask.js";
import { onTheme } from "../kit/theme.js";
import { zoomMax, zoomMin, zoomSnap } from "./zoomsteps.js";

/** Resolves with `{L, map, campusLayer, bounds, fitCampus(), whenThemeChanges(f), destroy()}`. `label` names the map for screen readers. */
export async function makeMapView(container, app, options = {}) {
  await loadLeaflet();
  const view = await makeBareMap(container, app, options);
  await view.complete();
  return view;
}

/**
 * The same, before `L` has what is drawn on maps, and before `campusLayer` is there: `complete()` resolves when both are. Over a slow
 * network the map is there earlier.
 */
export async function makeBareMap(container, app, { label = "Campus map", padding = () => ({}), placeLift = 0 } = {}) {
  const L = await loadMaps();
  const animate = mayAnimate();
  const map = L.map(container, {
    zoomControl: false, attributionControl: false, zoomSnap, zoomDelta: 1, minZoom: zoomMin, maxZoom: zoomMax, wheelPxPerZoomLevel: 90,
    zoomAnimation: animate, fadeAnimation: animate, markerZoomAnimation: animate, inertia: animate,
  });
  // On a phone the sheet covers the bottom: the line then sits on the sheet's edge, at the left (map.css).
  const corner = () => (narrow.matches ? "bottomleft" : "bottomright");
  map.attributionControl = L.control.attribution({ prefix: "", position: corner() }).addTo(map);
  zoomAboutFreePart(L, map, padding);
  container.setAttribute("role", "region");
  container.setAttribute("aria-label", `${label}. Arrow keys move it, plus and minus zoom.`);
  const zoom = L.control.zoom({ position: "bottomright" }).addTo(map);

  /** @type {(() => unknown)[]} */
  const stops = [];
  // In a lower corner what is added last stands on top: the buttons stay above the line.
  const turned = () => {
    map.attributionControl.setPosition(corner());
    zoom.setPosition("bottomright");
  };
  narrow.addEventListener("change", turned);
  stops.push(() => narrow.removeEventListener("change", turned));
  let bounds = boundsOf(L, app.net.campus?.bounds ?? app.lastCampus()?.bounds);
  map.setView(bounds ? bounds.getCenter() : [0, 0], bounds ? 15 : 3, { animate: false });
  if (bounds) map.fitBounds(bounds, { ...padding(), animate: false });
  addTiles(map, app.config?.tiles).catch(() => {});

  const view = {
    L, map, campusLayer: null,
    complete: () => Promise.all([loadLeaflet(), layerAdded]),
    get bounds() { return bounds; },
    fitCampus({ animate = mayAnimate() } = {}) { if (bounds) map.fitBounds(bounds, { ...padding(), animate }); },
    whenThemeChanges(listener) { stops.push(onTheme(listener)); },
    destroy() {
      isDestroyed = true;
      for (const stop of stops) stop();
      observer.disconnect();
      map.remove();
    },
  };

  const observer = new ResizeObserver(() => map.invalidateSize({ animate: false, pan: false }));
  observer.observe(container);

  const learnBounds = (found) => {
    if (bounds || !found) return;
    bounds = found;
    map.fitBounds(bounds, { ...padding(), animate: false });
  };
  const learnCampus = () => learnBounds(boundsOf(L, app.net.campus?.bounds));
  app.net.addEventListener("state", learnCampus);
  stops.push(() => app.net.removeEventListener("state", learnCampus));
  let isDestroyed = false;
  const layerAdded = addCampusLayer(view, { placeLift, isGone: () => isDestroyed, stops });
  Promise.all([app.campusMap(), layerAdded]).then(async ([geojson]) => {
    await nextTask();
    if (!container.isConnected || isDestroyed) return;
    view.campusLayer.setCampus(geojson);
    if (geojson.attribution) map.attributionControl.addAttribution(asText(geojson.attribution));
    learnCampus();
    learnBounds(zoneBounds(L, geojson));
  }, () => {
    if (isDestroyed) return;
    container.append(h("p", { class: "map-problem notice warn" }, icon("warning"),
      "Couldn't load the campus map. It appears when you're back online."));
  });
  return view;
}

/** The drawing of the campus is loaded beside its data, and not before the map. */
async function addCampusLayer(view, { placeLift, isGone, stops }) {
  const { makeCampusLayer } = await import("./campuslayer.js");
  if (isGone()) return;
  const layer = makeCampusLayer(view.L, { placeLift });
  view.campusLayer = layer;
  layer.addTo(view.map);
  stops.push(onTheme(() => layer.restyle()));
}

/** By button and key the map zooms about the middle of what panels leave free, which stays where it is. */
function zoomAboutFreePart(L, map, padding) {
  const zoomBy = (delta) => {
    const { paddingTopLeft: [left, top] = [0, 0], paddingBottomRight: [right, bottom] = [0, 0] } = padding();
    const size = map.getSize();
    map.setZoomAround(L.point((left + size.x - right) / 2, (top + size.y - bottom) / 2), map.getZoom() + delta);
    return map;
  };
  map.zoomIn = (delta = map.options.zoomDelta) => zoomBy(delta);
  map.zoomOut = (delta = map.options.zoomDelta) => zoomBy(-delta);
}

function boundsOf(L, bounds) {
  return bounds ? L.latLngBounds([bounds.south, bounds.west], [bounds.north, bounds.east]) : null;
}

/** The bounds of all zones, or null. */
function zoneBounds(L, { features }) {
  const zones = features.filter(({ properties }) => properties?.kind === "zone");
  const numbers = zones.flatMap(({ geometry }) => geometry.coordinates.flat(Infinity));
  const corners = numbers.flatMap((lon, index) => (index % 2 === 0 ? [[numbers[index + 1], lon]] : []));
  return corners.length > 0 ? L.latLngBounds(corners) : null;
}

async function addTiles(map, tiles) {
  if (!tiles?.url) return;
  const L = await loadLeaflet();
  L.tileLayer(tiles.url, { attribution: asText(tiles.attribution ?? ""), maxZoom: zoomMax, maxNativeZoom: 19 }).addTo(map);
}

/** Leaflet takes an attribution as HTML; ours is text. */
function asText(text) {
  return h("span", {}, text).innerHTML;
}
