// A menu of actions: beside the element that it belongs to, or a sheet from below on a phone.

import { h, removeDialog } from "./dom.js";
import { icon } from "./icons.js";

const menuPixels = { width: 272, height: 320 };

/**
 * Opens a menu of `actions`: `[{id, label, iconName, run, isDanger}]`. With `react(emoji)`, the emoji of `reactions` are above them; those
 * of `mine` are pressed.
 */
export function openMenu({ anchor, label, actions, reactions = [], react = null, mine = [] }) {
  const dialog = h("dialog", { class: "menu", id: "menu", "aria-label": label });
  const close = (run) => () => {
    dialog.close();
    run();
  };
  if (react) {
    dialog.append(h("div", { class: "menu-reactions" }, ...reactions.map((emoji) => h("button", {
      type: "button", class: "menu-reaction", "aria-label": `React with ${emoji}`, "aria-pressed": String(mine.includes(emoji)),
      dataset: { emoji }, onclick: close(() => react(emoji)),
    }, emoji))));
  }
  dialog.append(...actions.map(({ id, label: text, iconName, run, isDanger }) => h("button", {
    type: "button", class: isDanger ? "menu-item danger" : "menu-item", dataset: { action: id }, onclick: close(run),
  }, icon(iconName), text)));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => removeDialog(dialog));
  document.body.append(dialog);
  const box = anchor?.getBoundingClientRect();
  if (box && innerWidth > 600) {
    dialog.classList.add("beside");
    // To the side where there is more room.
    const left = (box.left + box.right) / 2 < innerWidth * 0.6 ? box.left : box.right - menuPixels.width;
    dialog.style.left = `${Math.max(8, Math.min(left, innerWidth - menuPixels.width - 8))}px`;
    dialog.style.top = `${Math.max(8, Math.min(box.bottom + 4, innerHeight - menuPixels.height))}px`;
  }
  dialog.showModal();
}

const longPressMilliseconds = 450;
const longPressPixelsMax = 10;

/**
 * Drops the next click. Lifting the finger after a long press is a click for the browser, on the menu that is under the finger by then. A
 * new press ends the wait.
 */
function swallowClick() {
  const swallow = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  addEventListener("pointerdown", () => removeEventListener("click", swallow, { capture: true }), { capture: true, once: true });
}

/** Calls `open(element)` when an element that matches `selector` is pressed long, or with the right button. */
export function onLongPress(container, selector, open) {
  let timer = 0;
  let from = null;
  let openedAt = 0;
  const cancel = () => clearTimeout(timer);
  container.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" || event.target.closest("a")) return;
    const found = event.target.closest(selector);
    if (!found) return;
    from = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      openedAt = Date.now();
      swallowClick();
      // Before the first tap browsers refuse it.
      if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10);
      open(found);
    }, longPressMilliseconds);
  });
  container.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (from && Math.hypot(clientX - from.x, clientY - from.y) > longPressPixelsMax) cancel();
  });
  for (const name of ["pointerup", "pointercancel", "scroll"]) container.addEventListener(name, cancel, { passive: true });
  container.addEventListener("contextmenu", (event) => {
    const found = event.target.closest(selector);
    // Links and marked text keep the browser's own menu.
    if (!found || event.target.closest("a") || String(getSelection())) return;
    event.preventDefault();
    cancel();
    if (Date.now() - openedAt > 1_000) open(found);
  });
}
