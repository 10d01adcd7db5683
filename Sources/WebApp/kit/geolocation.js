// The browser's geolocation, with a sentence for each failure.

const watchOptions = { enableHighAccuracy: true, maximumAge: 0, timeout: 30_000 };
const nowOptions = { maximumAge: 10_000, timeout: 20_000 };
const timestampSkewMillisecondsMax = 24 * 3600 * 1000;

const problems = {
  insecure: "Location needs a secure page. Open Campanile over https, or on this computer through localhost.",
  unsupported: "This browser doesn't support location. Use a phone or another browser.",
  denied: "Location is blocked for this site. Allow it in the browser's site settings (the icon beside the address), then try again.",
  off: "Your location is off. Turn it on in Settings, under Location.",
  unavailable: "No location yet. Turn on location services or step outside.",
};

let isOff = false;
/** How to end each watch that runs, by its `trouble`. */
const watches = new Map();

/** Switches the location off for the whole app, or on again (C-6). Watches that run end with the trouble `off`. */
export function setLocationOff(isSwitchedOff) {
  isOff = isSwitchedOff;
  if (!isOff) return;
  for (const [trouble, stop] of watches) {
    stop();
    trouble({ code: "off", text: problems.off });
  }
}

/** The reason why positions cannot be watched at all, as `{code, text}`, or null. */
export function geolocationProblem() {
  if (isOff) return { code: "off", text: problems.off };
  if (!isSecureContext) return { code: "insecure", text: problems.insecure };
  if (!navigator.geolocation) return { code: "unsupported", text: problems.unsupported };
  return null;
}

/**
 * Watches the position: calls `fix({lat, lon, accuracy, altitude, speed, heading, time})` with a local time in ms, and
 * `trouble({code, text})`. Without `isExact` positions are coarse, which is enough for shares of a building, and spares the battery.
 * Returns a function that stops it.
 */
export function watchPosition(fix, trouble, { isExact = true } = {}) {
  const problem = geolocationProblem();
  if (problem) {
    trouble(problem);
    return () => {};
  }
  const options = { ...watchOptions, enableHighAccuracy: isExact };
  const id = navigator.geolocation.watchPosition((position) => fix(asFix(position)), (error) => trouble(asTrouble(error)), options);
  const said = (problemOfWatch) => trouble(problemOfWatch);
  const stop = () => {
    watches.delete(said);
    navigator.geolocation.clearWatch(id);
  };
  watches.set(said, stop);
  return stop;
}

/** The position once; rejects with `{code, text}`, which has a `message` too. */
export function positionNow({ isExact = true } = {}) {
  return new Promise((resolve, reject) => {
    const fail = (trouble) => reject(Object.assign(new Error(trouble.text), trouble));
    const problem = geolocationProblem();
    if (problem) return fail(problem);
    const options = { ...nowOptions, enableHighAccuracy: isExact };
    navigator.geolocation.getCurrentPosition((position) => resolve(asFix(position)), (error) => fail(asTrouble(error)), options);
    return undefined;
  });
}

function asFix({ coords, timestamp }) {
  const now = Date.now();
  // Some devices count their timestamps from another epoch.
  const time = Math.abs(timestamp - now) < timestampSkewMillisecondsMax ? timestamp : now;
  const { latitude: lat, longitude: lon, accuracy, altitude, speed, heading } = coords;
  return { lat, lon, accuracy, altitude, speed, heading, time };
}

function asTrouble(error) {
  const code = error.code === error.PERMISSION_DENIED ? "denied" : "unavailable";
  return { code, text: problems[code] };
}

/** Keeps the screen on after `keep(true)`. The lock is taken again when the page is shown again, until `close()`. */
export class ScreenWake {
  #wanted = false;
  #lock = null;
  #isTaking = false;
  #end = new AbortController();

  constructor() {
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.#take(); },
      { signal: this.#end.signal });
  }

  keep(wanted) {
    this.#wanted = wanted;
    if (wanted) this.#take();
    else this.#release();
  }

  close() {
    this.#end.abort();
    this.keep(false);
  }

  #release() {
    this.#lock?.release().catch(() => {});
    this.#lock = null;
  }

  async #take() {
    if (!this.#wanted || this.#isTaking || !navigator.wakeLock || (this.#lock && !this.#lock.released)) return;
    this.#isTaking = true;
    try {
      this.#lock = await navigator.wakeLock.request("screen");
    } catch {
      // Low battery or not allowed: tracking works without it.
    }
    this.#isTaking = false;
    // Wanted no more since it was asked for.
    if (!this.#wanted) this.#release();
  }
}
