// The reader's dot on the live map, with a circle for the accuracy.

import { token } from "../kit/theme.js";

/** The dot and its circle; nothing while the position is not known. */
export class MyMark {
  #view;
  /** `{circle, dot}` while they are drawn. */
  #drawn = null;
  #key = "";

  constructor(view) {
    this.#view = view;
  }

  /** Draws them at `{lat, lon, accuracy}`, or takes them away with null. */
  draw(here) {
    if (!here) {
      this.#remove();
      return;
    }
    const colour = token("--read");
    const key = JSON.stringify([here.lat, here.lon, here.accuracy, colour]);
    if (key === this.#key) return;
    this.#key = key;
    this.#drawn ??= this.#add();
    const { circle, dot } = this.#drawn;
    for (const mark of [circle, dot]) mark.setLatLng([here.lat, here.lon]);
    circle.setRadius(Math.max(1, here.accuracy ?? 1));
    circle.setStyle({ color: colour, fillColor: colour, weight: 1.5, opacity: 0.7, fillOpacity: 0.12 });
    dot.setStyle({ color: token("--map-ring"), fillColor: colour, weight: 3, fillOpacity: 1 });
  }

  /** `{lat, lon, radius}` as drawn, or null. */
  shown() {
    if (!this.#drawn) return null;
    const { circle, dot } = this.#drawn;
    const { lat, lng } = dot.getLatLng();
    return { lat, lon: lng, radius: circle.getRadius() };
  }

  #add() {
    const { L, map } = this.#view;
    return {
      circle: L.circle([0, 0], { radius: 1, interactive: false, className: "me-accuracy" }).addTo(map),
      dot: L.circleMarker([0, 0], { radius: 8, interactive: false, className: "me-dot" }).addTo(map),
    };
  }

  #remove() {
    this.#drawn?.circle.remove();
    this.#drawn?.dot.remove();
    this.#drawn = null;
    this.#key = "";
  }
}
