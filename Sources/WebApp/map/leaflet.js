// Loads Leaflet only where a map is shown. The style comes from the distribution's package at run time, and so does the script with the
// sources; deploy/web copies the script into the bundle of a release, and replaces its address below.

let loading = null;

/** Resolves with Leaflet's `L` once its style is loaded as well: without it the map's controls are out of shape. */
export function loadLeaflet() {
  loading ??= load();
  return loading;
}

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
