// The licences of the software that Campanile contains, is linked with or runs.

import { h } from "../kit/dom.js";
import { settingsFrame } from "../settings/frame.js";
import { licences } from "./licencelist.js";

/** Serves `/licences`. */
export function show(root, _params, app) {
  root.append(settingsFrame(app, "licences", [
    h("h1", { tabindex: "-1" }, "Licences"),
    h("p", { class: "muted" }, "Campanile is built with free software. Thank you to everyone who made it."),
    h("section", { class: "card" }, h("ul", { class: "licences", id: "licences" }, ...licences.map(({ name, use, licence, url }) =>
      h("li", {}, h("strong", {}, name), h("p", { class: "muted small" }, use),
        h("a", { class: "link", href: url, target: "_blank", rel: "noopener", "aria-label": `${licence}: licence of ${name}` },
          licence))))),
    h("p", { class: "muted small" }, "Map data of a real campus is © OpenStreetMap contributors, under the ODbL: ",
      h("a", { href: "https://www.openstreetmap.org/copyright", target: "_blank", rel: "noopener" }, "openstreetmap.org/copyright"), "."),
  ]));
}
