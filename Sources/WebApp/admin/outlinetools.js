// The tools that draw an outline on the map: buttons, a note, and the corners as text for the keyboard.

import { readText, textOf } from "../map/shape.js";
import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeField } from "../kit/form.js";

const tool = (id, iconName, label, onclick) =>
  h("button", { class: "button small-button", type: "button", id, onclick }, icon(iconName), label);

export class OutlineTools {
  #map;
  #outline;
  #isDrawing;
  #note = h("p", { class: "hint", role: "status", id: "outline-note" });
  #problem = h("p", { class: "problem", role: "alert", id: "outline-problem" });
  #text = makeField({ name: "outline", label: "Corners, one per line: latitude, longitude", rows: 6, autocomplete: "off",
    spellcheck: "false", hint: "Type or paste coordinates." });
  #undo = tool("outline-undo", "undo", "Undo", () => this.#stepBack());
  #add = tool("outline-middle", "plus", "Add map centre", () => this.#addMiddle());
  #finish = tool("outline-close", "tick", "Close outline", () => this.#close());
  #anew = tool("outline-anew", "bin", "Start over", () => this.#clear());
  #begin = h("button", { class: "button", type: "button", id: "outline-change", onclick: () => this.#start() }, icon("edit"),
    "Change outline");
  #tools = h("div", { class: "stack outline" }, this.#note,
    h("div", { class: "row outline-tools" }, this.#finish, this.#undo, this.#add, this.#anew), this.#problem,
    h("details", { class: "outline-text" }, h("summary", {}, "Enter coordinates"), this.#text.element));

  /**
   * `isDrawing` shows the tools from the beginning. The outline of a zone is changed only after a press of a button: a tap on the map is
   * easily made. `warning` is an element above, or an empty text.
   */
  constructor(map, outline, { isDrawing, warning }) {
    this.#map = map;
    this.#outline = outline;
    this.#isDrawing = isDrawing;
    this.element = h("fieldset", { class: "stack outline-field" }, h("legend", { class: "legend" }, "Outline"), warning, this.#begin,
      this.#tools);
    this.#text.input.addEventListener("change", () => this.#readText());
  }

  draw({ goes = false, withText = true } = {}) {
    const outline = this.#outline;
    const { points, isClosed } = outline;
    this.#map.outline({ points, isClosed, isEditable: this.#isDrawing }, { goes });
    this.#begin.hidden = this.#isDrawing;
    this.#tools.hidden = !this.#isDrawing;
    this.#undo.disabled = !outline.canUndo;
    this.#finish.hidden = isClosed;
    this.#finish.disabled = !outline.canClose;
    this.#add.hidden = isClosed;
    this.#anew.hidden = points.length === 0;
    this.showProblem(outline.problem);
    setText(this.#note, outline.note);
    if (!withText) return;
    this.#text.input.value = textOf(points);
    this.#text.setProblem(null);
  }

  /** Shows a sentence, or none for null. */
  showProblem(text) {
    setText(this.#problem, text ?? "");
  }

  tapped({ lat, lon }) {
    if (!this.#isDrawing || this.#outline.isClosed) return;
    this.#outline.add([lat, lon]);
    this.draw();
  }

  moved(index, point) {
    this.#outline.move(index, point);
    this.draw();
  }

  #start() {
    this.#isDrawing = true;
    this.draw({ goes: true });
    (this.#outline.isClosed ? this.#anew : this.#add).focus();
  }

  #stepBack() {
    if (this.#outline.undo()) announce("Undone.");
    this.draw();
  }

  #addMiddle() {
    const where = this.#map.middle();
    if (where) this.tapped(where);
  }

  #close() {
    this.#outline.close();
    this.draw();
    announce(this.#problem.textContent || `Outline closed: ${this.#outline.areaText}.`);
  }

  #clear() {
    this.#outline.clear();
    this.draw();
  }

  #readText() {
    const { points, problem } = readText(this.#text.input.value);
    this.#text.setProblem(problem);
    if (problem) return;
    this.#outline.replace(points);
    this.draw({ goes: true, withText: false });
  }
}
