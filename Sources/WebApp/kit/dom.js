// Building blocks of pages: elements without innerHTML, focus, announcements, toasts, questions.

import { icon } from "./icons.js";

/** Makes an element. `on…` members become listeners, `dataset` and `class` are understood, null and false are skipped. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets the text only when it differs, so that ticking figures cost no layout when nothing changed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes screen readers read `text`, after what they are reading. For changes of state, never for ticking figures. */
export function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Older browsers lack `checkVisibility`. */
const isSeen = (element) => element.checkVisibility?.() ?? element.getClientRects().length > 0;

/**
 * Focuses `element`, or else the page's heading, when the focused element is gone or hidden: a keyboard goes on from there, not from the
 * top.
 */
export function refocus(element = null) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && isSeen(activeElement)) return;
  const place = element && isSeen(element) ? element : document.querySelector("#view h1") ?? document.getElementById("view");
  place?.focus({ preventScroll: true });
}

/** Draws the content of `part`. If its focused element goes, `fallback()` gets the focus, or else the page's heading. */
export function keepFocus(part, draw, fallback = () => null) {
  const hadFocus = part.contains(document.activeElement);
  draw();
  if (hadFocus) refocus(fallback());
}

/** A click follows the release within this time. */
const clickMilliseconds = 60;
/** A pointer whose release the browser does not report counts as released after this time. */
const pressMillisecondsMax = 2_000;
const pressed = new Set();
let untilReleased = [];

addEventListener("pointerdown", ({ pointerId }) => pressed.add(pointerId), true);
for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) {
  addEventListener(type, ({ pointerId }) => {
    pressed.delete(pointerId);
    if (pressed.size === 0) setTimeout(release, clickMilliseconds);
  }, true);
}

function release() {
  const waiting = untilReleased;
  untilReleased = [];
  for (const run of waiting) run();
}

/** Runs code that moves the page once no finger and no button is down: a press must reach the element it began on. */
export function whenReleased(run) {
  if (pressed.size === 0) return run();
  if (untilReleased.length === 0) {
    setTimeout(() => {
      pressed.clear();
      release();
    }, pressMillisecondsMax);
  }
  untilReleased.push(run);
  return undefined;
}

const toastSecondsDefault = 6;
const heldToastsMax = 20;
/** More toasts push the page too far down: the oldest that goes by itself is removed first. */
const shownToastsMax = 3;
const dismissPixels = 60;
let quiet = false;
let held = [];

/** Holds toasts back while a session runs (U-7), and shows them when `isQuiet` becomes false: the session was paused, or ended. */
export function setQuiet(isQuiet) {
  quiet = isQuiet;
  if (!quiet) {
    const waiting = held;
    held = [];
    for (const toastArguments of waiting) toast(...toastArguments);
  }
}

/**
 * Shows a short message in the row that the page keeps for it, so that it covers nothing. A tap or a swipe to the side closes it.
 * `action` is `{label, run}`. A toast with a `key` replaces the last one with that key; with `seconds` null it stays until it is closed.
 * `closed` is called when the person closed it.
 */
export function toast(text, { action = null, seconds = toastSecondsDefault, key = null, closed = () => {} } = {}) {
  if (quiet) {
    if (key) held = held.filter(([, options]) => options.key !== key);
    if (held.length < heldToastsMax) held.push([text, { action, seconds, key, closed }]);
    return;
  }
  if (key) dropToast(key);
  const dataset = { ...(key && { key }), ...(seconds === null && { stays: "" }) };
  const box = h("div", { class: "toast", dataset }, h("span", { class: "toast-text" }, text));
  const end = () => {
    box.remove();
    closed();
  };
  if (action) {
    const run = () => { end(); action.run(); };
    box.append(h("button", { type: "button", class: "toast-action", onclick: run }, action.label));
  }
  const close = { type: "button", class: "toast-close", "aria-label": "Dismiss", onclick: end };
  box.append(h("button", close, icon("close")));
  closeBySwipe(box, end);
  whenReleased(() => show(box, seconds));
}

function show(box, seconds) {
  const row = document.getElementById("toasts");
  row.append(box);
  while (row.children.length > shownToastsMax) (row.querySelector(".toast:not([data-stays])") ?? row.firstElementChild).remove();
  if (seconds !== null) removeAfter(box, seconds * 1_000);
}

/** A toast under the mouse, or with the focus, stays for slow readers. */
function removeAfter(box, milliseconds) {
  const start = () => setTimeout(() => whenReleased(() => box.remove()), milliseconds);
  let timer = start();
  const wait = () => clearTimeout(timer);
  const goOn = () => {
    clearTimeout(timer);
    timer = start();
  };
  box.addEventListener("pointerenter", ({ pointerType }) => { if (pointerType === "mouse") wait(); });
  box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse") goOn(); });
  box.addEventListener("focusin", wait);
  box.addEventListener("focusout", goOn);
}

function closeBySwipe(box, end) {
  let from = null;
  const move = (x) => { box.style.transform = x === 0 ? "" : `translateX(${x}px)`; };
  box.addEventListener("pointerdown", (event) => { from = event.target.closest("button") ? null : event.clientX; });
  box.addEventListener("pointermove", ({ clientX }) => { if (from !== null) move(clientX - from); });
  box.addEventListener("pointercancel", () => { from = null; move(0); });
  box.addEventListener("pointerleave", () => { if (from !== null) end(); });
  box.addEventListener("pointerup", ({ clientX }) => {
    if (from === null) return;
    const moved = Math.abs(clientX - from);
    from = null;
    // A tap or a swipe; less than a swipe springs back.
    if (moved < 8 || moved > dismissPixels) end();
    else move(0);
  });
}

/** Removes the toast with that key, shown or held. */
export function dropToast(key) {
  held = held.filter(([, options]) => options.key !== key);
  const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#toasts .toast"));
  for (const box of boxes) if (box.dataset.key === key) box.remove();
}

/** Asks a yes-or-no question in a modal dialog; resolves to true when confirmed. */
export function confirmDialog({ id, title, text, confirm, cancel = "Cancel", danger = false }) {
  return new Promise((resolve) => {
    const titleId = `${id}-title`;
    const dialog = h("dialog", { id, "aria-labelledby": titleId },
      h("form", { method: "dialog", class: "stack" },
        h("h2", { id: titleId }, title),
        h("p", { class: "muted" }, text),
        h("div", { class: "row dialog-actions" },
          h("button", { class: "button", value: "no", dataset: { answer: "no" } }, cancel),
          h("button", { class: danger ? "button danger" : "button primary", value: "yes", dataset: { answer: "yes" } }, confirm))));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      removeDialog(dialog);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Removes a closed dialog. Chromium gives the focus back to a field without its caret, and typed text is lost: the field is focused once
 * more.
 */
export function removeDialog(dialog) {
  dialog.remove();
  const field = /** @type {HTMLElement | null} */ (document.activeElement);
  if (!field?.matches("input, textarea") || document.querySelector("dialog[open]")) return;
  field.blur();
  field.focus({ preventScroll: true });
}

/** A message in the place of content: an icon, a heading, a sentence, and an action. */
export function emptyState({ id, iconElement, title, text, action = null }) {
  return h("div", { class: "empty", id }, iconElement, h("h2", {}, title), h("p", { class: "muted" }, text), action);
}
