// The service worker, which keeps the app for offline use.

import { toast } from "../kit/dom.js";

/** The worker's copies for later would take the line from what is looked at now. */
const workerAfterMilliseconds = 3_000;

/** Registers the worker some time after the connection, and opens what its notifications are about. */
export function startServiceWorker({ net, router }) {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (data?.type === "open" && router.match(new URL(data.path, location.origin).pathname)) router.go(data.path);
  });
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
