// Whether the live map shows the whole campus, and that it still does after a turn of the screen or another height of the panel.

const slackZoom = 0.5;

/** Keeps the whole campus in view while the map shows it. */
export class WholeCampus {
  /** Whether the map shows the whole campus and not more. */
  isShown = true;

  #frame; #mayShow;
  #view = null;
  /** The map's size in pixels when `isShown` was found. */
  #size = null;
  /** Whether the campus is fitted once more when the panel has come to rest. */
  #isFitDue = false;
  /** Whether the next motion has to end with the whole campus: Leaflet ignores a fit while the map moves. */
  #isAwaited = false;

  /** `frame` is the free part of the map; `mayShow()` is false while the map shows something else. */
  constructor({ frame, mayShow }) {
    this.#frame = frame;
    this.#mayShow = mayShow;
  }

  attach(view) {
    this.#view = view;
    this.#size = view.map.getSize();
    view.map.on("resize", () => this.#resized());
  }

  /** Shows the whole campus. */
  show() {
    this.isShown = true;
    this.#isAwaited = true;
    this.#view?.fitCampus();
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
    if (!this.#view.map.getSize().equals(this.#size)) return;
    this.isShown = this.#fits();
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    if (!this.isShown) this.#view.fitCampus({ animate: false });
  }

  #fits() {
    const { map, bounds } = this.#view;
    if (!bounds || !this.#mayShow()) return false;
    return Math.abs(map.getZoom() - this.#frame.zoomFor(this.#view, bounds)) < slackZoom;
  }

  #resized() {
    this.#size = this.#view.map.getSize();
    if (!this.isShown) return;
    this.#isAwaited = true;
    this.#view.fitCampus({ animate: false });
  }

  #fit() {
    if (this.isShown) this.#view?.fitCampus();
  }
}
