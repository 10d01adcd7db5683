// Loads Chart.js with the first chart: the script of the distribution's package. A release has deploy/charts/library.js in the place of
// this module.

let loading = null;

/** Resolves with Chart.js' `Chart`. */
export function loadCharts() {
  loading ??= load();
  return loading;
}

async function load() {
  const script = document.createElement("script");
  script.src = "/lib/chart.js/chart.min.js";
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
  });
  document.head.append(script);
  try {
    await loaded;
    return /** @type {any} */ (globalThis).Chart;
  } catch {
    loading = null;
    script.remove();
    throw new Error("Couldn't load the charts.");
  }
}
