// People on a map: a mark with a name and an age each, and around it how exactly that is known. Elements, so that keys and screen
// readers reach them; of many only those nearest to the middle.

import { h, setText } from "../kit/dom.js";
import { ago } from "../kit/format.js";
import { meetsAny } from "../map/labels.js";
import { fillFace } from "../kit/person.js";
import { runnerColour } from "../map/palette.js";
import { byPlace } from "./board.js";
import { ageText, fade, placeText } from "./words.js";
import { currentTheme, token } from "../kit/theme.js";

const marksMax = 120;
/** Marks of one place stand beside each other, so many in a row. */
const rowMax = 3;
const markPixels = 46;
/** From one to the next, with the words below. */
const stepPixels = { x: 92, y: 84 };

const faceHalf = 19;
const labelPixels = { width: 84, height: 36 };
const letterPixels = 7.5;
/** The name of a place stands below the marks in it. */
const placeNamePixels = 66;

/**
 * Makes the layer over `map`; `onSelect(entry)` when a mark is pressed; `scope` shows pictures. `draw(entries, {isLive})`; `boxes()` are
 * those that marks and labels cover, in the map's pixels; `shown()` lists what is drawn, for tests. Labels stay off `obstacles()`, which
 * are boxes, too.
 */
export function makePeopleLayer(L, map, options) {
  return new PeopleLayer(L, map, options);
}

class PeopleLayer {
  /** How many people are in the picture without a mark of their own. */
  left = 0;
  #L;
  #map;
  #clock;
  #onSelect;
  #scope;
  #obstacles;
  /** By share: `{layer, button, face, label, anchor, place, entry, shift}`. */
  #marks = new Map();
  /** By place: `{layer, name, rowCount, shape, look}`. */
  #circles = new Map();
  #last = [[], { isLive: true }];
  /** Boxes of marks and labels, with the map's corner at the time. */
  #covered = { boxes: [], corner: null };
  #moved = () => this.#makeRoom();

  constructor(L, map, { clock, onSelect = (_entry) => {}, scope = null, obstacles = () => [] }) {
    this.#L = L;
    this.#map = map;
    this.#clock = clock;
    this.#onSelect = onSelect;
    this.#scope = scope;
    this.#obstacles = obstacles;
    map.on("zoomend moveend", this.#moved);
  }

  draw(entries, options) {
    this.#last = [entries, options];
    const keptMarks = new Set();
    const keptCircles = new Set();
    this.left = 0;
    for (const place of this.#nearestFirst(entries)) {
      if (keptMarks.size + place.entries.length > marksMax) {
        this.left += place.entries.length;
        continue;
      }
      this.#drawCircle(place, options);
      keptCircles.add(place.key);
      place.entries.forEach((entry, index) => {
        this.#drawMark(entry, place, index, options);
        keptMarks.add(entry.share);
      });
    }
    removeOthers(this.#marks, keptMarks);
    removeOthers(this.#circles, keptCircles);
    this.#makeRoom();
  }

  redraw() {
    this.draw(...this.#last);
  }

  /** Boxes that marks and labels cover, also while the map is dragged. */
  boxes() {
    const { boxes, corner } = this.#covered;
    if (!corner || boxes.length === 0) return [];
    const { x, y } = corner.subtract(this.#map.containerPointToLayerPoint([0, 0]));
    return boxes.map((box) => ({ left: box.left + x, right: box.right + x, top: box.top + y, bottom: box.bottom + y }));
  }

  shown() {
    return [...this.#marks.values()].map(({ entry, layer, button }) => {
      const { lat, lng } = layer.getLatLng();
      const circle = [...this.#circles.values()].find(({ layer: other }) => other.getLatLng().equals(layer.getLatLng()));
      return {
        share: entry.share, name: entry.person.name, state: button.dataset.state, precision: entry.precision, lat, lon: lng,
        radius: circle?.layer.getRadius() ?? null, place: circle?.name ?? "", opacity: Number(button.style.opacity),
        label: button.getAttribute("aria-label"),
      };
    });
  }

  remove() {
    this.#map.off("zoomend moveend", this.#moved);
    for (const { layer } of [...this.#marks.values(), ...this.#circles.values()]) layer.remove();
    this.#marks.clear();
    this.#circles.clear();
  }

  /** The places of entries; when there are too many, from the middle of the map outwards. */
  #nearestFirst(entries) {
    const places = byPlace(entries);
    if (entries.length <= marksMax) return places;
    const { lat, lng } = this.#map.getCenter();
    const far = ({ location }) => Math.hypot(location.lat - lat, (location.lon - lng) * Math.cos(lat * Math.PI / 180));
    return places.sort((one, other) => far(one) - far(other));
  }

  #age({ location }) {
    return this.#clock.age(location.at);
  }

  // MARK: room for labels

  /** Hides labels that would lie over others until there is room at a larger scale. Labels of direct shares come first. */
  #makeRoom() {
    const taken = [];
    const blocked = this.#obstacles();
    const take = (box) => {
      const isFree = !meetsAny(box, taken) && !meetsAny(box, blocked);
      if (isFree) taken.push(box);
      return isFree;
    };
    const placed = [...this.#marks.values()].map((made) => {
      const { x, y } = this.#map.latLngToContainerPoint(made.layer.getLatLng()).subtract(made.shift);
      return { made, x, y };
    });
    for (const { x, y } of placed) taken.push({ left: x - faceHalf, right: x + faceHalf, top: y - faceHalf, bottom: y + faceHalf });
    placed.sort(({ made: { entry: one } }, { made: { entry: other } }) =>
      Number(other.isDirect) - Number(one.isDirect) || one.share - other.share);
    for (const { made, x, y } of placed) made.button.classList.toggle("bare", !take(labelBox(x, y)));
    for (const circle of this.#circles.values()) this.#placeName(circle, take);
    this.#covered = { boxes: taken, corner: this.#map.containerPointToLayerPoint([0, 0]) };
  }

  #placeName({ layer, name, rowCount }, take) {
    const element = layer.getTooltip()?.getElement();
    if (!name || !element) return;
    const { x, y } = this.#map.latLngToContainerPoint(layer.getLatLng());
    const [half, middle] = [name.length * letterPixels / 2, y + placeNamePixels + (rowCount - 1) * stepPixels.y];
    element.hidden = !take({ left: x - half, right: x + half, top: middle - letterPixels, bottom: middle + letterPixels });
  }

  // MARK: circles

  #drawCircle({ key, location: { lat, lon, accuracy, place }, isExact, entries }, { isLive }) {
    const name = isExact ? "" : place?.name ?? "";
    let made = this.#circles.get(key);
    if (!made) {
      made = { layer: this.#L.circle([lat, lon], { radius: 1, interactive: false }).addTo(this.#map), name: null };
      this.#circles.set(key, made);
    }
    nameCircle(made, name, Math.ceil(entries.length / rowMax));
    const shape = `${lat} ${lon} ${accuracy}`;
    if (made.shape !== shape) {
      made.shape = shape;
      made.layer.setLatLng([lat, lon]);
      made.layer.setRadius(Math.max(1, accuracy ?? 1));
    }
    const style = this.#circleStyle(entries, { isExact, isLive });
    const look = JSON.stringify(style);
    if (made.look !== look) {
      made.look = look;
      made.layer.setStyle(style);
    }
  }

  #circleStyle(entries, { isExact, isLive }) {
    const colour = isExact || entries.length === 1 ? colours(entries[0]).fill : token("--accent");
    const opacity = Math.max(...entries.map((entry) => fade(this.#age(entry)))) * (isLive ? 1 : 0.6);
    return { color: colour, fillColor: colour, weight: isExact ? 1.5 : 2, dashArray: isExact ? null : "6 6", opacity: 0.8 * opacity,
      fillOpacity: 0.14 * opacity };
  }

  // MARK: marks

  #drawMark(entry, { location, entries }, index, { isLive }) {
    const anchor = anchorOf(index, entries.length);
    const place = `${location.lat} ${location.lon} ${anchor}`;
    let made = this.#marks.get(entry.share);
    if (made && made.place !== place && made.anchor !== String(anchor)) {
      made.layer.remove();
      made = null;
    }
    made ??= this.#makeMark(entry, location, anchor);
    if (made.place !== place) {
      made.place = place;
      made.layer.setLatLng([location.lat, location.lon]);
    }
    made.entry = entry;
    made.shift = [anchor[0] - markPixels / 2, anchor[1] - markPixels / 2];
    this.#fillMark(made, entry, { isLive });
  }

  #makeMark(entry, location, anchor) {
    const face = h("span", { class: "person-face", "aria-hidden": "true" });
    const label = h("span", { class: "person-label", "aria-hidden": "true" }, h("span", { class: "person-name" }),
      h("span", { class: "person-age number" }));
    const button = h("button", { class: "person-mark", type: "button", tabindex: "0",
      dataset: { person: entry.person.account, share: entry.share } }, face, label);
    const layer = this.#L.marker([location.lat, location.lon], {
      icon: this.#L.divIcon({ html: button, className: "person-icon", iconSize: [markPixels, markPixels], iconAnchor: anchor }),
      keyboard: false, interactive: true, zIndexOffset: entry.isDirect ? 1_000 : 500,
    }).addTo(this.#map);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      this.#onSelect(this.#marks.get(entry.share)?.entry ?? entry);
    });
    const made = { layer, button, face, label, anchor: String(anchor) };
    this.#marks.set(entry.share, made);
    return made;
  }

  #fillMark({ button, face, label }, entry, { isLive }) {
    const age = this.#age(entry);
    fillFace(face, this.#scope, entry.person);
    setText(label.firstChild, entry.person.name);
    // There is little room: that it is old, or that there is no network, shows by the age and the grey.
    setText(label.lastChild, ago(age));
    const name = `${entry.person.name}, ${placeText(entry)}, ${isLive ? "" : "offline, "}${ageText(entry, age)}`;
    if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
    const { fill, ink } = colours(entry);
    button.style.setProperty("--person", fill);
    button.style.setProperty("--person-ink", ink);
    button.style.opacity = String(fade(age));
    button.dataset.state = isLive ? entry.state : "offline";
    button.dataset.precision = entry.precision;
  }
}

const colours = ({ person }) => runnerColour(person.account, currentTheme());

const labelBox = (x, y) => ({
  left: x - labelPixels.width / 2, right: x + labelPixels.width / 2, top: y + faceHalf + 1, bottom: y + faceHalf + labelPixels.height,
});

/** Where the mark with this index stands beside the others of its place, as Leaflet's anchor. */
function anchorOf(index, count) {
  const row = Math.floor(index / rowMax);
  const inRow = Math.min(rowMax, count - row * rowMax);
  return [markPixels / 2 - (index % rowMax - (inRow - 1) / 2) * stepPixels.x, markPixels / 2 - row * stepPixels.y];
}

function nameCircle(made, name, rowCount) {
  if (made.name === name && made.rowCount === rowCount) return;
  Object.assign(made, { name, rowCount });
  made.layer.unbindTooltip();
  if (!name) return;
  const offset = [0, placeNamePixels + (rowCount - 1) * stepPixels.y];
  made.layer.bindTooltip(h("span", {}, name), { permanent: true, direction: "center", offset, className: "person-place" });
}

/** Takes what is not kept off the map. */
function removeOthers(known, kept) {
  for (const [key, { layer }] of known) {
    if (kept.has(key)) continue;
    layer.remove();
    known.delete(key);
  }
}
