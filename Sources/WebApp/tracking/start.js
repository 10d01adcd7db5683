// Before a session: what, what it is called, who may see it, and Start, which needs a position or the runner's word to go without.

import { announce, h, setText } from "../kit/dom.js";
import { FirstFix, isLocationAllowed } from "./firstfix.js";
import { activityNames, audiences } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { locationHelp } from "./locationhelp.js";
import { accuracyMetresMax } from "./recording.js";

const titleLengthMax = 80;
const choiceKey = "campanile.lastActivity";

const troubleTitles = {
  denied: "Location is blocked",
  unavailable: "No position found",
  insecure: "Location needs a secure page",
  unsupported: "This browser has no location service",
};
const troubleTexts = {
  denied: "Campanile needs it to draw your route and measure the distance.",
  unavailable: "Switch on location services and Wi-Fi and, if you can, step outside.",
  insecure: "Open Campanile over https, or on this machine through localhost.",
  unsupported: "Use a phone or another browser.",
};

/**
 * The form as `{element, destroy}`; `onStart({activity, title, audience, fix, isTimeOnly})` may reject with something to show. A session
 * begins with a position; without one only by “Record without a map”.
 */
export function makeTrackStart({ onStart }) {
  const lastActivity = localStorage.getItem(choiceKey) === "cycle" ? "cycle" : "run";
  const search = new FirstFix();
  let wants = false;
  let isBeginning = false;
  const problem = h("p", { class: "problem", id: "start-problem", role: "alert" });
  const title = h("input", {
    class: "input", id: "title", name: "title", maxlength: titleLengthMax, placeholder: "Urban Adventure", autocomplete: "off",
  });
  const submit = h("button", { class: "button primary big wide", id: "start", type: "submit" }, icon("play", { filled: true }), "Start");
  const ready = h("p", { class: "muted small gps-ready", id: "gps-ready", hidden: true }, icon("target"), h("span", {}));
  const gate = h("div", { class: "stack start-gate", id: "start-gate", role: "status", hidden: true });
  let gateKey = null;

  const form = h("form", { class: "card stack", id: "start-form", onsubmit: (event) => {
    event.preventDefault();
    if (isBeginning) return;
    wants = true;
    problem.textContent = "";
    // What was found a while ago is no place to start from.
    if (search.state === "found" && !search.isReady()) search.stop();
    search.search();
    draw();
  } },
  h("fieldset", { class: "choices two" }, h("legend", { class: "legend" }, "Activity"),
    ...["run", "cycle"].map((value) => h("label", { class: "choice" },
      h("input", { type: "radio", name: "activity", value, checked: value === lastActivity }), icon(value),
      h("span", {}, activityNames[value])))),
  h("div", { class: "field" }, h("label", { for: "title" }, "Title ", h("span", { class: "muted" }, "(optional)")), title),
  audienceChoices({ name: "audience", value: "private" }),
  problem, gate, submit, ready);

  async function begin(isTimeOnly = false) {
    if (isBeginning) return;
    isBeginning = true;
    wants = false;
    submit.disabled = true;
    const data = new FormData(form);
    localStorage.setItem(choiceKey, data.get("activity"));
    const { fix } = search;
    try {
      await onStart({
        activity: data.get("activity"), title: data.get("title").trim() || "Urban Adventure", audience: data.get("audience"), isTimeOnly,
        fix: isTimeOnly ? null : fix,
      });
      search.stop();
    } catch {
      problem.textContent = "This device could not store the session. Free some space or leave private browsing, then start again.";
      isBeginning = submit.disabled = false;
      cancel();
      return;
    }
    isBeginning = submit.disabled = false;
  }

  function cancel() {
    wants = false;
    draw();
    submit.focus();
  }

  function draw() {
    if (wants && search.isReady()) return begin();
    const { state, fix } = search;
    ready.hidden = wants || !["found", "rough"].includes(state);
    if (!ready.hidden) setText(ready.lastChild, `Position found, ±${Math.round(fix.accuracy)} m`);
    submit.hidden = wants;
    gate.hidden = !wants;
    const key = wants ? `${state} ${search.trouble?.code}` : null;
    if (key !== gateKey) {
      gateKey = key;
      gate.replaceChildren(...(wants ? gateParts(state) : []));
      if (wants) {
        gate.querySelector("h2")?.focus({ preventScroll: true });
        gate.scrollIntoView({ block: "nearest" });
      }
    }
    const accuracy = gate.querySelector("#gate-accuracy");
    if (accuracy && fix) setText(accuracy, `±${Math.round(fix.accuracy)} m`);
    return undefined;
  }

  function gateParts(state) {
    const button = (id, className, text, onclick) => h("button", { class: `button ${className}`, type: "button", id, onclick }, text);
    const without = button("start-without", "wide", "Record without a map", () => begin(true));
    const back = button("start-cancel", "quiet wide", "Cancel", cancel);
    const again = button("start-again", "primary big wide", "Try again", () => search.search());
    const notice = (kind, iconName, title, ...text) => h("div", { class: `notice ${kind}`, dataset: { gate: state } }, icon(iconName),
      h("div", {}, h("h2", { tabindex: "-1" }, title), h("p", {}, ...text)));
    if (state === "trouble") {
      const { code } = search.trouble;
      announce(troubleTitles[code]);
      const canChange = ["denied", "unavailable"].includes(code);
      return [
        notice("bad", "warning", troubleTitles[code], troubleTexts[code]), code === "denied" ? steps() : "", canChange ? again : "",
        without, h("p", { class: "hint" }, "Records the time only: no route and no distance."), back];
    }
    if (state === "rough") {
      const accuracy = h("strong", { class: "number", id: "gate-accuracy" });
      const rule = `. Distance counts only within ±${accuracyMetresMax} m. It gets better outside.`;
      return [
        notice("warn", "target", "Waiting for a better position…", "It is known to ", accuracy, rule),
        button("start-anyway", "wide", "Start anyway", () => begin()), without, back];
    }
    const text = "Allow location if the browser asks. The session starts as soon as it is found.";
    return [notice("", "target", "Finding your position…", text), without, back];
  }

  /** How this browser is told to allow the location. */
  function steps() {
    const { browser, steps: lines } = locationHelp(navigator.userAgent, navigator.maxTouchPoints);
    return h("div", {}, h("p", { class: "small" }, h("strong", {}, `In ${browser}:`)),
      h("ol", { class: "steps" }, ...lines.map((line) => h("li", {}, line))));
  }

  search.addEventListener("change", draw);
  // Where the browser need not ask, the position is there before Start is pressed.
  let isGone = false;
  isLocationAllowed().then((isAllowed) => { if (isAllowed && !isGone && document.visibilityState === "visible") search.search(); });
  const pause = () => {
    if (document.visibilityState === "hidden" && !wants) search.stop();
  };
  document.addEventListener("visibilitychange", pause);
  return {
    element: form,
    destroy() {
      isGone = true;
      document.removeEventListener("visibilitychange", pause);
      search.removeEventListener("change", draw);
      search.stop();
    },
  };
}

/** The three audiences as radio buttons, each with its one line. */
export function audienceChoices({ name, value, onChange = () => {} }) {
  return h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Who can see it"),
    ...audiences.map((audience) => h("label", { class: "choice" },
      h("input", {
        type: "radio", name, value: audience.value, checked: audience.value === value, onchange: () => onChange(audience.value),
      }),
      h("span", { class: "grow" }, h("strong", {}, audience.name), h("span", { class: "hint" }, audience.explanation)))));
}
