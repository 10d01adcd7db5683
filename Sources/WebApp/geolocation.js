// The browser's geolocation, with words for what can go wrong.

const watchOptions = { enableHighAccuracy: true, maximumAge: 0, timeout: 30_000 };
const timestampSkewMillisecondsMax = 24 * 3600 * 1000;

const problems = {
  insecure: "Location needs a secure page. Open Campanile over https, or on this machine through localhost.",
  unsupported: "This browser has no location service. Use a phone or another browser.",
  denied: "Location is blocked for this site. Allow it in the browser's site settings (the icon beside the address), then try again.",
  unavailable: "No position yet. Turn on location services and, if you can, step outside; tracking goes on by itself.",
};

/** Why watching cannot even begin: `{code, text}`, or null. */
export function geolocationProblem() {
  if (!isSecureContext) return { code: "insecure", text: problems.insecure };
  if (!navigator.geolocation) return { code: "unsupported", text: problems.unsupported };
  return null;
}

/** Watches the position; `fix({lat, lon, accuracy, altitude, speed, heading, time})` with a local time in ms, `trouble({code, text})`. Returns how to stop. */
export function watchPosition(fix, trouble) {
  const problem = geolocationProblem();
  if (problem) {
    trouble(problem);
    return () => {};
  }
  const id = navigator.geolocation.watchPosition(({ coords, timestamp }) => {
    const now = Date.now();
    // Some devices count their timestamps from another epoch.
    const time = Math.abs(timestamp - now) < timestampSkewMillisecondsMax ? timestamp : now;
    fix({ lat: coords.latitude, lon: coords.longitude, accuracy: coords.accuracy, altitude: coords.altitude, speed: coords.speed, heading: coords.heading, time });
  }, (error) => {
    const code = error.code === error.PERMISSION_DENIED ? "denied" : "unavailable";
    trouble({ code, text: problems[code] });
  }, watchOptions);
  return () => navigator.geolocation.clearWatch(id);
}

/** Keeps the screen on while `on(true)`; taken again when the page is shown again. */
export class ScreenWake {
  #wanted = false;
  #lock = null;

  constructor() {
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.#take(); });
  }

  keep(wanted) {
    this.#wanted = wanted;
    if (wanted) this.#take();
    else {
      this.#lock?.release().catch(() => {});
      this.#lock = null;
    }
  }

  async #take() {
    if (!this.#wanted || !navigator.wakeLock || (this.#lock && !this.#lock.released)) return;
    try {
      this.#lock = await navigator.wakeLock.request("screen");
    } catch {
      // Low battery or not allowed: tracking works without it.
    }
  }
}
