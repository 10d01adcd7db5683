// The service worker, which keeps the app for offline use, and the notice of a new version of the app.

import { toast } from "../kit/dom.js";
import { NewVersion } from "./newversion.js";

/** The files that the worker keeps would delay those that the page is loading. */
const workerAfterMilliseconds = 3_000;
/** A reload needs no worker: over a slow network the notice does not wait for all files. */
const updateMillisecondsMax = 20_000;

const reload = { label: "Update", run: () => location.reload() };
const notices = {
  ready: "A new version of Campanile is ready.",
  outdated: "This version of Campanile is too old. What you did offline is still sent. Update to go on.",
};

/** Registers the worker some time after the connection, and shows when there is a new version. */
export function startServiceWorker(net) {
  const own = document.querySelector('meta[name="campanile-version"]')?.getAttribute("content") ?? null;
  const version = new NewVersion({
    own, net, update: updateWorker, show: (kind) => toast(notices[kind], { key: "version", seconds: null, action: reload }),
  });
  const whenConnected = () => {
    if (net.state !== "live") return;
    net.removeEventListener("state", whenConnected);
    setTimeout(() => register(version), workerAfterMilliseconds);
  };
  net.addEventListener("state", whenConnected);
  whenConnected();
}

function register(version) {
  navigator.serviceWorker?.register("/sw.js").then((registration) => {
    registration.addEventListener("updatefound", () => {
      // The first worker of a browser is no update.
      if (navigator.serviceWorker.controller) whenInstalled(registration.installing).then((isThere) => isThere && version.found());
    });
  }).catch(() => {});
}

/** Has the worker of the new version fetch its files. */
async function updateWorker() {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => null);
  if (!registration) return;
  await registration.update().catch(() => {});
  const late = new Promise((resolve) => { setTimeout(resolve, updateMillisecondsMax); });
  if (registration.installing) await Promise.race([whenInstalled(registration.installing), late]);
}

/** Whether the worker was installed, when that is decided. */
function whenInstalled(worker) {
  return new Promise((resolve) => {
    const look = () => {
      if (!worker || worker.state === "redundant") resolve(false);
      else if (worker.state !== "installing") resolve(true);
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}
