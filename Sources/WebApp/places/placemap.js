// A map with a panel beside it: numbered marks of what the panel lists, and the reader's position.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeSheet } from "../kit/sheet.js";
import { token } from "../kit/theme.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { narrow } from "../map/narrow.js";

const markPixels = 30;
const closestZoom = 18;

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
    view.whenThemeChanges(() => this.#drawHere());
    this.#draw();
    this.#drawHere();
    this.#fit();
    return undefined;
  }

  #draw() {
    if (!this.#view) return;
    const { L, campusLayer } = this.#view;
    this.#marks.clearLayers();
    for (const [index, { lat, lon, name }] of this.#shown.entries()) {
      const isPointed = index === this.#pointed;
      const content = h("span", { class: isPointed ? "number-mark is-active" : "number-mark" }, String(index + 1));
      const mark = L.marker([lat, lon], {
        icon: L.divIcon({ className: "place-mark", html: content, iconSize: [markPixels, markPixels] }), keyboard: false, title: name,
        // The first results lie above the others.
        zIndexOffset: isPointed ? 10_000 : -index * 100,
      });
      mark.on("click", () => this.#chosen(index));
      this.#marks.addLayer(mark);
    }
    campusLayer?.names.setMarks(this.#shown, markPixels / 2);
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
