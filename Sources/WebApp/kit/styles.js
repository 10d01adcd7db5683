// Stylesheets that are loaded when they are needed.

import { h } from "./dom.js";

/** Resolves when the stylesheet is loaded, also when that fails: pages work without. */
export function loadStyles(href) {
  return new Promise((resolve) => {
    if (document.querySelector(`link[href="${href}"]`)) return resolve();
    // Behind all other styles, of which a release has some in the body.
    document.body.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: resolve }));
    return undefined;
  });
}
