// The small maps of events: where one is, and choosing a place.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView } from "./mapview.js";
import { token } from "../kit/theme.js";

const placeZoom = 16.5;
/** Of the dot with its ring, in pixels. */
const markRadius = 12;
/** Steps of a coordinate that are kept: about a decimetre. */
const degreeSteps = 1e6;

const rounded = (degrees) => Math.round(degrees * degreeSteps) / degreeSteps;

/** Returns a function that puts a mark on a place `{lat, lon}`, and takes it away with null. */
export function makeMark(view, colour = null) {
  const style = () => (
    { radius: 10, weight: 3, color: token("--map-ring"), fillColor: colour ?? token("--accent"), fillOpacity: 1, interactive: false });
  let mark = null;
  view.whenThemeChanges(() => mark?.setStyle(style()));
  return (place) => {
    view.campusLayer.names.setMarks(place ? [place] : [], markRadius);
    if (!place) {
      mark?.remove();
      mark = null;
    } else if (mark) mark.setLatLng([place.lat, place.lon]);
    else mark = view.L.circleMarker([place.lat, place.lon], style()).addTo(view.map);
  };
}

/** `{element, close}`: the place on the campus, not to be dragged by a finger that only scrolls. */
export function makePlaceMap({ app, place, colour }) {
  const element = h("div", { class: "map" });
  let view = null;
  let closed = false;
  makeMapView(element, app, { label: `Map: ${place.name}` }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    if (matchMedia("(pointer: coarse)").matches) view.map.dragging.disable();
    view.map.scrollWheelZoom.disable();
    makeMark(view, colour)(place);
    view.map.setView([place.lat, place.lon], placeZoom, { animate: false });
    return undefined;
  }, (error) => element.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message)));
  return { element: h("div", { class: "event-map" }, element), close: () => { closed = true; view?.destroy(); } };
}

/**
 * `{element, get value, set(place), close}`: a place `{lat, lon}` or null, by a tap on the map or with the keys. `changed(value)` gets
 * each choice of the person.
 */
export function makePlacePicker({ app, value = null, changed = (_value) => {} }) {
  let chosen = value;
  let view = null;
  let putMark = (_place) => {};
  let closed = false;
  let asked = 0;
  const mapElement = h("div", { class: "map" });
  const note = h("p", { class: "hint", role: "status", id: "place-note" });
  const smallButton = (id, className, onclick, ...content) => (
    h("button", { class: `button ${className}small-button`, type: "button", id, onclick }, ...content));
  const remove = smallButton("remove-place", "quiet ", () => choose(null), "Remove mark");
  const middle = smallButton("mark-middle", "", () => {
    const { lat, lng } = view.map.getCenter();
    choose({ lat, lon: lng });
  }, icon("pin"), "Use map centre");
  middle.disabled = true;

  async function draw() {
    putMark(chosen);
    remove.hidden = chosen === null;
    const mine = ++asked;
    if (!chosen) {
      return setText(note, "Tap the map where it is. With a keyboard, move the map with the arrow keys, then use its centre.");
    }
    setText(note, "Marked.");
    try {
      const { zone } = await app.net.request("campus.locate", chosen);
      if (mine === asked) setText(note, zone ? `Marked, in ${zone.name}.` : "Marked, outside all zones.");
    } catch {
      // The zone is the server's to say, now or when it is saved.
    }
    return undefined;
  }

  function choose(place) {
    chosen = place && { lat: rounded(place.lat), lon: rounded(place.lon) };
    announce(chosen ? "Place marked." : "Mark removed.");
    draw();
    changed(chosen);
  }

  makeMapView(mapElement, app, { label: "Map to mark the place" }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    middle.disabled = false;
    putMark = makeMark(view);
    view.map.scrollWheelZoom.disable();
    view.map.on("click", ({ latlng }) => choose({ lat: latlng.lat, lon: latlng.lng }));
    if (chosen) view.map.setView([chosen.lat, chosen.lon], placeZoom, { animate: false });
    draw();
    return undefined;
  }, (error) => mapElement.append(h("p", { class: "map-problem notice warn" }, icon("warning"), `${error.message} A name is enough.`)));
  draw();
  return {
    element: h("div", { class: "place-picker" },
      h("div", { class: "event-map picks" }, mapElement), h("div", { class: "row" }, middle, remove), note),
    get value() { return chosen; },
    /** Puts the mark there without a word to `changed`. */
    set(place) {
      chosen = place && { lat: rounded(place.lat), lon: rounded(place.lon) };
      if (chosen && view) view.map.setView([chosen.lat, chosen.lon], Math.max(view.map.getZoom(), placeZoom), { animate: false });
      draw();
    },
    close() {
      closed = true;
      view?.destroy();
    },
  };
}

/** Named buildings and places of the campus: `Map` of name → `{lat, lon}`, in the middle of each. */
export async function namedPlaces(app) {
  const { features } = await app.campusMap();
  const places = new Map();
  for (const { properties, geometry } of features) {
    if (!properties?.name || !["building", "place", "area"].includes(properties.kind) || places.has(properties.name)) continue;
    const points = pointsOf(geometry);
    const middle = (numbers) => (Math.min(...numbers) + Math.max(...numbers)) / 2;
    if (points.length === 0) continue;
    places.set(properties.name, { lat: middle(points.map(([, lat]) => lat)), lon: middle(points.map(([lon]) => lon)) });
  }
  return places;
}

/** All `[lon, lat]` of a GeoJSON point, polygon or multipolygon. */
function pointsOf(geometry) {
  if (geometry?.type === "Point") return [geometry.coordinates];
  return geometry?.coordinates?.flat(geometry.type === "MultiPolygon" ? 2 : 1) ?? [];
}
