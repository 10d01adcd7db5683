// Lifts out of order, locked doors and closed paths, as marks on a map.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { closureSentence, holding } from "./words.js";

/** Closures change seldom; those of a walk arrive by themselves. */
const loadEveryMilliseconds = 120_000;
const marksMax = 200;

/** Puts the marks on the map `view`, and keeps them current: `{load(), closures, close()}`. */
export function makeClosureMarks(view, { net }) {
  const { L, map } = view;
  const group = L.layerGroup().addTo(map);
  let closures = [];
  let isClosed = false;

  async function load() {
    if (net.state !== "live") return;
    try {
      const reply = await net.request("routes.closures");
      if (isClosed) return;
      closures = holding(reply.closures, Date.now() + net.clock.offset).slice(0, marksMax);
      draw();
    } catch {
      // A map without the marks is better than none; they come with the next request.
    }
  }

  function draw() {
    group.clearLayers();
    for (const closure of closures) group.addLayer(markOf(closure));
  }

  function markOf(closure) {
    const words = [closureSentence(closure), closure.reason].filter(Boolean).join(" ");
    const mark = L.marker([closure.lat, closure.lon], {
      icon: L.divIcon({ className: "closure-mark", html: icon("block"), iconSize: [44, 44] }), alt: words, zIndexOffset: 1_000,
    });
    mark.bindTooltip(h("span", {}, words), { direction: "top", offset: [0, -14], className: "closure-label" });
    mark.on("add", () => {
      mark.getElement().setAttribute("aria-label", words);
      mark.getElement().setAttribute("role", "img");
    });
    return mark;
  }

  const follow = () => { if (net.state === "live") load(); };
  net.addEventListener("state", follow);
  const ticker = setInterval(load, loadEveryMilliseconds);
  load();
  return {
    load,
    get closures() { return closures; },
    close() {
      isClosed = true;
      clearInterval(ticker);
      net.removeEventListener("state", follow);
    },
  };
}
