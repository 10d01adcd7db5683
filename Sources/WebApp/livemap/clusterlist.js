// The crowds in view that are counted: the accessible twin of their circles. Rows are kept and never change places, so that focus stays
// where it is.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";

const rowsMax = 8;
const directions = ["east", "south-east", "south", "south-west", "west", "north-west", "north", "north-east"];

const collator = new Intl.Collator("en", { numeric: true });

/**
 * `{element, update()}`; `clusters()` gives the clusters of `gather` in view, and `middle()` the map's `{x, y}` in the same unit. When a
 * row with the focus goes, the crowd nearest to its own gets it; `onFocusLost()` is called when there is none.
 */
export function makeClusterList({ clusters, middle, onSelect, onFocusLost }) {
  const rows = new Map();
  const note = h("p", { class: "muted small", id: "clusters-note" });
  const list = h("ul", { class: "cluster-list", "aria-label": "Crowds in view" });
  const element = h("section", { class: "clusters", id: "clusters", hidden: true, "aria-label": "Crowds" }, note, list);

  function update() {
    const found = clusters();
    const focused = [...rows.values()].find(({ item }) => item.contains(document.activeElement));
    // The largest and the one with the focus, but not by size: crowds that outgrow each other would change places under the finger.
    const isFocused = ({ key }) => Number(key === focused?.latest.key);
    const shown = [...found].sort((a, b) => isFocused(b) - isFocused(a) || b.count - a.count).slice(0, rowsMax)
      .sort((a, b) => collator.compare(a.key, b.key));
    const wanted = new Set(shown.map(({ key }) => key));
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      row.item.remove();
      rows.delete(key);
    }
    shown.forEach((cluster, index) => {
      const row = rows.get(cluster.key) ?? makeRow(cluster.key);
      row.latest = cluster;
      setText(row.text, count(cluster.count, "runner"));
      setText(row.where, `${whereabouts(cluster, middle())} · zoom in`);
      if (list.children[index] !== row.item) list.insertBefore(row.item, list.children[index] ?? null);
    });
    if (focused && !focused.item.isConnected) focusNear(focused.latest, shown);
    element.hidden = found.length === 0;
    const total = found.reduce((sum, cluster) => sum + cluster.count, 0);
    setText(note, found.length > 0 ? `${count(total, "runner is", "runners are")} grouped. Zoom in to see who.` : "");
    return found.length;
  }

  function focusNear({ unitX, unitY }, shown) {
    const distance = (cluster) => Math.hypot(cluster.unitX - unitX, cluster.unitY - unitY);
    const nearest = shown.reduce((best, cluster) => (best && distance(best) <= distance(cluster) ? best : cluster), null);
    if (nearest) rows.get(nearest.key).item.firstChild.focus({ preventScroll: true });
    else onFocusLost();
  }

  function makeRow(key) {
    const row = {
      latest: null, item: null, text: h("span", { class: "runner-name number" }), where: h("span", { class: "runner-state" }),
    };
    row.item = h("li", {}, h("button", { class: "cluster-row", type: "button", onclick: () => onSelect(row.latest) },
      h("span", { class: "cluster-mark", "aria-hidden": "true" }, icon("search")),
      h("span", { class: "runner-who" }, row.text, row.where)));
    rows.set(key, row);
    return row;
  }

  return { element, update };
}

/** The direction of a crowd from the middle of the map. */
function whereabouts({ unitX, unitY }, middle) {
  const turn = Math.atan2(unitY - middle.y, unitX - middle.x) / (2 * Math.PI);
  return `In the ${directions[Math.round((turn + 1) * 8) % 8]}`;
}
