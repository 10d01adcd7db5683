// The reader on the live map: the position that the server has or this device finds, and a pin set by hand.

import { announce, h, keepFocus, setText, toast } from "../kit/dom.js";
import { geolocationProblem, watchPosition } from "../kit/geolocation.js";
import { mayAnimate } from "../map/animation.js";
import { KeyedChildren } from "../kit/keyed.js";
import { mapButton } from "../map/tools.js";
import { MyMark } from "../map/mymark.js";
import { latestPosition, noteText, whereText } from "./myposition.js";

const myZoomMin = 16;
/** A finger covers about as many pixels. */
const fingerPixels = 12;
/** Nearer than this part of the campus's size to it, the reader is still shown on its map. */
const nearPadding = 0.5;
const drawMilliseconds = 1_000;

/**
 * Makes the reader's part of the map. `offset()` is the middle of the part that panels leave free; `onMove()` is called before the map
 * moves, `onPinning(isPinning)` as setting a pin begins and ends; `opener(button)` gets the focus back.
 */
export function makeMapMe(app, { offset, onMove = () => {}, onPinning = () => {}, opener = (button) => button }) {
  return new MapMe(app, { offset, onMove, onPinning, opener });
}

/** The reader on the map: `locate` and `pin` are buttons, `note` lies over the map. */
class MapMe {
  locate; pin; note;

  #app; #net; #reporter; #tracker; #offset; #onMove; #onPinning; #opener;
  #ending = new AbortController();
  #ticker = setInterval(() => this.#draw(), drawMilliseconds);
  #view = null;
  #mark = null;
  /** The last fix of this device for the reader alone. */
  #found = null;
  /** Ends watching the position for the reader; null while nobody asked for it. */
  #stopWatching = null;
  #isPinning = false;
  /** The kind of the last announcement of the note, or null. */
  #announced = null;
  #words = h("span", { class: "grow" });
  #actions = h("span", { class: "row" });
  #buttons = new KeyedChildren(this.#actions);

  constructor(app, { offset, onMove, onPinning, opener }) {
    this.#app = app;
    this.#net = app.net;
    this.#reporter = app.reporter;
    this.#tracker = app.tracker;
    this.#offset = offset;
    this.#onMove = onMove;
    this.#onPinning = onPinning;
    this.#opener = opener;
    this.locate = mapButton({ id: "locate", label: "My location", iconName: "here", onclick: () => this.#look() });
    this.pin = mapButton({
      id: "pin", label: "Set my location with a pin", iconName: "pin", "aria-pressed": "false",
      onclick: () => this.#setPinning(!this.#isPinning),
    });
    // No live region: its text has an age, which changes each second. Each new kind of text is announced.
    this.note = h("div", { class: "map-note", id: "map-note", hidden: true }, this.#words, this.#actions);
    const { signal } = this.#ending;
    this.#reporter.addEventListener("change", () => this.#draw(), { signal });
    addEventListener("keydown", (event) => this.#escape(event), { capture: true, signal });
  }

  /** Whether the next tap on the map sets a pin. */
  get isPinning() { return this.#isPinning; }

  /** Gives it the map, once that is there. */
  attach(view) {
    this.#view = view;
    this.#mark = new MyMark(view);
    view.map.on("click", ({ latlng }) => { if (this.#isPinning) this.#setPin(latlng); });
    view.map.on("moveend", () => { if (!this.note.hidden) this.#draw(); });
    view.whenThemeChanges(() => this.#draw());
    this.#draw();
  }

  /** The dot as drawn, `{lat, lon, radius}` or null, for tests. */
  shown() {
    return this.#mark?.shown() ?? null;
  }

  close() {
    clearInterval(this.#ticker);
    this.#ending.abort();
    this.#stopWatching?.();
  }

  /** A pin and positions that were reported come from the server, others from this device for the reader alone. */
  #here() {
    const { mine, isPinned, fix } = this.#reporter;
    return latestPosition({
      location: mine?.location ?? null, isPinned, fixes: [fix, this.#tracker.fix, this.#found], clockOffset: this.#net.clock.offset,
    });
  }

  // MARK: drawing

  #draw() {
    const here = this.#here();
    // When a button of the note goes, the map's button that began its work gets the focus.
    const began = document.activeElement?.id.startsWith("pin-") ? this.pin : this.locate;
    keepFocus(this.note, () => this.#drawNote(here), () => this.#opener(began));
    this.#mark?.draw(here);
  }

  #drawNote(here) {
    const { isPinned } = this.#reporter;
    const isPinning = this.#isPinning;
    const isShown = isPinning || this.#stopWatching !== null || isPinned;
    this.note.hidden = !isShown;
    this.note.classList.toggle("is-pinning", isPinning);
    this.pin.setAttribute("aria-pressed", String(isPinning));
    // Setting a pin announces itself.
    if (!isShown || isPinning || isPinned) this.#announced = null;
    if (!isShown) return;
    if (isPinning) this.#sayHowToPin();
    else if (here) this.#sayWhere(here);
    else {
      this.#announce("looking", "Finding your location…");
      this.#say("Finding your location…", [["locate-off", "Stop", () => this.#stopLooking()]]);
    }
  }

  #sayHowToPin() {
    this.#say("Tap the map where you are. Lasts 2 hours, or until you clear it.", [
      ["pin-middle", "Use map centre", () => {
        const { map } = this.#view;
        this.#setPin(map.containerPointToLatLng(map.getSize().divideBy(2).add(this.#offset())));
      }],
      ["pin-cancel", "Cancel", () => this.#setPinning(false)]]);
  }

  #sayWhere(here) {
    const { isPinned, isUnseen, duty, mine } = this.#reporter;
    // As the server answered the last report of this device; points of a session are sent in another way.
    const isReported = ["tell", "pinned"].includes(duty) && !this.#tracker.hasSession;
    const isHidden = Boolean(isReported && mine?.hidden);
    const away = this.#distanceAway(here);
    this.#tracker.askCurrent();
    const seconds = (this.#net.clock.now() - here.time) / 1000;
    if (!isPinned) this.#announce(isHidden ? "hidden" : "found", `${whereText(here, away)}.${isHidden ? " Nobody sees you here." : ""}`);
    const end = isPinned
      ? ["pin-clear", "Clear pin", () => this.#clear()]
      : ["locate-off", "Hide", () => this.#stopLooking()];
    this.#say(noteText({ here, away, seconds, isHidden, isUnseen }), away === null ? [end] : [this.#journey(here), end]);
  }

  /** Announces the note's text if it is of another kind than before. */
  #announce(kind, text) {
    if (this.#announced !== kind) announce(text);
    this.#announced = kind;
  }

  /** Shows a text with buttons, `[id, label, run]` each. */
  #say(text, buttons) {
    setText(this.#words, text);
    this.#buttons.draw(buttons.map(([id, label, run]) => ({
      key: id, sig: "", set: (element) => setText(element, label),
      make: () => h("button", { class: "button small-button", type: "button", id, onclick: run }),
    })));
  }

  /** Metres from the campus's border to a position that is well outside of it, else null. */
  #distanceAway({ lat, lon }) {
    const bounds = this.#view?.bounds;
    if (!bounds || bounds.pad(nearPadding).contains([lat, lon])) return null;
    const nearest = [
      Math.min(bounds.getNorth(), Math.max(bounds.getSouth(), lat)), Math.min(bounds.getEast(), Math.max(bounds.getWest(), lon)),
    ];
    return this.#view.map.distance([lat, lon], nearest);
  }

  /** A button to the reader while the map shows the campus, and one back to the campus while it does not. */
  #journey(here) {
    const { map, bounds } = this.#view;
    if (map.getBounds().intersects(bounds)) return ["locate-go", "Show me there", () => this.#goTo(this.#here() ?? here)];
    return ["locate-back", "Back to campus", () => {
      this.#onMove();
      this.#view.fitCampus();
    }];
  }

  // MARK: finding the reader

  #look() {
    this.#tracker.askCurrent();
    const problem = geolocationProblem();
    if (problem && !this.#here()) return this.#sayTrouble(problem.text);
    this.#stopWatching ??= problem ? () => {} : this.#watch();
    this.#centre();
    return this.#draw();
  }

  #watch() {
    let isFirst = true;
    return watchPosition((fix) => {
      this.#found = fix;
      this.#draw();
      if (isFirst) this.#centre();
      isFirst = false;
    }, (trouble) => {
      if (!this.#here()) this.#sayTrouble(trouble.text);
      if (["denied", "off"].includes(trouble.code)) this.#stopLooking();
    });
  }

  /** Without a position, the home location is the place to begin with (C-2). */
  async #sayTrouble(text) {
    let home = null;
    try {
      if (this.#net.account) ({ home = null } = (await this.#net.request("account.profile")).profile);
    } catch {
      // The trouble is what matters.
    }
    if (this.#ending.signal.aborted) return;
    const action = home && this.#view ? { label: "Show home", run: () => this.#goTo(home) } : null;
    toast(text, { key: "locate", action });
  }

  #stopLooking() {
    this.#stopWatching?.();
    this.#stopWatching = null;
    this.#found = null;
    this.#draw();
  }

  /** Moves the map to the reader, unless they are off the campus: then the map stays, and the note has the distance. */
  #centre() {
    const here = this.#here();
    if (this.#view && here && this.#distanceAway(here) === null) this.#goTo(here);
  }

  #goTo({ lat, lon }) {
    const { map } = this.#view;
    this.#onMove();
    const zoom = Math.max(map.getZoom(), myZoomMin);
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(this.#offset()), zoom), zoom, { animate: mayAnimate() });
  }

  // MARK: the pin

  #setPinning(on) {
    if (on && !this.#net.account) {
      return toast("Log in to set your location.", { key: "pin" });
    }
    if (on !== this.#isPinning) this.#onPinning(on);
    this.#isPinning = on;
    this.#view?.map.getContainer().classList.toggle("pins", on);
    if (on) announce("Tap the map where you are.");
    return this.#draw();
  }

  async #setPin({ lat, lng }) {
    this.#setPinning(false);
    const { map } = this.#view;
    const point = map.latLngToContainerPoint([lat, lng]);
    const accuracy = map.distance([lat, lng], map.containerPointToLatLng(point.add([fingerPixels, 0])));
    try {
      await this.#reporter.pin({ lat, lon: lng, accuracy });
      announce("Pin set.");
      const { sharing } = this.#app;
      if (sharing.isLoaded && sharing.working.length === 0 && !sharing.isStopping()) {
        toast("Pin set. Nobody sees it until you share your location.", { key: "pin" });
      }
    } catch (error) {
      toast(error.message);
    }
    this.#draw();
  }

  async #clear() {
    try {
      await this.#reporter.clear();
      announce("Pin cleared.");
    } catch (error) {
      toast(error.message);
    }
    this.#draw();
  }

  #escape(event) {
    if (event.key !== "Escape" || !this.#isPinning || document.querySelector("dialog[open]")) return;
    event.stopImmediatePropagation();
    this.#setPinning(false);
    this.#opener(this.pin).focus({ preventScroll: true });
  }
}
