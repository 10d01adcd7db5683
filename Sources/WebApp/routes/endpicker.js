// The dialog to choose the start or the destination of a route: this device's position, a search, or a point on the map.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makePlaceSearch } from "../places/search.js";
import { me } from "./ends.js";

/** The end that a search result stands for. */
function endOfResult({ id, place, lat, lon }) {
  const destination = id ?? (place ? `place/${place}` : null);
  return destination ? { kind: "destination", id: destination } : { kind: "point", lat, lon, level: null };
}

/**
 * Opens the dialog; `side` is `from` or `to`. `chosen(end, name)` gets the choice, `onMap()` is called to choose a point on the map.
 */
export function openEndPicker(app, { side, chosen, onMap }) {
  const close = (then) => {
    dialog.close();
    then();
  };
  const search = makePlaceSearch({
    app, id: "end-search", label: "Search buildings, rooms and places",
    chosen: (found) => close(() => chosen(endOfResult(found), found.name)),
  });
  const choice = (id, iconName, label, run) => h("button", { class: "place-row", type: "button", id, onclick: () => close(run) },
    icon(iconName), h("span", { class: "grow" }, h("strong", {}, label)));
  const content = h("div", { class: "stack tight" },
    h("div", { class: "end-choices" },
      side === "from" ? choice("end-me", "here", "My location", () => chosen(me, null)) : null,
      choice("end-map", "pin", "Choose on the map", onMap)),
    search.element);
  const dialog = openDialog({ id: "end-dialog", title: side === "from" ? "Start" : "Destination", content });
  dialog.addEventListener("close", () => search.close());
  search.input.focus();
  return dialog;
}
