// The service worker, which keeps the app for offline use.

import { toast } from "../kit/dom.js";

/** The files that the worker keeps would delay those that the page is loading. */
const workerAfterMilliseconds = 3_000;

/** Registers the worker some time after the connection. */
export function startServiceWorker(net) {
  const whenConnected = () => {
    if (net.state !== "live") return;
    net.removeEventListener("state", whenConnected);
    setTimeout(register, workerAfterMilliseconds);
  };
  net.addEventListener("state", whenConnected);
  whenConnected();
}

function register() {
  navigator.serviceWorker?.register("/sw.js").then((registration) => {
    registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker?.addEventListener("statechange", () => {
        if (worker.state !== "installed" || !navigator.serviceWorker.controller) return;
        toast("A new version of Campanile is ready.", { seconds: 30, action: { label: "Reload", run: () => location.reload() } });
      });
    });
  }).catch(() => {});
}
