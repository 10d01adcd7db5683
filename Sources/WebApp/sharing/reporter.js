// Reports of this device's position to the server, only while somebody may see it. No DOM of its own.

import { watchPosition, positionNow } from "../kit/geolocation.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { askMilliseconds, dutyOf, isLow, pinReport, reportOf, settingsInForce, waitFor, waitOf } from "./reportplan.js";

const lockName = "campanile-reporter";
/** The account for which this browser was chosen to report. */
const hereKey = "campanile.tellsWhere";
/** Written whenever a tab has changed the privacy settings, so that the other tabs get a `storage` event. */
const privacyKey = "campanile.privacyChanged";
const failedMilliseconds = 5_000;
const lateMilliseconds = 60_000;
/** As on the server: a pin holds so long against everything else. */
const pinMilliseconds = 2 * 3600_000;
const pinAskedMilliseconds = 60_000;

/** Emits `change` when anything shown changed, and `settings` when those of privacy were loaded or changed. */
export class Reporter extends EventTarget {
  /** What this device does, as `dutyOf` says; `otherTab` when another tab of this browser does it. */
  duty = "off";
  /** The last fix with its local time; null before one. */
  fix = null;
  /** Why nothing is reported: `{code, text}`, or null. */
  trouble = null;
  /** Where the server has one, and what others see of it: `MyLocation`, or null. */
  mine = null;
  /** Local ms of the last report that was taken. */
  toldAt = null;
  /** Seconds without a report while the page was in the background; null if there were none. */
  missedSeconds = null;
  /** Whether the battery is spared. */
  isSparing = false;

  #net;
  #sharing;
  #tracker;
  #account = null;
  /** When this browser was chosen to report, by `performance.now()`, as far as this tab knows. */
  #hereAt = -Infinity;
  #settings = null;
  /** Of the requests for settings, and of what came meanwhile, the last counts. */
  #settingsTurn = 0;
  #settingsTimer = 0;
  #followTimer = 0;
  #stopWatching = null;
  #isExact = null;
  #told = null;
  #timer = 0;
  #askTimer = 0;
  #pinTimer = 0;
  #isSending = false;
  #release = null;
  /** The turn in which this tab has the lock, or waits for it; 0 when it does neither. */
  #lock = 0;
  #locks = 0;
  #abort = () => {};
  #hiddenAt = null;
  #mayAsk = null;

  constructor(net, sharing, tracker) {
    super();
    this.#net = net;
    this.#sharing = sharing;
    this.#tracker = tracker;
    sharing.addEventListener("change", () => this.#update());
    sharing.addEventListener("loaded", ({ detail: { askedAt } }) => this.#sharesLoaded(askedAt));
    sharing.addEventListener("privacy", () => this.#loadSettings());
    followWaiting(net.writes, ({ method }) => method === "privacy.saveSettings", () => this.#loadSettings());
    tracker.addEventListener("change", () => this.#update());
    net.addEventListener("account", () => this.#useAccount());
    net.addEventListener("state", () => {
      if (net.state === "live") this.#loaded();
      this.#update();
    });
    document.addEventListener("visibilitychange", () => this.#visibility());
    addEventListener("storage", ({ key }) => {
      if (key === privacyKey) this.#loadSettings();
      if (key === hereKey) this.#chosen();
    });
    navigator.permissions?.query({ name: "geolocation" }).then((status) => {
      this.#mayAsk = status;
      status.addEventListener("change", () => this.again());
      this.#update();
    }, () => {});
    navigator.getBattery?.().then((battery) => {
      const changed = () => {
        this.isSparing = isLow(battery);
        this.#update();
      };
      for (const name of ["levelchange", "chargingchange"]) battery.addEventListener(name, changed);
      changed();
    }, () => {});
    this.#useAccount();
  }

  /** Whether this device reports the position of its owner. Of several devices, the one that begins a share is chosen. */
  get isHere() {
    return this.#account !== null && localStorage.getItem(hereKey) === String(this.#account);
  }

  /** By a tap of the person: the browser may ask now. */
  setHere(isHere) {
    if (isHere) localStorage.setItem(hereKey, String(this.#account));
    else localStorage.removeItem(hereKey);
    this.#told = null;
    this.#chosen();
  }

  #chosen() {
    this.#hereAt = performance.now();
    this.#update();
  }

  /** What is shown and kept, as `settingsInForce` has it; null while it is not known. */
  get settings() {
    return this.#settings;
  }

  /** Takes the settings as they are now, or null. */
  useSettings(settings) {
    this.#settingsTurn += 1;
    this.#settings = settings && settingsInForce(this.#net.writes, settings);
    this.dispatchEvent(new Event("settings"));
    this.#update();
  }

  /** Takes settings that were changed here, and signals the other tabs. */
  changedSettings(settings) {
    localStorage.setItem(privacyKey, `${Date.now()}.${Math.random()}`);
    this.useSettings(settings);
  }

  /** Asks the browser again, after a refusal. */
  again() {
    this.#unwatch();
    this.trouble = null;
    this.#update();
  }

  /** Whether a pin holds that was set by hand. */
  get isPinned() {
    const { location } = this.mine ?? {};
    return location?.source === "manual" && this.#net.clock.now() - Date.parse(location.at) < pinMilliseconds;
  }

  /** Whether it is sure that nobody else sees where this device is: nothing is shared, counted, recorded or about to end. */
  get isUnseen() {
    if (this.#account === null) return true;
    const { isLoaded } = this.#sharing;
    return this.#net.state === "live" && isLoaded && this.duty === "off" && !this.isPinned && this.#tracker.isKnown
      && !this.#tracker.hasSession;
  }

  /** Whether this device may report again after the stopped shares have ended: for another share, a session, or the heatmap. */
  get goesOn() {
    return this.#sharing.working.length > 0 || this.#tracker.record !== null || this.#isCounted;
  }

  get #isCounted() {
    // Being counted, and having visits noted, is no reason to have the browser ask.
    return (this.#settings?.heatmap === true || this.#settings?.visits === true) && this.#mayAsk?.state === "granted";
  }

  /** Sets a pin. */
  async pin(where) {
    await this.#report(pinReport(where));
  }

  /** Removes the pin, or any position that the server has; the device's fixes are reported again. */
  async clear() {
    this.#takeMine(await this.#net.request("location.clear"));
    this.#told = null;
    this.#update();
  }

  /** Makes sure that the server has the current position of this device, for an answer that is sent once. */
  async tellOnce() {
    if (this.isPinned || (this.toldAt !== null && Date.now() - this.toldAt < lateMilliseconds)) return;
    const fix = await positionNow();
    const report = reportOf(fix, (time) => this.#net.clock.toServer(time), Date.now());
    if (!report) throw new Error("This device only has an old location. Turn on location services and try again.");
    this.fix = fix;
    await this.#report(report);
  }

  async loadMine() {
    try {
      this.#takeMine(await this.#net.request("location.mine"));
    } catch {
      // Sent with the next report; a pin is asked about with the next connection.
    }
  }

  #takeMine(mine) {
    this.mine = mine;
    clearTimeout(this.#pinTimer);
    // Its time may be over, or another device may have cleared it.
    if (this.isPinned) this.#pinTimer = setTimeout(() => this.loadMine(), pinAskedMilliseconds);
    this.#update();
    this.#changed();
  }

  async #report(report) {
    this.#takeMine(await this.#net.request("location.report", report));
    this.toldAt = Date.now();
    this.missedSeconds = null;
  }

  #useAccount() {
    const account = this.#net.account?.id ?? null;
    if (account === this.#account) return;
    this.#account = account;
    for (const timer of [this.#pinTimer, this.#settingsTimer]) clearTimeout(timer);
    [this.mine, this.fix, this.#told, this.toldAt, this.missedSeconds, this.#settings] = [null, null, null, null, null, null];
    if (this.#net.state === "live") this.#loaded();
    this.#update();
  }

  #loaded() {
    if (this.#account === null) return;
    this.loadMine();
    this.#loadSettings();
  }

  async #loadSettings() {
    const account = this.#account;
    if (account === null) return;
    const turn = ++this.#settingsTurn;
    const isLast = () => account === this.#account && turn === this.#settingsTurn;
    clearTimeout(this.#settingsTimer);
    try {
      const settings = await this.#net.request("privacy.settings");
      if (isLast()) this.useSettings(settings);
    } catch (error) {
      if (!isLast()) return;
      // Without it nothing is counted from here: another device may have switched it off. The next connection asks again.
      this.useSettings(null);
      if (!error.isTransient) return;
      this.#settingsTimer = setTimeout(() => { if (this.#net.state === "live") this.#loadSettings(); }, failedMilliseconds);
    }
  }

  /** Takes the server's current list. Without a share the next one chooses its device again; a tab that slept may not know of it. */
  #sharesLoaded(askedAt) {
    const { shares } = this.#sharing;
    if (shares.length === 0 && this.isHere && !this.#sharing.isStopping() && askedAt > this.#hereAt) localStorage.removeItem(hereKey);
    // The end of the shares may have removed the pin.
    if (this.isPinned) this.loadMine();
  }

  #update() {
    const { working } = this.#sharing;
    const isSharing = working.some(({ isKept }) => !isKept);
    const duty = this.#account === null ? "off" : dutyOf({
      isSharing, isUnsure: working.length > 0, isCounted: this.#isCounted, isRecording: this.#tracker.record?.state === "running",
      isPinned: this.isPinned, isHere: this.isHere, isStopping: this.#sharing.isStopping(),
    });
    if (duty === "tell") this.#take();
    else this.#giveUp();
    const shown = duty === "tell" && this.#release === null ? "otherTab" : duty;
    if (shown === "tell") this.#watch();
    else this.#unwatch();
    if (shown !== "tell") this.trouble = null;
    if (shown === this.duty) return;
    this.duty = shown;
    this.#follow(shown === "elsewhere");
    this.#changed();
  }

  /** Only a request shows whether another device reports. */
  #follow(isElsewhere) {
    clearInterval(this.#followTimer);
    if (!isElsewhere) return;
    const look = () => { if (document.visibilityState === "visible" && this.#net.state === "live") this.loadMine(); };
    this.#followTimer = setInterval(look, askMilliseconds);
    look();
  }

  /** One tab of a browser does it: the one that is looked at. */
  #take({ steal = document.visibilityState === "visible" } = {}) {
    if (this.#release || this.#lock > 0) return;
    if (!navigator.locks) {
      this.#release = () => {};
      return;
    }
    const turn = ++this.#locks;
    this.#lock = turn;
    const abort = new AbortController();
    this.#abort = () => abort.abort();
    navigator.locks.request(lockName, steal ? { steal: true } : { signal: abort.signal }, () => new Promise((release) => {
      if (this.#lock !== turn) return release();
      this.#release = release;
      this.#update();
      return undefined;
    })).catch(() => {}).finally(() => {
      if (this.#lock !== turn) return;
      // Another tab has taken it: waits for its turn.
      [this.#lock, this.#release] = [0, null];
      if (this.duty !== "off") this.#take({ steal: false });
      this.#update();
    });
  }

  #giveUp() {
    if (this.#lock === 0 && !this.#release) return;
    const release = this.#release;
    [this.#lock, this.#release] = [0, null];
    this.#abort();
    release?.();
  }

  #watch() {
    // A satellite receiver costs the battery what only an exact share is worth.
    const isExact = !this.isSparing && this.#sharing.working.some(({ precision }) => precision === "exact" || precision === "building");
    if (this.#stopWatching && isExact === this.#isExact) return;
    this.#unwatch();
    this.#isExact = isExact;
    this.#stopWatching = watchPosition((fix) => this.#found(fix), (trouble) => this.#failed(trouble), { isExact });
    this.#askTimer = setInterval(() => this.#askStill(), askMilliseconds);
  }

  #unwatch() {
    this.#stopWatching?.();
    this.#stopWatching = null;
    clearTimeout(this.#timer);
    clearInterval(this.#askTimer);
    this.#timer = 0;
  }

  /** Browsers send no fix while a device lies still. They are asked for one, so that the report stays current. */
  async #askStill() {
    if (this.fix && Date.now() - this.fix.time < askMilliseconds / 2) return;
    try {
      const fix = await positionNow({ isExact: this.#isExact });
      if (this.#stopWatching) this.#found(fix);
    } catch (trouble) {
      if (this.#stopWatching && trouble.code) this.#failed(trouble);
    }
  }

  #found(fix) {
    this.trouble = null;
    this.fix = fix;
    this.#changed();
    this.#schedule();
  }

  #failed(trouble) {
    if (this.trouble?.code === trouble.code) return;
    this.trouble = trouble;
    this.#changed();
  }

  #schedule(min = 0) {
    clearTimeout(this.#timer);
    const wait = waitFor(this.fix, this.#told, Date.now(), { isHidden: document.visibilityState === "hidden", isSparing: this.isSparing });
    this.#timer = setTimeout(() => this.#tell(), Math.max(min, wait));
  }

  async #tell() {
    const { fix } = this;
    const report = fix && reportOf(fix, (time) => this.#net.clock.toServer(time), Date.now());
    // Only the newest position is reported: there is no queue.
    if (!report || this.#isSending || !this.#stopWatching || this.#net.state !== "live" || this.#sharing.isStopping()) return;
    this.#isSending = true;
    try {
      await this.#report(report);
      this.#told = { lat: fix.lat, lon: fix.lon, at: Date.now() };
      if (this.fix !== fix) this.#schedule();
    } catch (error) {
      if (!error.isTransient) this.#failed({ code: "refused", text: error.message });
      if (!error.isOffline && this.#stopWatching) this.#schedule(Math.max(failedMilliseconds, waitOf(error)));
    } finally {
      this.#isSending = false;
    }
  }

  #visibility() {
    if (document.visibilityState === "hidden") {
      this.#hiddenAt = this.duty === "tell" ? Date.now() : null;
      return;
    }
    const last = this.toldAt ?? this.#hiddenAt;
    const missed = this.#hiddenAt !== null && this.duty !== "off" && last !== null ? Date.now() - Math.max(last, this.#hiddenAt) : 0;
    this.missedSeconds = missed > lateMilliseconds ? missed / 1000 : null;
    this.#hiddenAt = null;
    // This one is looked at now.
    if (this.duty === "otherTab") this.#giveUp();
    this.#told = null;
    this.#update();
    if (this.#stopWatching) this.#askStill();
    if (this.duty === "elsewhere") this.#follow(true);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
