// The heatmap of the live map: a switch, the layer, and a legend that says what it is, how old, and whether it comes.

import { announce, h, setText } from "../kit/dom.js";
import { ago, sentence } from "../kit/format.js";
import { makeHeatLayer } from "./layer.js";
import { heatSentence, steps, stepWords } from "./scale.js";
import { icon } from "../kit/icons.js";
import { mapButton } from "../map/tools.js";

const choiceKey = "campanile.heatmap";
const drawEveryMilliseconds = 1000;
/** People are counted so often; what is the same as before is not sent again. */
const countedEverySeconds = 30;

/**
 * `{button, legend, setView(view), close()}`: two elements for the map's stage, and the map once it is there. `opener(button)` gets
 * the focus when the legend is closed.
 */
export function makeHeatmap({ net, opener = (button) => button }) {
  let view = null;
  let layer = null;
  let subscription = null;
  /** The latest picture, as the server sent it. */
  let picture = null;
  let problem = null;
  let isOn = false;

  const button = mapButton({ id: "heat-switch", label: "Show where many people are", iconName: "heat", "aria-pressed": "false", onclick: () => set(!isOn, { isChosen: true }) });
  const state = h("p", { class: "heat-state", id: "heat-state" });
  const words = h("p", { class: "visually-hidden", id: "heat-words" });
  // On narrow screens, where the legend is one line.
  const more = h("button", { class: "icon-button heat-more", type: "button", id: "heat-more", "aria-label": "About these numbers", "aria-expanded": "false", onclick: () => more.setAttribute("aria-expanded", String(legend.classList.toggle("is-open"))) }, icon("info"));
  const legend = h("section", { class: "heat-legend", id: "heat-legend", "aria-label": "People on campus", hidden: true },
    h("div", { class: "heat-head" }, h("h2", {}, "People, about"), more, h("button", { class: "icon-button", type: "button", "aria-label": "Hide where many people are", onclick: () => {
      set(false, { isChosen: true });
      opener(button).focus({ preventScroll: true });
    } }, icon("close"))),
    h("ol", { class: "heat-steps" }, ...steps.map((step, index) => h("li", {}, swatch(step), h("span", { class: "visually-hidden" }, stepWords(index)), h("span", { class: "number", "aria-hidden": "true" }, stepWords(index).replace("about ", "").replace(" or more", "+"))))),
    h("p", { class: "heat-few" }, "Small groups are not shown."), state, words);

  function set(next, { isChosen = false } = {}) {
    isOn = next;
    button.setAttribute("aria-pressed", String(isOn));
    legend.hidden = !isOn;
    if (isChosen) remember(isOn);
    if (isOn) {
      problem = null;
      subscription ??= net.subscribe("heatmap", { snapshot: take, push: take, error: (error) => {
        problem = error;
        draw();
      } });
      addLayer();
      if (isChosen) announce("The map shows where many people are.");
    } else {
      subscription?.close();
      subscription = picture = null;
      layer?.remove();
      layer = null;
      if (isChosen) announce("Hidden.");
    }
    draw();
  }

  function take(update) {
    if (update?.type !== "heatmap") return;
    problem = null;
    const isFirst = picture === null;
    picture = update;
    layer?.set(picture.cells, picture.zoom);
    setText(words, heatSentence(picture.cells));
    if (isFirst) announce(heatSentence(picture.cells));
    draw();
  }

  function addLayer() {
    if (!view || layer) return;
    layer = makeHeatLayer(view.L);
    layer.addTo(view.map);
    if (picture) layer.set(picture.cells, picture.zoom);
  }

  function draw() {
    if (!isOn) return;
    const isOld = net.state !== "live";
    legend.classList.toggle("is-old", isOld || problem !== null);
    legend.classList.toggle("is-drawn", !isOld && problem === null && picture?.cells.length > 0);
    layer?.canvas?.classList.toggle("is-old", isOld);
    const seconds = picture ? net.clock.age(picture.serverTime) : 0;
    const age = ago(seconds);
    setText(state, problem ? sentence(problem.message)
      : isOld ? (picture ? `No connection: this is from ${age}.` : "No connection. It comes when it is back.")
      : !picture ? "Loading…"
      : `${picture.cells.length === 0 ? "Nowhere are so many. " : ""}${seconds <= countedEverySeconds + 5 ? `Counted ${age}.` : `The same since ${age}.`}`);
  }

  const ticker = setInterval(draw, drawEveryMilliseconds);
  net.addEventListener("state", draw);
  set(remembered());
  return {
    button,
    legend,
    setView(made) {
      view = made;
      view.whenThemeChanges(() => layer?.restyle());
      if (isOn) addLayer();
    },
    /** For measurements: what drawing cost. */
    get cost() { return layer?.cost ?? null; },
    get cells() { return picture?.cells.length ?? null; },
    close() {
      clearInterval(ticker);
      net.removeEventListener("state", draw);
      subscription?.close();
    },
  };
}

function swatch({ light, dark }) {
  const element = h("span", { class: "heat-swatch", "aria-hidden": "true" });
  element.style.setProperty("--step-light", light);
  element.style.setProperty("--step-dark", dark);
  return element;
}

function remembered() {
  return localStorage.getItem(choiceKey) === "on";
}

function remember(isOn) {
  try {
    if (isOn) localStorage.setItem(choiceKey, "on");
    else localStorage.removeItem(choiceKey);
  } catch {
    // A browser that stores nothing asks again next time.
  }
}
