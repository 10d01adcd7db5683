// The map of a finished session's route.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView } from "../map/mapview.js";
import { RouteLine } from "../map/routeline.js";
import { token } from "../kit/theme.js";
import { drawHiddenParts } from "./hiddenroute.js";

/** A map with a route, its ends, and the parts that only its owner sees. */
export class RouteMap {
  #mapElement = h("div", { class: "map" });
  element = h("div", { class: "route-map" }, this.#mapElement);

  #view = null;
  #isClosed = false;

  /** `route` and `hidden` are pieces of `[lat, lon]`. */
  constructor(app, { route, hidden }) {
    makeMapView(this.#mapElement, app, { label: "Map of the route" }).then((view) => {
      if (this.#isClosed) return view.destroy();
      this.#view = view;
      return draw(view, route, hidden);
    }, (error) => {
      this.#mapElement.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message));
    });
  }

  close() {
    this.#isClosed = true;
    this.#view?.destroy();
  }
}

function draw(view, route, hidden) {
  const { L, map } = view;
  const colours = () => ({ colour: token("--accent"), halo: token("--map-ring") });
  const line = new RouteLine(L, map, colours());
  line.set(route);
  drawHiddenParts(view, hidden);
  const ends = [
    line.start && endMark(L, line.start, "Start", { colour: "--good", direction: "top", lift: -8 }),
    line.end && endMark(L, line.end, "End", { colour: "--bad", direction: "bottom", lift: 8 }),
  ].filter(Boolean).map((mark) => mark.addTo(map));
  if (line.bounds.isValid()) map.fitBounds(line.bounds, { padding: [36, 36], maxZoom: 18, animate: false });
  view.whenThemeChanges(() => {
    line.setColours(colours());
    for (const end of ends) end.setStyle({ color: token("--map-ring") });
  });
}

function endMark(L, at, name, { colour, direction, lift }) {
  return L.circleMarker(at, { radius: 7, weight: 3, color: token("--map-ring"), fillColor: token(colour), fillOpacity: 1 })
    .bindTooltip(name, { direction, permanent: true, className: "end-label", offset: [0, lift] });
}
