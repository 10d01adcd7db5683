// Loads Leaflet only where a map is shown. The style comes from the distribution's package at run time, and so does the script with the
// sources; deploy/web copies the script into the bundle of a release, and replaces its address below.

let loading = null;

/** Resolves with Leaflet's `L`. */
export function loadLeaflet() {
  loading ??= new Promise((resolve, reject) => {
    const css = document.createElement("link");
    css.rel = "stylesheet";
    css.href = "/lib/leaflet/leaflet.css";
    // Ours comes after Leaflet's, so that ours wins.
    document.head.prepend(css);
    const script = document.createElement("script");
    script.src = "/lib/leaflet/leaflet.js";
    script.onload = () => resolve(globalThis.L);
    script.onerror = () => {
      loading = null;
      script.remove();
      css.remove();
      reject(new Error("Couldn't load the map."));
    };
    document.head.append(script);
  });
  return loading;
}
