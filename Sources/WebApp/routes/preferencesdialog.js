// The dialog of preferences: what a person wants of routes, kept on this device.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { makeRadios, makeSwitch } from "../kit/fields.js";
import { keepPreferences, keptPreferences, speeds, switches } from "./preferences.js";

/** Opens the dialog; `changed(preferences)` is called when it is closed with other ones. */
export function openPreferences(changed) {
  const before = keptPreferences();
  const fields = switches.map(({ id, label, hint }) => ({ id, ...makeSwitch({ id: `prefer-${id}`, label, hint, checked: before[id] }) }));
  const speed = makeRadios({ name: "speed", label: "Walking speed", options: speeds, value: before.speed });
  const content = h("form", { class: "stack", id: "preferences", method: "dialog" },
    ...fields.map(({ element }) => element), speed.element, h("p", { class: "hint" }, "Kept on this device."),
    h("button", { class: "button primary big wide", id: "preferences-done" }, "Done"));
  const dialog = openDialog({ id: "preferences-dialog", title: "Route preferences", content });
  dialog.addEventListener("close", () => {
    const after = { ...Object.fromEntries(fields.map(({ id, input }) => [id, input.checked])), speed: speed.value };
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    keepPreferences(after);
    changed(after);
  });
}
