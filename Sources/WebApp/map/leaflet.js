// Loads Leaflet only where a map is shown: the script and the style of the distribution's package. A release has deploy/leaflet/leaflet.js
// in the place of this module.

let loading = null;

/** Resolves with Leaflet's `L` once its style is loaded as well: without it the map's controls are out of shape. */
export function loadLeaflet() {
  loading ??= load();
  return loading;
}

/** Resolves with what is needed for a map before anything is drawn on it: in a release that comes first. */
export const loadMaps = loadLeaflet;

async function load() {
  const css = document.createElement("link");
  css.rel = "stylesheet";
  css.href = "/lib/leaflet/leaflet.css";
  const script = document.createElement("script");
  script.src = "/lib/leaflet/leaflet.js";
  const both = Promise.all([loaded(css), loaded(script)]);
  // Ours comes after Leaflet's, so that ours wins.
  document.head.prepend(css);
  document.head.append(script);
  try {
    await both;
    return globalThis.L;
  } catch {
    loading = null;
    script.remove();
    css.remove();
    throw new Error("Couldn't load the map.");
  }
}

function loaded(element) {
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
  });
}
