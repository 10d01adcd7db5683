// The map of private zones: soft areas without an edge, as neither their size nor their middle is known here.

import { makeCanvasLayer } from "../map/canvaslayer.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { toUnit, unitMetres } from "../client/mercator.js";
import { zoneSizes } from "./words.js";
import { token } from "../kit/theme.js";
import { makeMark } from "../map/picker.js";

/** How far the soft area reaches, as part of about how large the zone is: what is dark may be anywhere around, and mostly ends within. */
const reach = 2;
/** Where it begins to fade. */
const solid = 0.35;

const metresOf = (size) => zoneSizes.find(({ id }) => id === size)?.metres ?? 0;

/** Paints zones as soft areas, and the names of all but the selected one. */
function paintZones(context, { scale, left, top, width, height }, zones, selected) {
  const colour = token("--zone-soft");
  for (const zone of selected ? [...zones, selected] : zones) {
    const { x, y } = toUnit(zone.lat, zone.lon);
    const [px, py] = [x * scale - left, y * scale - top];
    const radius = Math.max(14, (metresOf(zone.size) * reach / unitMetres(zone.lat)) * scale);
    if (px + radius < 0 || py + radius < 0 || px - radius > width || py - radius > height) continue;
    const gradient = context.createRadialGradient(px, py, radius * solid, px, py, radius);
    gradient.addColorStop(0, `rgb(${colour} / .5)`);
    gradient.addColorStop(0.5, `rgb(${colour} / .22)`);
    gradient.addColorStop(1, `rgb(${colour} / 0)`);
    context.fillStyle = gradient;
    context.beginPath();
    context.arc(px, py, radius, 0, 2 * Math.PI);
    context.fill();
    if (zone !== selected) paintName(context, zone.name, px, py);
  }
}

function paintName(context, name, x, y) {
  context.font = "650 13px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = token("--map-halo");
  context.strokeText(name, x, y);
  context.fillStyle = token("--ink");
  context.fillText(name, x, y);
}

/**
 * The map of zones: `{element, show(zones, selected), middle(), close()}`. `tapped({lat, lon})` is called for a tap. `selected`
 * (`{lat, lon, size}`) is marked, and the map goes there.
 */
export function makeZoneMap({ app, tapped }) {
  return new ZoneMap(app, tapped);
}

class ZoneMap {
  #map = h("div", { class: "map", id: "zone-map" });
  #view = null;
  #layer = null;
  #putMark = (_place) => {};
  #zones = [];
  #selected = null;
  #isClosed = false;

  constructor(app, tapped) {
    this.element = h("div", { class: "zone-map" }, this.#map);
    makeMapView(this.#map, app, { label: "Map of your private zones" }).then((view) => {
      if (this.#isClosed) view.destroy();
      else this.#use(view, tapped);
    }, (error) => this.#map.append(h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"),
      `${error.message} You can still search for places.`)));
  }

  /** Shows zones, and the mark of the selected one; with `goes`, the map goes there. */
  show(zones, selected = null, { goes = true } = {}) {
    this.#zones = zones;
    this.#selected = selected;
    this.#putMark(selected);
    this.#layer?.redraw();
    const map = this.#view?.map;
    const isSeen = selected && map && map.getZoom() >= 14 && map.getBounds().pad(-0.15).contains([selected.lat, selected.lon]);
    if (goes && !isSeen) this.#go(mayAnimate());
  }

  /** The middle of the map, or null without a map. */
  middle() {
    if (!this.#view) return null;
    const { lat, lng } = this.#view.map.getCenter();
    return { lat, lon: lng };
  }

  close() {
    this.#isClosed = true;
    this.#view?.destroy();
  }

  #use(view, tapped) {
    this.#view = view;
    const paint = (context, frame) => paintZones(context, frame, this.#zones, this.#selected);
    this.#layer = makeCanvasLayer(view.L, { padding: 0.3, className: "zones-layer", paint });
    this.#layer.addTo(view.map);
    this.#putMark = makeMark(view);
    view.map.scrollWheelZoom.disable();
    view.map.on("click", ({ latlng }) => tapped({ lat: latlng.lat, lon: latlng.lng }));
    view.whenThemeChanges(() => this.#layer.redraw());
    this.#putMark(this.#selected);
    this.#go(false);
  }

  /** Goes to the selected zone, or to all of them. */
  #go(animate) {
    if (!this.#view) return;
    const { L, map } = this.#view;
    const zones = this.#selected ? [this.#selected] : this.#zones;
    const boxes = zones.map((zone) => L.latLng(zone.lat, zone.lon).toBounds(metresOf(zone.size) * 3));
    if (boxes.length === 0) {
      this.#view.fitCampus();
      return;
    }
    map.fitBounds(boxes.reduce((sum, box) => sum.extend(box), L.latLngBounds(boxes[0])), { maxZoom: 17, animate });
  }
}
