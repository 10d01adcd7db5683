// Whether the live map shows the whole campus, and that it still does after a turn of the screen or another height of the panel.

const slackZoom = 0.5;

/** Keeps the whole campus in view while the map shows it. */
export class WholeCampus {
  /** Whether the map shows the whole campus and not more. */
  isShown = true;

  #frame; #mayShow;
  #view = null;
  /** The map's width in pixels when `isShown` was found. */
  #width = 0;
  #isFitDue = false;
  /** Whether Leaflet ignored a fit, as it does while the map moves. */
  #wasIgnored = false;

  /** `frame` is the free part of the map; `mayShow()` is false while the map shows something else. */
  constructor({ frame, mayShow }) {
    this.#frame = frame;
    this.#mayShow = mayShow;
  }

  attach(view) {
    this.#view = view;
    this.#width = view.map.getSize().x;
    view.map.on("resize", () => this.#resized());
  }

  /** Fits the campus again if it is shown; with `sheet` moving, also when that has come to rest. */
  refit({ isMoving }) {
    this.#fit();
    this.#isFitDue = isMoving;
  }

  /** The panel has come to rest. */
  rested() {
    if (!this.#isFitDue) return;
    this.#isFitDue = false;
    this.#fit();
  }

  /** The map has moved. */
  moved() {
    if (this.#view.map.getSize().x !== this.#width) return;
    if (this.#wasIgnored) this.#fitToSize();
    else this.isShown = this.#fits();
  }

  #fits() {
    const { map, bounds } = this.#view;
    if (!bounds || !this.#mayShow()) return false;
    return Math.abs(map.getZoom() - this.#frame.zoomFor(this.#view, bounds)) < slackZoom;
  }

  #resized() {
    const { x } = this.#view.map.getSize();
    if (x === this.#width) return;
    this.#width = x;
    if (this.isShown) this.#fitToSize();
  }

  /** Without motion: while the map moves, Leaflet ignores the fit to a next size, which may follow immediately. */
  #fitToSize() {
    const { map } = this.#view;
    this.#wasIgnored = false;
    let isDone = false;
    const done = () => { isDone = true; };
    map.on("moveend", done);
    this.#view.fitCampus({ animate: false });
    map.off("moveend", done);
    this.#wasIgnored = !isDone;
  }

  #fit() {
    if (this.isShown) this.#view?.fitCampus();
  }
}
