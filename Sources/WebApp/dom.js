// Small building blocks for views: elements without innerHTML, announcements, toasts, confirmation.

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

/** Says `text` to a screen reader, politely. For changes of state, never for ticks. */
export function announce(text) {
  const region = document.getElementById("announcer");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Older browsers cannot be asked. */
const isSeen = (element) => element.checkVisibility?.() ?? element.getClientRects().length > 0;

/** When what had the focus is gone, `element` gets it, or else the page's heading: a keyboard goes on from there, not from the top. */
export function refocus(element = null) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && isSeen(activeElement)) return;
  const place = element && isSeen(element) ? element : document.querySelector("#view h1") ?? document.getElementById("view");
  place?.focus({ preventScroll: true });
}

/** Draws what is in `part`; should that take away what has the focus there, `fallback()` gets it, or else the page's heading. */
export function keepFocus(part, draw, fallback = () => null) {
  const hadFocus = part.contains(document.activeElement);
  draw();
  if (hadFocus) refocus(fallback());
}

const toastSecondsDefault = 6;
const heldToastsMax = 20;
let quiet = false;
let held = [];

/** While a session runs nothing prompts (U-7): toasts are held, and shown when `isQuiet` becomes false. */
export function setQuiet(isQuiet) {
  quiet = isQuiet;
  if (!quiet) {
    const waiting = held;
    held = [];
    for (const toastArguments of waiting) toast(...toastArguments);
  }
}

/**
 * Shows a short message at the bottom. `action` is `{label, run}`. One with a `key` takes the place of the last with that key; one with
 * `seconds` null stays until it is closed.
 */
export function toast(text, { action = null, seconds = toastSecondsDefault, key = null } = {}) {
  if (quiet) {
    if (key) held = held.filter(([, options]) => options.key !== key);
    if (held.length < heldToastsMax) held.push([text, { action, seconds, key }]);
    return;
  }
  if (key) dropToast(key);
  const box = h("div", { class: "toast", dataset: key ? { key } : {} }, h("span", {}, text));
  if (action) box.append(h("button", { type: "button", onclick: () => { box.remove(); action.run(); } }, action.label));
  if (seconds === null) box.append(h("button", { type: "button", "aria-label": "Close this message", onclick: () => box.remove() }, "Close"));
  document.getElementById("toasts").append(box);
  if (seconds !== null) setTimeout(() => box.remove(), seconds * 1000);
}

/** Takes away the message with that key, shown or held. */
export function dropToast(key) {
  held = held.filter(([, options]) => options.key !== key);
  for (const box of document.querySelectorAll("#toasts .toast")) if (box.dataset.key === key) box.remove();
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

/** Takes away a dialog that was closed. Chromium gives the focus back to a field without its caret, and typing is lost: focus it anew. */
export function removeDialog(dialog) {
  dialog.remove();
  const field = document.activeElement;
  if (!field?.matches("input, textarea") || document.querySelector("dialog[open]")) return;
  field.blur();
  field.focus({ preventScroll: true });
}

/** A message where content would be: an icon, a heading, a sentence, and what to do. */
export function emptyState({ id, iconElement, title, text, action = null }) {
  return h("div", { class: "empty", id }, iconElement, h("h2", {}, title), h("p", { class: "muted" }, text), action);
}
