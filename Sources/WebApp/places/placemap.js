// A map with a panel beside it: numbered marks of what the panel lists, and the reader's position.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeSheet } from "../kit/sheet.js";
import { token } from "../kit/theme.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { narrow } from "../map/narrow.js";
import { groupMarks } from "./markgroups.js";

const markPixels = 30;
const closestZoom = 18;
/** Marks that are nearer to one another are drawn as one. */
const apartPixels = 24;

/** The stage of a page that lists places. */
export class PlaceMap {
  element; sheet;

  #chosen;
  #view = null;
  #marks = null;
  #isClosed = false;
  #shown = [];
  #pointed = -1;
  #here = null;
  #hereMark = null;
  #wantsFit = false;

  /** `header` and `label` are of the panel; `chosen(index)` is called for a tap on a mark, `tapped({lat, lon})` for one on the map. */
  constructor(app, { label, mapLabel, header, initial, chosen, tapped = (_where) => {} }) {
    this.#chosen = chosen;
    const map = h("div", { class: "map", id: "map" });
    this.sheet = makeSheet({ label, initial, header });
    this.element = h("div", { class: "stage place-stage" }, map, this.sheet.element);
    makeMapView(map, app, { label: mapLabel, padding: () => this.#padding() }).then((view) => this.#attach(view, tapped), (error) => {
      map.append(h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"), `${error.message} The list still works.`));
    });
  }

  /** Marks these places with their numbers, and moves the map so that all are in sight. */
  show(places) {
    this.#shown = places;
    this.#pointed = -1;
    this.#wantsFit = places.length > 0;
    this.#draw();
    this.#fit();
  }

  /** Makes the mark with that index stand out; none with -1. */
  point(index) {
    if (index === this.#pointed) return;
    this.#pointed = index;
    this.#draw();
    const place = this.#shown[index];
    if (place && this.#view && !this.#view.map.getBounds().contains([place.lat, place.lon])) this.#fit({ again: true });
  }

  /** Marks where the reader is, `{lat, lon}` or null. */
  here(position) {
    this.#here = position;
    this.#drawHere();
  }

  close() {
    this.#isClosed = true;
    this.#view?.destroy();
  }

  #attach(view, tapped) {
    if (this.#isClosed) return view.destroy();
    this.#view = view;
    this.#marks = view.L.layerGroup().addTo(view.map);
    view.map.on("click", ({ latlng }) => tapped({ lat: latlng.lat, lon: latlng.lng }));
    view.map.on("zoomend", () => this.#draw());
    view.whenThemeChanges(() => this.#drawHere());
    this.#draw();
    this.#drawHere();
    this.#fit();
    return undefined;
  }

  #draw() {
    if (!this.#view) return;
    const { map, campusLayer } = this.#view;
    this.#marks.clearLayers();
    const points = this.#shown.map(({ lat, lon }) => map.project([lat, lon]));
    for (const group of groupMarks(points, apartPixels)) this.#drawMark(group);
    campusLayer?.names.setMarks(this.#shown, markPixels / 2);
  }

  /** The mark of the first place of a group, or of the one that stands out, with a plus for the others. */
  #drawMark(group) {
    const { L } = this.#view;
    const isPointed = group.includes(this.#pointed);
    const index = isPointed ? this.#pointed : group[0];
    const { lat, lon } = this.#shown[index];
    const label = isPointed || group.length === 1 ? String(index + 1) : `${index + 1}+`;
    const content = h("span", { class: isPointed ? "number-mark is-active" : "number-mark" }, label);
    const mark = L.marker([lat, lon], {
      icon: L.divIcon({ className: "place-mark", html: content, iconSize: [markPixels, markPixels] }), keyboard: false,
      title: group.map((one) => this.#shown[one].name).join(", "),
      // The first results lie above the others.
      zIndexOffset: isPointed ? 10_000 : -index * 100,
    });
    mark.on("click", () => this.#tap(group, index));
    this.#marks.addLayer(mark);
  }

  /** Goes closer to places that lie on one another, while that helps, and else chooses the mark's own. */
  #tap(group, index) {
    const { L, map } = this.#view;
    const box = L.latLngBounds(group.map((one) => [this.#shown[one].lat, this.#shown[one].lon]));
    const zoom = Math.min(map.getBoundsZoom(box), map.getMaxZoom());
    const points = group.map((one) => map.project([this.#shown[one].lat, this.#shown[one].lon], zoom));
    if (zoom <= map.getZoom() || groupMarks(points, apartPixels).length < 2) return void this.#chosen(index);
    map.fitBounds(box, { ...this.#padding(), animate: mayAnimate() });
  }

  #drawHere() {
    this.#hereMark?.remove();
    this.#hereMark = null;
    if (!this.#view || !this.#here) return;
    this.#hereMark = this.#view.L.circleMarker([this.#here.lat, this.#here.lon], {
      radius: 8, weight: 3, color: token("--map-ring"), fillColor: token("--accent"), fillOpacity: 1, interactive: false,
    }).addTo(this.#view.map);
  }

  #fit({ again = false } = {}) {
    if (!this.#view || (!this.#wantsFit && !again) || this.#shown.length === 0) return;
    this.#wantsFit = false;
    const { L, map } = this.#view;
    const points = this.#shown.map(({ lat, lon }) => [lat, lon]);
    map.fitBounds(L.latLngBounds(points), { ...this.#padding(), maxZoom: closestZoom, animate: mayAnimate() });
  }

  /** What the panel leaves free, as Leaflet's options have it. */
  #padding() {
    const { offsetWidth, offsetHeight } = this.sheet.element;
    return narrow.matches
      ? { paddingTopLeft: [28, 36], paddingBottomRight: [64, Math.min(offsetHeight, innerHeight * 0.5) + 24] }
      : { paddingTopLeft: [offsetWidth + 48, 40], paddingBottomRight: [72, 40] };
  }
}
