// Light and dark: the system's choice until another one is chosen; that is remembered.

import { icon } from "./icons.js";

/**
 * Two classic scripts read it before the first paint: shell/early.js and shell/serverpage.js. connection/accountsettings.js chooses it for
 * an account.
 */
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

/** The choice: `system`, `light` or `dark`. */
export function themeChoice() {
  return document.documentElement.dataset.theme ?? "system";
}

let draw = () => {};

/** Shows a theme, and remembers it in this browser. */
export function chooseTheme(choice) {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  draw();
  try {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // Storage is full or blocked: the choice holds until the page is left.
  }
}

/** Wires the switch in the bar. `choose(theme)` gets what it was switched to. */
export function startTheme(button, choose = chooseTheme) {
  draw = () => {
    const other = currentTheme() === "dark" ? "light" : "dark";
    button.replaceChildren(icon(other === "dark" ? "moon" : "sun"));
    button.setAttribute("aria-label", `Switch to ${other} theme`);
    const metas = /** @type {NodeListOf<HTMLMetaElement>} */ (document.querySelectorAll('meta[name="theme-color"]'));
    for (const meta of metas) meta.content = token("--ground");
    for (const listener of listeners) listener(currentTheme());
  };
  button.addEventListener("click", () => choose(currentTheme() === "dark" ? "light" : "dark"));
  system.addEventListener("change", draw);
  // Another tab of this browser.
  globalThis.addEventListener?.("storage", (event) => {
    if (event.key === key) chooseTheme(["light", "dark"].includes(event.newValue) ? event.newValue : "system");
  });
  draw();
}
