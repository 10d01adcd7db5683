// The legend of the heatmap: its colours in words, the age of the counts, and whether they are current.

import { h, setText } from "../kit/dom.js";
import { steps, stepWords } from "./scale.js";
import { icon } from "../kit/icons.js";
import { stateText } from "./words.js";

/** The legend of the heatmap. */
export class HeatLegend {
  element;

  #state = h("p", { class: "heat-state", id: "heat-state" });
  #words = h("p", { class: "visually-hidden", id: "heat-words" });

  /** `onClose()` is called by its button. */
  constructor({ onClose }) {
    // On narrow screens, where the legend is one line.
    const more = h("button", {
      class: "icon-button heat-more", type: "button", id: "heat-more", "aria-label": "About these numbers", "aria-expanded": "false",
      onclick: () => more.setAttribute("aria-expanded", String(this.element.classList.toggle("is-open"))),
    }, icon("info"));
    const close = h("button", {
      class: "icon-button", type: "button", "aria-label": "Hide heatmap", onclick: onClose,
    }, icon("close"));
    this.element = h("section", { class: "heat-legend", id: "heat-legend", "aria-label": "People on campus", hidden: true },
      h("div", { class: "heat-head" }, h("h2", {}, "People, about"), more, close),
      h("ol", { class: "heat-steps" }, ...steps.map((step, index) => h("li", {}, swatch(step), ...wordsOf(index)))),
      h("p", { class: "heat-few" }, "Small groups aren't shown."), this.#state, this.#words);
  }

  set isHidden(isHidden) {
    this.element.hidden = isHidden;
  }

  /** Sets the sentence for screen readers. */
  describe(text) {
    setText(this.#words, text);
  }

  /** Draws the state: `cells` are those drawn, or null before any came, `seconds` their age. */
  draw({ cells, seconds, isLive, problem }) {
    this.element.classList.toggle("is-old", !isLive || problem !== null);
    this.element.classList.toggle("is-drawn", isLive && problem === null && cells?.length > 0);
    setText(this.#state, stateText({ cells, seconds, isLive, problem }));
  }
}

/** A step in words, and as a short number for the eye. */
function wordsOf(index) {
  const words = stepWords(index);
  return [
    h("span", { class: "visually-hidden" }, words),
    h("span", { class: "number", "aria-hidden": "true" }, words.replace("about ", "").replace(" or more", "+")),
  ];
}

function swatch({ light, dark }) {
  const element = h("span", { class: "heat-swatch", "aria-hidden": "true" });
  element.style.setProperty("--step-light", light);
  element.style.setProperty("--step-dark", dark);
  return element;
}
