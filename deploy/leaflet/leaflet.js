// Leaflet in a release: what every map needs comes with the ground of maps, and what is drawn on maps after that. In the sources,
// map/leaflet.js loads both as one script. The style is a part of the bundle's.

import { L } from "./leafletmaps.js";

let loading = null;

/** Resolves with Leaflet's `L`: maps, their controls, and layers of our own. */
export function loadMaps() {
  return Promise.resolve(L);
}

/** Resolves with the same `L` once it has all that the app uses. */
export async function loadLeaflet() {
  loading ??= import("./leafletshapes.js");
  try {
    await loading;
    return L;
  } catch {
    loading = null;
    throw new Error("Couldn't load the map.");
  }
}
