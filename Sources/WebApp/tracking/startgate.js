// The messages between Start and the session: the search for a position, its trouble, and the ways to go on.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { locationHelp } from "./locationhelp.js";
import { accuracyMetresMax } from "./recording.js";

const troubleTitles = {
  denied: "Location is blocked",
  unavailable: "No location found",
  off: "Your location is off",
  insecure: "Location needs a secure page",
  unsupported: "This browser doesn't support location",
};
const troubleTexts = {
  denied: "Campanile needs it to record your route and distance.",
  unavailable: "Turn on location services and Wi-Fi, or step outside.",
  off: "Turn it on in Settings, under Location, to record a session.",
  insecure: "Open Campanile over https, or on this computer through localhost.",
  unsupported: "Use a phone or another browser.",
};

/** The gate before a session: hidden unless Start waits for a position. */
export class StartGate {
  element = h("div", { class: "stack start-gate", id: "start-gate", role: "status", hidden: true });

  #actions;
  /** The message drawn, or null. */
  #key = null;

  /**
   * `again()` searches again, `start()` begins with the position as it is, `startWithout()` without one, and `cancel()` goes back.
   * @param {{again: () => void, start: () => void, startWithout: () => void, cancel: () => void}} actions
   */
  constructor(actions) {
    this.#actions = actions;
  }

  /** Draws the state of `search`, a `FirstFix`; null hides the gate. */
  draw(search) {
    this.element.hidden = search === null;
    const key = search && `${search.state} ${search.trouble?.code}`;
    if (key !== this.#key) {
      this.#key = key;
      this.element.replaceChildren(...(search ? this.#parts(search) : []));
      if (search) this.#show();
    }
    const accuracy = this.element.querySelector("#gate-accuracy");
    if (accuracy && search?.fix) setText(accuracy, `±${Math.round(search.fix.accuracy)} m`);
  }

  #show() {
    this.element.querySelector("h2")?.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "nearest" });
  }

  #parts({ state, trouble }) {
    const without = button("start-without", "wide", "Record time only", this.#actions.startWithout);
    const back = button("start-cancel", "quiet wide", "Cancel", this.#actions.cancel);
    if (state === "trouble") return this.#ofTrouble(trouble.code, without, back);
    if (state === "rough") {
      const accuracy = h("strong", { class: "number", id: "gate-accuracy" });
      const rule = `. Distance only counts within ±${accuracyMetresMax} m. It gets better outside.`;
      return [
        notice(state, "warn", "target", "Waiting for better accuracy…", "Currently ", accuracy, rule),
        button("start-anyway", "wide", "Start anyway", this.#actions.start), without, back];
    }
    const text = "Allow location if the browser asks. The session starts automatically.";
    return [notice(state, "", "target", "Finding your location…", text), without, back];
  }

  #ofTrouble(code, without, back) {
    announce(troubleTitles[code]);
    const isOff = code === "off";
    const canChange = ["denied", "unavailable"].includes(code);
    return [
      notice("trouble", "bad", "warning", troubleTitles[code], troubleTexts[code]), code === "denied" ? steps() : "",
      canChange ? button("start-again", "primary big wide", "Try again", this.#actions.again) : "",
      // The server starts no session while the location is off.
      ...(isOff ? [] : [without, h("p", { class: "hint" }, "Without location there's no route and no distance.")]), back];
  }
}

function button(id, className, text, run) {
  return h("button", { class: `button ${className}`, type: "button", id, onclick: () => run() }, text);
}

function notice(gate, kind, iconName, title, ...text) {
  return h("div", { class: `notice ${kind}`, dataset: { gate } }, icon(iconName),
    h("div", {}, h("h2", { tabindex: "-1" }, title), h("p", {}, ...text)));
}

/** How to allow the location in this browser. */
function steps() {
  const { browser, steps: lines } = locationHelp(navigator.userAgent, navigator.maxTouchPoints);
  return h("div", {}, h("p", { class: "small" }, h("strong", {}, `In ${browser}:`)),
    h("ol", { class: "steps" }, ...lines.map((line) => h("li", {}, line))));
}
