// Light and dark: the system's choice until the switch is used; the switch is remembered.

import { icon } from "./icons.js";

/** Two classic scripts read it before the first paint: shell/early.js and shell/serverpage.js. account/forgetting.js keeps it. */
const key = "campanile.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

/** `light` or `dark`, as shown now. */
export function currentTheme() {
  return document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light");
}

/** Calls `listener(theme)` when the shown theme changes; returns how to stop. */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A design token's current value, for canvases. */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Wires the switch in the bar. */
export function startTheme(button) {
  const draw = () => {
    const other = currentTheme() === "dark" ? "light" : "dark";
    button.replaceChildren(icon(other === "dark" ? "moon" : "sun"));
    button.setAttribute("aria-label", `Switch to ${other} theme`);
    const metas = /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll('meta[name="theme-color"]'));
    for (const meta of metas) meta.content = token("--ground");
    for (const listener of listeners) listener(currentTheme());
  };
  button.addEventListener("click", () => {
    const chosen = currentTheme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    draw();
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // Storage is full or blocked: the choice holds until the page is left.
    }
  });
  system.addEventListener("change", draw);
  draw();
}
