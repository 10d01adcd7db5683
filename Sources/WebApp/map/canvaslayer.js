// A Leaflet layer that is one canvas: covers the view and a margin, moves with the map, scales while zooming.

const pixelRatioMax = 2;

/**
 * Makes a layer; `paint(context, frame)` draws it, where `frame` is
 * `{width, height, zoom, scale, left, top}`: a unit-Mercator point (see client/mercator.js) is at `x * scale - left`, `y * scale - top`.
 */
export function makeCanvasLayer(L, { paint, padding = 0.2, pane = "overlayPane", className = "" }) {
  const Layer = L.Layer.extend({ ...methods, options: { pane }, settings: { L, paint, padding, className } });
  return new Layer();
}

/** Methods of each layer; `this.settings` has what it was made with. */
const methods = {
  onAdd(map) {
    const { L, className } = this.settings;
    this.canvas = L.DomUtil.create("canvas", `canvas-layer ${className} leaflet-zoom-animated`, this.getPane());
    this.canvas.setAttribute("aria-hidden", "true");
    this.context = this.canvas.getContext("2d");
    this.place();
    map.fire("layerplaced");
  },

  onRemove() {
    this.canvas.remove();
    this.canvas = null;
    // The next canvas is empty.
    this.drawn = null;
  },

  getEvents() {
    const events = { viewreset: this.place, moveend: this.place, resize: this.place, move: this.follow, zoom: this.transform };
    if (this._map.options.zoomAnimation && this.settings.L.Browser.any3d) {
      events.zoomanim = (event) => this.transform(event, event.center, event.zoom);
    }
    return events;
  },

  /** Puts the canvas over the current view; keeps it when the view is still inside what was drawn. */
  place() {
    const { L, padding } = this.settings;
    const map = this._map;
    const size = map.getSize();
    if (this.covers(size)) return;
    const corner = map.containerPointToLayerPoint(size.multiplyBy(-padding)).round();
    const width = Math.round(size.x * (1 + padding * 2));
    const height = Math.round(size.y * (1 + padding * 2));
    this.resize(width, height);
    this.drawn = { corner, width, height, zoom: map.getZoom(), center: map.getCenter(), size, origin: map.getPixelOrigin() };
    L.DomUtil.setTransform(this.canvas, corner, 1);
    this.redraw();
  },

  /** Gives the canvas its size in CSS pixels. A canvas that has it is left alone: any assignment empties it. */
  resize(width, height) {
    const ratio = Math.min(pixelRatioMax, devicePixelRatio || 1);
    if (this.canvas.width !== width * ratio || this.canvas.height !== height * ratio) {
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    this.ratio = ratio;
  },

  /** A long drag comes to the edge of what was drawn before it ends. While the map zooms, the canvas is scaled instead. */
  follow() {
    if (this.drawn?.zoom === this._map.getZoom()) this.place();
  },

  covers(size) {
    const drawn = this.drawn;
    if (!drawn || drawn.zoom !== this._map.getZoom()) return false;
    if (!drawn.size.equals(size) || !drawn.origin.equals(this._map.getPixelOrigin())) return false;
    const corner = this._map.containerPointToLayerPoint([0, 0]).subtract(drawn.corner);
    return corner.x >= 0 && corner.y >= 0 && corner.x + size.x <= drawn.width && corner.y + size.y <= drawn.height;
  },

  /** Draws now, at the place the canvas has. */
  redraw() {
    if (!this.canvas || !this.drawn) return;
    const { corner, width, height, zoom, origin } = this.drawn;
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    const scale = 256 * 2 ** zoom;
    this.settings.paint(this.context, { width, height, zoom, scale, left: origin.x + corner.x, top: origin.y + corner.y });
  },

  /** Scales the canvas along with a map that zooms. */
  transform(_event, center = this._map.getCenter(), zoom = this._map.getZoom()) {
    const { L, padding } = this.settings;
    const map = this._map;
    const { corner, zoom: drawnZoom, center: drawnCenter, size } = this.drawn;
    const factor = map.getZoomScale(zoom, drawnZoom);
    const half = size.multiplyBy(0.5 + padding);
    const shift = map.project(center, zoom).subtract(map.project(drawnCenter, zoom));
    L.DomUtil.setTransform(this.canvas, half.multiplyBy(-factor).add(corner).add(half).subtract(shift), factor);
  },
};
