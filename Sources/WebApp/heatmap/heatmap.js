// The heatmap of the live map: a switch, the layer, and a legend.

import { announce } from "../kit/dom.js";
import { makeHeatLayer } from "./layer.js";
import { HeatLegend } from "./legend.js";
import { heatSentence } from "./scale.js";
import { mapButton } from "../map/tools.js";

const choiceKey = "campanile.heatmap";
const drawEveryMilliseconds = 1000;

/** Makes the heatmap; it begins as it was left. `opener(button)` gets the focus when the legend is closed. */
export function makeHeatmap({ net, opener = (button) => button }) {
  return new Heatmap(net, opener);
}

/** The heatmap: `button` and `legend` are elements for the map's stage. */
class Heatmap {
  button; legend;

  #net; #legend;
  #ending = new AbortController();
  #ticker = setInterval(() => this.#draw(), drawEveryMilliseconds);
  #view = null;
  #layer = null;
  #subscription = null;
  /** The latest counts, as the server sent them. */
  #counts = null;
  #problem = null;
  #isOn = false;

  constructor(net, opener) {
    this.#net = net;
    this.button = mapButton({
      id: "heat-switch", label: "Heatmap", iconName: "heat", "aria-pressed": "false",
      onclick: () => this.#choose(!this.#isOn),
    });
    this.#legend = new HeatLegend({ onClose: () => {
      this.#choose(false);
      opener(this.button).focus({ preventScroll: true });
    } });
    this.legend = this.#legend.element;
    net.addEventListener("state", () => this.#draw(), { signal: this.#ending.signal });
    this.#set(remembered());
  }

  /** Gives it the map, once that is there. */
  setView(view) {
    this.#view = view;
    view.whenThemeChanges(() => this.#layer?.restyle());
    if (this.#isOn) this.#addLayer();
  }

  /** For measurements: what drawing cost. */
  get cost() { return this.#layer?.cost ?? null; }

  /** Number of the cells with people, or null before any came. */
  get cells() { return this.#counts?.cells.length ?? null; }

  close() {
    clearInterval(this.#ticker);
    this.#ending.abort();
    this.#subscription?.close();
  }

  #choose(isOn) {
    remember(isOn);
    this.#set(isOn);
    announce(isOn ? "Heatmap on." : "Heatmap off.");
  }

  #set(isOn) {
    this.#isOn = isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.#legend.isHidden = !isOn;
    if (isOn) {
      this.#problem = null;
      this.#subscription ??= this.#subscribe();
      this.#addLayer();
    } else {
      this.#subscription?.close();
      this.#subscription = this.#counts = null;
      this.#layer?.remove();
      this.#layer = null;
    }
    this.#draw();
  }

  #subscribe() {
    const take = (update) => this.#take(update);
    return this.#net.subscribe("heatmap", { snapshot: take, push: take, error: (error) => {
      this.#problem = error;
      this.#draw();
    } });
  }

  #take(update) {
    if (update?.type !== "heatmap") return;
    this.#problem = null;
    const isFirst = this.#counts === null;
    this.#counts = update;
    this.#layer?.set(update.cells, update.zoom);
    this.#legend.describe(heatSentence(update.cells));
    if (isFirst) announce(heatSentence(update.cells));
    this.#draw();
  }

  #addLayer() {
    if (!this.#view || this.#layer) return;
    this.#layer = makeHeatLayer(this.#view.L);
    this.#layer.addTo(this.#view.map);
    if (this.#counts) this.#layer.set(this.#counts.cells, this.#counts.zoom);
  }

  #draw() {
    if (!this.#isOn) return;
    const counts = this.#counts;
    const isLive = this.#net.state === "live";
    this.#layer?.canvas?.classList.toggle("is-old", !isLive);
    const seconds = counts ? this.#net.clock.age(counts.serverTime) : 0;
    this.#legend.draw({ cells: counts?.cells ?? null, seconds, isLive, problem: this.#problem });
  }
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
