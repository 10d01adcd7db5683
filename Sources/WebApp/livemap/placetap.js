// A place or building that was tapped on the live map: its card in the panel, and a mark.

import { announce, h } from "../kit/dom.js";
import { token } from "../kit/theme.js";
import { makePlaceCard } from "../places/card.js";
import { destinationAt, drawnDestinations } from "../places/drawing.js";

/** A finger covers about as many pixels around the point that it taps. */
const fingerPixels = 18;

/** Shows what is tapped. */
export class PlaceTap {
  /** Where the card is. */
  element = h("div", { class: "card-place" });

  #app; #view;
  #card = null;
  #mark = null;
  #taps = 0;

  constructor(app, view) {
    this.#app = app;
    this.#view = view;
    view.whenThemeChanges(() => this.#mark?.setStyle(style()));
  }

  /** Shows the destination at a point of the map, `{lat, lng}`, or none. Resolves with whether there is one. */
  async show({ lat, lng }) {
    const { map } = this.#view;
    const tap = ++this.#taps;
    const beside = map.containerPointToLatLng(map.latLngToContainerPoint([lat, lng]).add([fingerPixels, 0]));
    const drawn = drawnDestinations(await this.#app.campusMap());
    if (tap !== this.#taps) return false;
    const found = destinationAt(drawn, { lat, lon: lng }, map.distance([lat, lng], beside));
    const hadFocus = this.element.contains(document.activeElement);
    this.hide();
    if (!found) return false;
    this.#card = makePlaceCard({ net: this.#app.net, destination: found, closed: () => {
      this.hide();
      map.getContainer().focus({ preventScroll: true });
    } });
    this.element.replaceChildren(this.#card.element);
    if (hadFocus) this.#card.heading.focus({ preventScroll: true });
    this.#mark = this.#view.L.circleMarker([found.lat, found.lon], style()).addTo(map);
    announce(`${found.name}.`);
    return true;
  }

  hide() {
    this.#taps += 1;
    this.#card?.close();
    this.#mark?.remove();
    this.#card = this.#mark = null;
  }
}

const style = () => (
  { radius: 10, weight: 3, color: token("--map-ring"), fillColor: token("--accent"), fillOpacity: 1, interactive: false });
