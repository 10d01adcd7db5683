// Chart.js in a release: what the app uses of it, in a file that is loaded with the first chart. In the sources, charts/library.js loads
// the package's script.

let loading = null;

/** Resolves with Chart.js' `Chart`. */
export async function loadCharts() {
  loading ??= import("./chartparts.js");
  try {
    return (await loading).Chart;
  } catch {
    loading = null;
    throw new Error("Couldn't load the charts.");
  }
}
