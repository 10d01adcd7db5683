// The map of private zones: soft areas without an edge, as neither their size nor their middle is known here.

import { makeCanvasLayer } from "../map/canvaslayer.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView, mayAnimate } from "../map/mapview.js";
import { toUnit, unitMetres } from "../client/mercator.js";
import { zoneSizes } from "./words.js";
import { token } from "../kit/theme.js";
import { makeMark } from "../map/picker.js";

/** How far the soft area reaches, as part of about how large the zone is: what is dark may be anywhere around, and mostly ends within. */
const reach = 2;
/** Where it begins to fade. */
const solid = 0.35;

const metresOf = (size) => zoneSizes.find(({ id }) => id === size)?.metres ?? 0;

/** `{element, show(zones, selected), middle(), close()}`; `tapped({lat, lon})` is told of a tap. `selected` `{lat, lon, size}` is marked, and the map goes there. */
export function makeZoneMap({ app, tapped }) {
  const element = h("div", { class: "map", id: "zone-map" });
  let view = null;
  let layer = null;
  let putMark = () => {};
  let zones = [];
  let selected = null;
  let closed = false;

  function paint(context, { scale, left, top, width, height }) {
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
      if (zone === selected) continue;
      drawName(context, zone.name, px, py);
    }
  }

  function drawName(context, name, x, y) {
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

  /** To what is edited, or to all zones. */
  function go(animate) {
    if (!view) return;
    const boxes = (selected ? [selected] : zones).map((zone) => view.L.latLng(zone.lat, zone.lon).toBounds(metresOf(zone.size) * 3));
    if (boxes.length === 0) return view.fitCampus();
    const all = boxes.reduce((sum, box) => sum.extend(box), view.L.latLngBounds(boxes[0]));
    view.map.fitBounds(all, { maxZoom: 17, animate });
    return undefined;
  }

  makeMapView(element, app, { label: "Map of your private zones" }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    layer = makeCanvasLayer(view.L, { padding: 0.3, className: "zones-layer", paint });
    layer.addTo(view.map);
    putMark = makeMark(view);
    view.map.scrollWheelZoom.disable();
    view.map.on("click", ({ latlng }) => tapped({ lat: latlng.lat, lon: latlng.lng }));
    view.whenThemeChanges(() => layer.redraw());
    putMark(selected);
    go(false);
    return undefined;
  }, (error) => element.append(
    h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"), `${error.message} Places can still be searched for.`)));

  return {
    element: h("div", { class: "zone-map" }, element),
    /** With `goes`, the map goes there. */
    show(list, marked = null, { goes = true } = {}) {
      zones = list;
      selected = marked;
      putMark(selected);
      layer?.redraw();
      const isSeen = selected && view && view.map.getZoom() >= 14 && view.map.getBounds().pad(-0.15).contains([selected.lat, selected.lon]);
      if (goes && !isSeen) go(mayAnimate());
    },
    /** The middle of what is shown, or null without a map. */
    middle() {
      if (!view) return null;
      const { lat, lng } = view.map.getCenter();
      return { lat, lon: lng };
    },
    close() {
      closed = true;
      view?.destroy();
    },
  };
}
