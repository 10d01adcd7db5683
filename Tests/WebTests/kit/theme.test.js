import assert from "node:assert/strict";
import { test } from "node:test";

const root = { dataset: {} };
const made = () => ({ setAttribute(name, value) { this[name] = value; }, append() {}, replaceChildren() {} });
Object.assign(globalThis, {
  document: {
    documentElement: root, querySelectorAll: () => [], createElement: made, createElementNS: made,
  },
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  localStorage: { setItem() { throw new Error("blocked"); } },
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
});
const { currentTheme, startTheme } = await import("../../../Sources/WebApp/kit/theme.js");

test("the switch changes the theme also where storage is blocked", () => {
  let press = null;
  const button = { ...made(), addEventListener: (_type, run) => { press = run; } };
  startTheme(button);
  assert.equal(button["aria-label"], "Switch to dark theme");
  press();
  assert.equal(currentTheme(), "dark");
  assert.equal(button["aria-label"], "Switch to light theme");
});
