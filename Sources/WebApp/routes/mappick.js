// Choosing a point on a map: the note over the map, with a way for keyboards.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** `element` lies over the map. `middle()` is the map's middle, `changed(isPicking)` is called as choosing begins and ends. */
export class MapPick {
  element;

  #middle; #changed;
  #chosen = null;
  #words = h("span", { class: "grow" });

  constructor({ middle, changed }) {
    this.#middle = middle;
    this.#changed = changed;
    const centre = h("button", { class: "button small-button", type: "button", id: "pick-middle", onclick: () => {
      const where = this.#middle();
      if (where) this.tapped(where);
    } }, icon("pin"), "Use map centre");
    const cancel = h("button", { class: "button small-button", type: "button", id: "pick-cancel", onclick: () => this.#end() }, "Cancel");
    this.element = h("div", { class: "map-note pick-note", id: "pick-note", hidden: true },
      this.#words, h("span", { class: "row" }, centre, cancel));
  }

  /** Waits for a tap; `chosen({lat, lon})` gets the point. */
  begin(text, chosen) {
    this.#chosen = chosen;
    setText(this.#words, text);
    this.element.hidden = false;
    announce(text);
    this.#changed(true);
    this.element.querySelector("button").focus({ preventScroll: true });
  }

  /** The map was tapped. */
  tapped(where) {
    const chosen = this.#chosen;
    if (!chosen) return;
    this.#end();
    chosen(where);
  }

  #end() {
    this.#chosen = null;
    this.element.hidden = true;
    this.#changed(false);
  }
}
