// The part of the live map that its panel and controls leave free.

import { narrow } from "../map/narrow.js";

/** The column of buttons at the map's right edge. */
const toolsPixels = 72;
/** Controls that labels on the map stay off. */
const coverings = [
  ".map-tools > .map-button", ".map-others", ".leaflet-control-zoom", ".leaflet-control-attribution", ".map-legend", ".heat-legend",
  ".map-note", ".map-recentre", ".sheet",
].join();

/** Measures what covers the map in `mapElement`: controls in `stage`, and the panel `sheet`. */
export class MapFrame {
  #stage; #mapElement; #sheet;

  constructor({ stage, mapElement, sheet }) {
    this.#stage = stage;
    this.#mapElement = mapElement;
    this.#sheet = sheet;
  }

  /** The padding as Leaflet's options have it. */
  padding() {
    const { offsetWidth, offsetHeight } = this.#sheet;
    return narrow.matches
      ? { paddingTopLeft: [12, 12], paddingBottomRight: [toolsPixels, Math.min(offsetHeight, innerHeight * 0.5) + 8] }
      : { paddingTopLeft: [offsetWidth + 32, 24], paddingBottomRight: [toolsPixels, 24] };
  }

  /** The middle of the free part, `[x, y]` relative to the map's own middle. */
  offset() {
    const { paddingTopLeft, paddingBottomRight } = this.padding();
    return [(paddingTopLeft[0] - paddingBottomRight[0]) / 2, (paddingTopLeft[1] - paddingBottomRight[1]) / 2];
  }

  /** The largest zoom at which Leaflet bounds fit into the free part. */
  zoomFor({ L, map }, bounds) {
    const { paddingTopLeft, paddingBottomRight } = this.padding();
    return map.getBoundsZoom(bounds, false, L.point(paddingTopLeft).add(paddingBottomRight));
  }

  /** The boxes of controls, `{left, top, right, bottom}` in the map's pixels. */
  obstacles() {
    const corner = this.#mapElement.getBoundingClientRect();
    return [...this.#stage.querySelectorAll(coverings)].map((element) => element.getBoundingClientRect()).filter(({ width }) => width > 0)
      .map(({ left, top, right, bottom }) => (
        { left: left - corner.left, top: top - corner.top, right: right - corner.left, bottom: bottom - corner.top }));
  }
}
