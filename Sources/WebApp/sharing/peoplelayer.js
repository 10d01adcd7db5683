// People on a map: a mark with a name and an age each, and around it how exactly that is known. Elements, so that keys and screen
// readers reach them; of many only those nearest to the middle.

import { h, setText } from "../kit/dom.js";
import { ago } from "../kit/format.js";
import { meetsAny } from "../map/labels.js";
import { runnerColour } from "../map/palette.js";
import { byPlace } from "./board.js";
import { ageText, fade, initials, placeText } from "./words.js";
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

/** Fills a face: with the picture that the viewer may see, else with initials. `scope` is of `Pictures`, or null. */
export function fillFace(face, scope, { name, picture = null }) {
  const key = `${picture ?? ""} ${name}`;
  if (face.dataset.face === key) return;
  face.dataset.face = key;
  const showInitials = () => face.replaceChildren(initials(name));
  if (!picture || !scope) {
    showInitials();
    return;
  }
  const photo = h("img", { class: "person-photo", alt: "" });
  face.replaceChildren(photo);
  scope.show(photo, picture, { onMissing: showInitials });
}

/**
 * Makes the layer over `map`; `onSelect(entry)` when a mark is pressed; `scope` shows pictures. `draw(entries, {now, isLive})` with the server's
 * time in ms;
 * `shown()` tells what is drawn, for tests; labels stay off `obstacles()`, boxes in the map's pixels.
 */
export function makePeopleLayer(L, map, { clock, onSelect = () => {}, scope = null, obstacles = () => [] }) {
  const marks = new Map();
  const circles = new Map();
  let left = 0;
  let last = [[], { isLive: true }];
  /** What marks and labels cover, with the map's corner at the time. */
  let covered = { boxes: [], corner: null };

  function draw(entries, options) {
    last = [entries, options];
    const middle = map.getCenter();
    const all = byPlace(entries);
    const far = ({ location }) => Math.hypot(location.lat - middle.lat, (location.lon - middle.lng) * Math.cos(middle.lat * Math.PI / 180));
    if (entries.length > marksMax) all.sort((one, other) => far(one) - far(other));
    const [keptMarks, keptCircles] = [new Set(), new Set()];
    left = 0;
    for (const place of all) {
      if (keptMarks.size + place.entries.length > marksMax) {
        left += place.entries.length;
        continue;
      }
      drawCircle(place, options);
      keptCircles.add(place.key);
      place.entries.forEach((entry, index) => {
        drawMark(entry, place, index, options);
        keptMarks.add(entry.share);
      });
    }
    for (const [known, kept] of [[marks, keptMarks], [circles, keptCircles]]) {
      for (const [key, { layer }] of known) {
        if (kept.has(key)) continue;
        layer.remove();
        known.delete(key);
      }
    }
    makeRoom();
  }

  /** Words that would lie over others are left out until one zooms in: what is shared with the reader comes first. */
  function makeRoom() {
    const taken = [];
    const blocked = obstacles();
    const isFree = (box) => !meetsAny(box, taken) && !meetsAny(box, blocked);
    const boxes = [...marks.values()].map((made) => {
      const { x, y } = map.latLngToContainerPoint(made.layer.getLatLng()).subtract(made.shift);
      return { made, x, y };
    });
    for (const { x, y } of boxes) taken.push({ left: x - faceHalf, right: x + faceHalf, top: y - faceHalf, bottom: y + faceHalf });
    boxes.sort((one, other) => Number(other.made.entry.isDirect) - Number(one.made.entry.isDirect)
      || one.made.entry.share - other.made.entry.share);
    for (const { made, x, y } of boxes) {
      const box = { left: x - labelPixels.width / 2, right: x + labelPixels.width / 2, top: y + faceHalf + 1, bottom: y + faceHalf
        + labelPixels.height };
      const isShown = isFree(box);
      if (isShown) taken.push(box);
      made.button.classList.toggle("bare", !isShown);
    }
    for (const { layer, name, rowCount } of circles.values()) {
      const element = layer.getTooltip()?.getElement();
      if (!name || !element) continue;
      const { x, y } = map.latLngToContainerPoint(layer.getLatLng());
      const [half, middle] = [name.length * letterPixels / 2, y + placeNamePixels + (rowCount - 1) * stepPixels.y];
      const box = { left: x - half, right: x + half, top: middle - letterPixels, bottom: middle + letterPixels };
      const isShown = isFree(box);
      if (isShown) taken.push(box);
      element.hidden = !isShown;
    }
    covered = { boxes: taken, corner: map.containerPointToLayerPoint([0, 0]) };
  }

  /** The same while the map is dragged. */
  function boxes() {
    const { boxes: all, corner } = covered;
    if (!corner || all.length === 0) return [];
    const { x, y } = corner.subtract(map.containerPointToLayerPoint([0, 0]));
    return all.map((box) => ({ left: box.left + x, right: box.right + x, top: box.top + y, bottom: box.bottom + y }));
  }

  function drawCircle({ key, location: { lat, lon, accuracy, place }, isExact, entries }, { isLive }) {
    const isAlone = entries.length === 1;
    const colour = isExact || isAlone ? colourOf(entries[0]) : token("--accent");
    const opacity = Math.max(...entries.map((entry) => fade(ageOf(entry)))) * (isLive ? 1 : 0.6);
    const style = { color: colour, fillColor: colour, weight: isExact ? 1.5 : 2, dashArray: isExact ? null : "6 6", opacity: 0.8 * opacity,
      fillOpacity: 0.14 * opacity };
    const name = isExact ? "" : place?.name ?? "";
    let made = circles.get(key);
    if (!made) {
      made = { layer: L.circle([lat, lon], { radius: 1, interactive: false }).addTo(map), name: null };
      circles.set(key, made);
    }
    const rowCount = Math.ceil(entries.length / rowMax);
    if (made.name !== name || made.rowCount !== rowCount) {
      Object.assign(made, { name, rowCount });
      made.layer.unbindTooltip();
      if (name) made.layer.bindTooltip(h("span", {}, name),
        { permanent: true, direction: "center", offset: [0, placeNamePixels + (rowCount - 1) * stepPixels.y], className: "person-place" });
    }
    const shape = `${lat} ${lon} ${accuracy}`;
    if (made.shape !== shape) {
      made.shape = shape;
      made.layer.setLatLng([lat, lon]);
      made.layer.setRadius(Math.max(1, accuracy ?? 1));
    }
    const look = JSON.stringify(style);
    if (made.look !== look) {
      made.look = look;
      made.layer.setStyle(style);
    }
  }

  function drawMark(entry, { location, entries }, index, { isLive }) {
    const row = Math.floor(index / rowMax);
    const inRow = Math.min(rowMax, entries.length - row * rowMax);
    const anchor = [markPixels / 2 - (index % rowMax - (inRow - 1) / 2) * stepPixels.x, markPixels / 2 - row * stepPixels.y];
    const place = `${location.lat} ${location.lon} ${anchor}`;
    let made = marks.get(entry.share);
    if (made && made.place !== place && made.anchor !== String(anchor)) {
      made.layer.remove();
      made = null;
    }
    if (!made) {
      const face = h("span", { class: "person-face", "aria-hidden": "true" });
      const label = h("span", { class: "person-label", "aria-hidden": "true" }, h("span", { class: "person-name" }),
        h("span", { class: "person-age number" }));
      const button = h("button",
        { class: "person-mark", type: "button", tabindex: "0", dataset: { person: entry.person.account, share: entry.share } }, face,
        label);
      const layer = L.marker([location.lat, location.lon], {
        icon: L.divIcon({ html: button, className: "person-icon", iconSize: [markPixels, markPixels], iconAnchor: anchor }),
        keyboard: false, interactive: true, zIndexOffset: entry.isDirect ? 1_000 : 500,
      }).addTo(map);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        onSelect(marks.get(entry.share)?.entry ?? entry);
      });
      made = { layer, button, face, label, anchor: String(anchor) };
      marks.set(entry.share, made);
    }
    if (made.place !== place) {
      made.place = place;
      made.layer.setLatLng([location.lat, location.lon]);
    }
    made.entry = entry;
    made.shift = [anchor[0] - markPixels / 2, anchor[1] - markPixels / 2];
    const age = ageText(entry, ageOf(entry));
    fillFace(made.face, scope, entry.person);
    setText(made.label.firstChild, entry.person.name);
    // There is little room: that it is old, or that there is no network, shows by the age and the grey.
    setText(made.label.lastChild, ago(ageOf(entry)));
    const name = `${entry.person.name}, ${placeText(entry)}, ${isLive ? "" : "offline, "}${age}`;
    if (made.button.getAttribute("aria-label") !== name) made.button.setAttribute("aria-label", name);
    const { fill, ink } = colours(entry);
    made.button.style.setProperty("--person", fill);
    made.button.style.setProperty("--person-ink", ink);
    made.button.style.opacity = String(fade(ageOf(entry)));
    made.button.dataset.state = isLive ? entry.state : "offline";
    made.button.dataset.precision = entry.precision;
  }

  const moved = () => makeRoom();
  map.on("zoomend moveend", moved);

  const ageOf = ({ location }) => clock.age(location.at);
  const colours = ({ person }) => runnerColour(person.account, currentTheme());
  const colourOf = (entry) => colours(entry).fill;

  return {
    draw,
    redraw: () => draw(...last),
    boxes,
    /** How many are in the picture without a mark of their own. */
    get left() { return left; },
    shown: () => [...marks.values()].map(({ entry, layer, button }) => {
      const { lat, lng } = layer.getLatLng();
      const circle = [...circles.values()].find(({ layer: other }) => other.getLatLng().equals(layer.getLatLng()));
      return { share: entry.share, name: entry.person.name, state: button.dataset.state, precision: entry.precision, lat, lon: lng,
        radius: circle?.layer.getRadius() ?? null, place: circle?.name ?? "", opacity: Number(button.style.opacity),
        label: button.getAttribute("aria-label") };
    }),
    remove() {
      map.off("zoomend moveend", moved);
      for (const { layer } of [...marks.values(), ...circles.values()]) layer.remove();
      marks.clear();
      circles.clear();
    },
  };
}
