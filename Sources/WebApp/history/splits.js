// The times per kilometre of a session.

import { h } from "../kit/dom.js";
import { hms, km } from "../kit/format.js";
import { speedParts } from "../kit/units.js";

const wholeMetres = 999.5;

/** `12:34` below an hour, else `01:02:03`. */
function short(seconds) {
  return seconds < 3600 ? hms(seconds).slice(3) : hms(seconds);
}

const isWhole = ({ distance }) => distance >= wholeMetres;

/** The card, or nothing where there is not a full kilometre. */
export function splitsCard(splits, activity) {
  if (!splits?.some(isWhole)) return "";
  const speeds = splits.map(({ distance, elapsed }) => (elapsed > 0 ? distance / elapsed : 0));
  const fastest = Math.max(...speeds);
  const ofWhole = speeds.filter((_, index) => isWhole(splits[index]));
  /** A single kilometre is not the best of anything. */
  const best = ofWhole.length > 1 ? Math.max(...ofWhole) : null;
  const { label, unit } = speedParts(0, activity);
  let total = 0;
  const rows = splits.map((split, index) => {
    total += split.elapsed;
    const isBest = isWhole(split) && speeds[index] === best;
    const bar = h("span", { class: "split-bar", "aria-hidden": "true" }, h("span", {}));
    bar.firstChild.style.setProperty("width", `${fastest > 0 ? Math.max(4, (speeds[index] / fastest) * 100) : 0}%`);
    return h("tr", { dataset: { best: isBest } },
      h("th", { scope: "row", class: "number" }, isWhole(split) ? String(index + 1) : km(split.distance)),
      h("td", { class: "number" }, speedParts(speeds[index], activity).value,
        isBest ? h("span", { class: "visually-hidden" }, " best") : null),
      h("td", {}, bar),
      h("td", { class: "number" }, short(total)));
  });
  return h("section", { class: "card stack", id: "splits", "aria-labelledby": "splits-title" }, h("h2", { id: "splits-title" }, "Splits"),
    h("table", { class: "splits" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "km"), h("th", { scope: "col" }, `${label}, ${unit}`), h("td", {}),
        h("th", { scope: "col" }, "Total"))),
      h("tbody", {}, ...rows)));
}
