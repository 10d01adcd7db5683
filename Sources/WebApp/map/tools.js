// The buttons in the map's corner: a column where there is room, else two of them and the rest in a menu (map.css).

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** One of the map's buttons. Its name is written beside it where it stands in the menu. */
export function mapButton({ id, label, iconName, ...props }) {
  const [tag, type] = props.href ? ["a", null] : ["button", "button"];
  return h(tag, { class: "map-button", type, id, title: label, ...props }, icon(iconName), h("span", { class: "map-button-label" }, label));
}

/** `{element, close(), opener(button), destroy()}`: `first` always stand on the map, `others` in the menu where there is little room. */
export function makeMapTools({ first, others }) {
  const label = "More map tools";
  const more = h("button", {
    class: "map-button", type: "button", id: "map-more", title: "More", onclick: () => set(!isOpen),
    "aria-expanded": "false", "aria-controls": "map-others", "aria-label": label,
  }, icon("more"));
  const menu = h("div", {
    class: "map-others", id: "map-others", role: "group", "aria-label": label, onclick: () => set(false),
  }, ...others);
  const element = h("div", { class: "map-tools" }, ...first, more, menu);
  let isOpen = false;

  function set(next) {
    if (isOpen && !next && menu.contains(document.activeElement)) more.focus({ preventScroll: true });
    isOpen = next;
    more.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) menu.querySelector(".map-button").focus({ preventScroll: true });
  }

  const pressed = ({ target }) => { if (isOpen && !element.contains(target)) set(false); };
  const escape = (event) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopImmediatePropagation();
    set(false);
  };
  addEventListener("pointerdown", pressed);
  addEventListener("keydown", escape, { capture: true });
  return {
    element,
    close: () => set(false),
    /** The button itself, or the one that opens the menu it stands in. */
    opener: (button) => (menu.contains(button) && more.checkVisibility?.() ? more : button),
    destroy() {
      removeEventListener("pointerdown", pressed);
      removeEventListener("keydown", escape, { capture: true });
    },
  };
}
