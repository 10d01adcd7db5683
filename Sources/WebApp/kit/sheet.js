// The panel beside the map: a side panel on wide screens, a bottom sheet with three heights on narrow ones.

import { h } from "./dom.js";
import { icon } from "./icons.js";

const stops = ["peek", "half", "full"];
const dragPixelsMin = 24;

/**
 * `{element, body, set(stop)}`; `element.dataset.sheet` is `peek`, `half` or `full`. `isText`: there are no controls in it, so a keyboard
 * scrolls the body itself.
 */
export function makeSheet({ label, initial = "half", header, isText = false }) {
  const body = h("div", { class: "sheet-body", ...(isText && { tabindex: "0", role: "group", "aria-label": label }) });
  const handle = h("button", { class: "sheet-handle", type: "button", id: "sheet-handle" },
    h("span", { class: "sheet-grip", "aria-hidden": "true" }), h("span", { class: "visually-hidden" }), icon("chevron"));
  const element = h("section", { class: "sheet", "aria-label": label, id: "panel" }, handle, header, body);
  let stop = initial;
  let dragFrom = null;
  let dragged = false;

  function set(next) {
    // Lowered, the panel shows its head alone.
    if (next === "peek" && body.contains(document.activeElement)) handle.focus({ preventScroll: true });
    stop = next;
    element.dataset.sheet = next;
    handle.setAttribute("aria-expanded", String(next !== "peek"));
    handle.querySelector(".visually-hidden").textContent = next === "full" ? `Lower the panel: ${label}` : `Raise the panel: ${label}`;
  }

  function step(by) {
    set(stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(stop) + by))]);
  }

  handle.addEventListener("click", () => {
    // The release of a drag. The next click may be that of a key.
    if (dragged) {
      dragged = false;
      return;
    }
    set(stop === "full" ? "peek" : stops[stops.indexOf(stop) + 1]);
  });
  body.addEventListener("focusin", () => { if (stop === "peek") set("half"); });
  handle.addEventListener("pointerdown", (event) => {
    dragFrom = event.clientY;
    dragged = false;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (dragFrom === null) return;
    const moved = dragFrom - event.clientY;
    if (Math.abs(moved) < dragPixelsMin) return;
    dragged = true;
    step(Math.sign(moved));
    // One long drag may pass two heights.
    dragFrom = event.clientY + Math.sign(moved) * 90;
  });
  handle.addEventListener("pointerup", () => { dragFrom = null; });
  handle.addEventListener("pointercancel", () => { dragFrom = null; });
  set(initial);
  // On some pages the height depends on the content; what lies above the sheet follows it (map.css).
  new ResizeObserver(() => element.parentElement?.style.setProperty("--sheet-height", `${element.offsetHeight}px`)).observe(element);
  return { element, body, set, get stop() { return stop; } };
}
