// Where the reader is, on the live map: what the server has or this device finds, with its accuracy, and a pin set by hand.

import { announce, h, keepFocus, setText, toast } from "../kit/dom.js";
import { ago, distanceText } from "../kit/format.js";
import { geolocationProblem, watchPosition } from "../kit/geolocation.js";
import { mayAnimate } from "../map/mapview.js";
import { metresText, sourceText } from "../sharing/words.js";
import { sourceOf } from "../sharing/reportplan.js";
import { token } from "../kit/theme.js";
import { KeyedChildren } from "../kit/keyed.js";
import { mapButton } from "../map/tools.js";

const myZoomMin = 16;
/** A finger covers about as many pixels. */
const fingerPixels = 12;
/** Nearer than this part of the campus's size to it, one is still shown on its map. */
const nearPadding = 0.5;
const drawMilliseconds = 1_000;

/**
 * `{locate, pin, note, attach(view), close}`: two buttons, and a note over the map. `offset()` is the middle of what panels leave free;
 * `onMove()` is called before the map moves, `onPinning(isPinning)` as setting a pin begins and ends; `opener(button)` gets the focus back.
 */
export function makeMapMe(app, { offset, onMove = () => {}, onPinning = () => {}, opener = (button) => button }) {
  const { net, reporter, tracker } = app;
  let view = null;
  let marks = null;
  let found = null;
  let stopWatching = null;
  let isPinning = false;
  let isDrawn = "";

  const locate = mapButton({ id: "locate", label: "Show where I am", iconName: "here", onclick: () => look() });
  const pin = mapButton({ id: "pin", label: "Set where I am by hand", iconName: "pin", "aria-pressed": "false", onclick: () => setPinning(!isPinning) });
  const words = h("span", { class: "grow" });
  const actions = h("span", { class: "row" });
  const buttons = new KeyedChildren(actions);
  // No live region: it tells an age, each second. What begins is announced.
  const note = h("div", { class: "map-note", id: "map-note", hidden: true }, words, actions);

  /** What is known: a pin and what is told come from the server, else what this device finds for the reader alone. */
  function mine() {
    const { mine: told } = reporter;
    const fix = [reporter.fix, tracker.fix, found].filter(Boolean).sort((one, other) => other.time - one.time)[0] ?? null;
    if (told?.location && (reporter.isPinned || !fix || Date.parse(told.location.at) > fix.time + net.clock.offset + 5_000)) {
      return { ...told.location, time: Date.parse(told.location.at) };
    }
    return fix ? { lat: fix.lat, lon: fix.lon, accuracy: fix.accuracy, source: sourceOf(fix.accuracy), time: fix.time + net.clock.offset } : null;
  }

  function draw() {
    const here = mine();
    // What its button began is to be begun again by the button of the map.
    const began = document.activeElement?.id.startsWith("pin-") ? pin : locate;
    keepFocus(note, () => drawNote(here), () => opener(began));
    if (!view) return;
    if (!here) {
      marks?.forEach((mark) => mark.remove());
      marks = null;
      isDrawn = "";
      return;
    }
    const colour = token("--read");
    const key = JSON.stringify([here.lat, here.lon, here.accuracy, colour]);
    if (key === isDrawn) return;
    isDrawn = key;
    const { L, map } = view;
    marks ??= [L.circle([0, 0], { radius: 1, interactive: false, className: "me-accuracy" }).addTo(map), L.circleMarker([0, 0], { radius: 8, interactive: false, className: "me-dot" }).addTo(map)];
    const [circle, dot] = marks;
    for (const mark of marks) mark.setLatLng([here.lat, here.lon]);
    circle.setRadius(Math.max(1, here.accuracy ?? 1));
    circle.setStyle({ color: colour, fillColor: colour, weight: 1.5, opacity: 0.7, fillOpacity: 0.12 });
    dot.setStyle({ color: token("--map-ring"), fillColor: colour, weight: 3, fillOpacity: 1 });
  }

  function drawNote(here) {
    const isShown = isPinning || stopWatching !== null || reporter.isPinned;
    note.hidden = !isShown;
    note.classList.toggle("is-pinning", isPinning);
    pin.setAttribute("aria-pressed", String(isPinning));
    // Setting a pin announces itself.
    if (!isShown || isPinning || reporter.isPinned) announced = null;
    if (!isShown) return;
    if (isPinning) return say("Tap the map where you are. Lasts 2 hours, or until you clear it.", [
      ["pin-middle", "Use map centre", () => { const [dx, dy] = offset(); setPin(view.map.containerPointToLatLng(view.map.getSize().divideBy(2).add([dx, dy]))); }], ["pin-cancel", "Cancel", () => setPinning(false)]]);
    if (!here) {
      begin("looking", "Looking for your position…");
      return say("Looking for your position…", [["locate-off", "Stop", () => stopLooking()]]);
    }
    // What the server said last of what this device told; a session's points are told in another way.
    const hidden = ["tell", "pinned"].includes(reporter.duty) && !tracker.hasSession ? reporter.mine?.hidden : null;
    const away = distanceAway(here);
    const where = away !== null ? `You are ${distanceText(away)} from the campus` : [`You, within ${metresText(here.accuracy ?? 1)}`, sourceText(here.source)].filter(Boolean).join(", ");
    tracker.askCurrent();
    const text = away === null ? `${where}, ${ago((net.clock.now() - here.time) / 1000)}` : where;
    if (!reporter.isPinned) begin(hidden ? "hidden" : "found", `${where}.${hidden ? " Nobody sees you here." : ""}`);
    return say(`${text}.${hidden ? " Nobody sees you here." : reporter.isUnseen ? " Only you see it." : ""}`,
      [...(away === null ? [] : [journey(here)]), reporter.isPinned ? ["pin-clear", "Clear the pin", () => clear()] : ["locate-off", "Hide", () => stopLooking()]]);
  }

  /** Metres from the campus's border to a position that is well outside of it, else null. */
  function distanceAway({ lat, lon }) {
    if (!view?.bounds || view.bounds.pad(nearPadding).contains([lat, lon])) return null;
    const [south, west, north, east] = [view.bounds.getSouth(), view.bounds.getWest(), view.bounds.getNorth(), view.bounds.getEast()];
    return view.map.distance([lat, lon], [Math.min(north, Math.max(south, lat)), Math.min(east, Math.max(west, lon))]);
  }

  /** To oneself while the map shows the campus, and back to the campus while it does not. */
  function journey(here) {
    const isHome = view.map.getBounds().intersects(view.bounds);
    return isHome ? ["locate-go", "Show me there", () => goTo(here)] : ["locate-back", "Back to campus", () => {
      onMove();
      view.fitCampus();
    }];
  }

  let announced = null;

  /** Announces what the note says from now on, once. */
  function begin(kind, text) {
    if (announced !== kind) announce(text);
    announced = kind;
  }

  function say(text, all) {
    setText(words, text);
    buttons.draw(all.map(([id, label, run]) => ({ key: id, sig: "", make: () => h("button", { class: "button small-button", type: "button", id, onclick: run }), set: (element) => setText(element, label) })));
  }

  function look() {
    tracker.askCurrent();
    const problem = geolocationProblem();
    if (problem && !mine()) return toast(problem.text, { key: "locate" });
    if (!stopWatching) {
      let isFirst = true;
      const stop = problem ? () => {} : watchPosition((fix) => {
        found = fix;
        draw();
        if (isFirst) centre();
        isFirst = false;
      }, (trouble) => {
        if (!mine()) toast(trouble.text, { key: "locate" });
        if (trouble.code === "denied") stopLooking();
      });
      stopWatching = stop;
    }
    centre();
    return draw();
  }

  function stopLooking() {
    stopWatching?.();
    stopWatching = null;
    found = null;
    draw();
  }

  /** To where the reader is. Somebody off the campus stays with its map: the note says how far away it is. */
  function centre() {
    const here = mine();
    if (view && here && distanceAway(here) === null) goTo(here);
  }

  function goTo({ lat, lon }) {
    const { map } = view;
    onMove();
    const zoom = Math.max(map.getZoom(), myZoomMin);
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(offset()), zoom), zoom, { animate: mayAnimate() });
  }

  function setPinning(on) {
    if (on && !net.account) return toast("Log in to set where you are: only then is there anybody to see it.", { key: "pin" });
    if (on !== isPinning) onPinning(on);
    isPinning = on;
    view?.map.getContainer().classList.toggle("pins", on);
    if (on) announce("Tap the map where you are.");
    return draw();
  }

  async function setPin({ lat, lng }) {
    setPinning(false);
    const { map } = view;
    const point = map.latLngToContainerPoint([lat, lng]);
    const accuracy = map.distance([lat, lng], map.containerPointToLatLng(point.add([fingerPixels, 0])));
    try {
      await reporter.pin({ lat, lon: lng, accuracy });
      announce("Your pin is set.");
      const { sharing } = app;
      if (sharing.isLoaded && sharing.working.length === 0 && !sharing.isStopping()) toast("Your pin is set. Nobody sees it until you share where you are.", { key: "pin" });
    } catch (error) {
      toast(error.message);
    }
    draw();
  }

  async function clear() {
    try {
      await reporter.clear();
      announce("Your pin is cleared.");
    } catch (error) {
      toast(error.message);
    }
    draw();
  }

  const ticker = setInterval(draw, drawMilliseconds);
  reporter.addEventListener("change", draw);
  const escape = (event) => {
    if (event.key !== "Escape" || !isPinning || document.querySelector("dialog[open]")) return;
    event.stopImmediatePropagation();
    setPinning(false);
    opener(pin).focus({ preventScroll: true });
  };
  addEventListener("keydown", escape, { capture: true });
  return {
    locate, pin, note,
    attach(made) {
      view = made;
      view.map.on("click", ({ latlng }) => { if (isPinning) setPin(latlng); });
      view.map.on("moveend", () => { if (!note.hidden) draw(); });
      view.whenThemeChanges(draw);
      draw();
    },
    get isPinning() { return isPinning; },
    shown: () => (marks ? { lat: marks[1].getLatLng().lat, lon: marks[1].getLatLng().lng, radius: marks[0].getRadius() } : null),
    close() {
      clearInterval(ticker);
      reporter.removeEventListener("change", draw);
      removeEventListener("keydown", escape, { capture: true });
      stopWatching?.();
    },
  };
}
