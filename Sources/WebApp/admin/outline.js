// The outline of a zone while it is drawn: its corners, whether it is closed, and the steps back. Pure.

import { areaOf, areaText, rounded, shapeProblem } from "../map/shape.js";

const stepsMax = 300;
const cornersMin = 3;

export class Outline {
  /** Corners as `[lat, lon]`, without the first one repeated at the end. */
  points;
  isClosed;
  /** Whether it differs from the outline at the beginning, as far as the steps are kept. */
  isChanged = false;
  #steps = [];

  constructor(points = []) {
    this.points = points;
    this.isClosed = points.length >= cornersMin;
  }

  get canUndo() {
    return this.#steps.length > 0;
  }

  get canClose() {
    return this.points.length >= cornersMin;
  }

  /** Problem of a closed outline, in a sentence, or null. */
  get problem() {
    return this.isClosed ? shapeProblem(this.points) : null;
  }

  get areaText() {
    return areaText(areaOf(this.points));
  }

  /** State of the outline, and the next step. */
  get note() {
    const { length } = this.points;
    if (this.isClosed) return `${length} corners, ${this.areaText}. Drag a corner to move it.`;
    if (length === 0) return "Tap the map at each corner.";
    return length < cornersMin ? `${length} of at least ${cornersMin} corners.` : `${length} corners. Add more, or close the outline.`;
  }

  add([lat, lon]) {
    this.#keep();
    this.points = [...this.points, [rounded(lat), rounded(lon)]];
  }

  move(index, [lat, lon]) {
    this.#keep();
    this.points = this.points.map((point, other) => (other === index ? [rounded(lat), rounded(lon)] : point));
  }

  /** Takes other corners; three or more are closed. */
  replace(points) {
    this.#keep();
    this.points = points;
    this.isClosed = this.canClose;
  }

  clear() {
    this.#keep();
    this.points = [];
    this.isClosed = false;
  }

  close() {
    this.#keep();
    this.isClosed = true;
  }

  /** Takes one step back; false when there is none. */
  undo() {
    const step = this.#steps.pop();
    if (!step) return false;
    this.points = step.points;
    this.isClosed = step.isClosed;
    this.isChanged = this.canUndo;
    return true;
  }

  #keep() {
    this.#steps.push({ points: [...this.points], isClosed: this.isClosed });
    if (this.#steps.length > stepsMax) this.#steps.shift();
    this.isChanged = true;
  }
}
