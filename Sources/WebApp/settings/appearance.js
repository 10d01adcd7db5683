// Theme and units: on all devices of the account, or in this browser for a guest.

import { h } from "../kit/dom.js";
import { unitChoices } from "../kit/units.js";
import { settingsFrame } from "./frame.js";
import { makeChoiceSetting } from "./settingfield.js";

const themes = [
  { id: "system", label: "Same as this device" }, { id: "light", label: "Light" }, { id: "dark", label: "Dark" },
];

/** Serves `/settings/appearance`. */
export function show(root, _params, app) {
  const { net, router } = app;
  const theme = makeChoiceSetting(app, "theme", { label: "Theme", options: themes });
  const units = makeChoiceSetting(app, "units", {
    label: "Pace and speed", options: unitChoices.map(({ value, name }) => ({ id: value, label: name })),
  });
  const where = net.account ? "Applies on all your devices." : "Applies in this browser. Log in to use your settings everywhere.";
  root.append(settingsFrame(app, "appearance", [
    h("h1", { tabindex: "-1" }, "Appearance and units"), h("p", { class: "muted" }, where),
    h("section", { class: "card" }, theme.element), h("section", { class: "card" }, units.element),
  ]));
  const end = new AbortController();
  net.addEventListener("account", () => router.go("/settings/appearance", { replace: true }), { signal: end.signal });
  return () => {
    end.abort();
    theme.close();
    units.close();
  };
}
