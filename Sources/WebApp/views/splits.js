// The times per kilometre of a session.

import { h } from "../dom.js";
import { hms, km } from "../format.js";
import { speedParts } from "../units.js";

const wholeMetres = 999.5;

/** `12:34` below an hour, else `01:02:03`. */
function short(seconds) {
  return seconds < 3600 ? hms(seconds).slice(3) : hms(seconds);
}

/** The card, or nothing where there is not a full kilometre. */
export function splitsCard(splits, activity) {
  if (!splits || splits.length < 2) return "";
  const speeds = splits.map(({ distance, elapsed }) => (elapsed > 0 ? distance / elapsed : 0));
  const best = Math.max(...speeds);
  const { label, unit } = speedParts(0, activity);
  let total = 0;
  const rows = splits.map(({ distance, elapsed }, index) => {
    total += elapsed;
    const isWhole = distance >= wholeMetres;
    const bar = h("span", { class: "split-bar", "aria-hidden": "true" }, h("span", {}));
    bar.firstChild.style.setProperty("width", `${best > 0 ? Math.max(4, (speeds[index] / best) * 100) : 0}%`);
    return h("tr", { dataset: { best: isWhole && speeds[index] === best } },
      h("th", { scope: "row", class: "number" }, isWhole ? String(index + 1) : km(distance)),
      h("td", { class: "number" }, speedParts(speeds[index], activity).value), h("td", {}, bar),
      h("td", { class: "number" }, short(total)));
  });
  return h("section", { class: "card stack", id: "splits", "aria-labelledby": "splits-title" }, h("h2", { id: "splits-title" }, "Splits"),
    h("table", { class: "splits" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "km"), h("th", { scope: "col" }, `${label}, ${unit}`), h("td", {}),
        h("th", { scope: "col" }, "Time"))),
      h("tbody", {}, ...rows)));
}
