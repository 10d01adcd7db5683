// Before a session: its activity, title and audience, and Start, which needs a position or the runner's word to go without.

import { h, setText } from "../kit/dom.js";
import { FirstFix, isLocationAllowed } from "./firstfix.js";
import { activityNames, audiences } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { StartGate } from "./startgate.js";

const titleLengthMax = 80;
const titleDefault = "Urban Adventure";
const choiceKey = "campanile.lastActivity";

/**
 * Makes the form, with `element` and `destroy()`; `onStart({activity, title, audience, fix, isTimeOnly})` may reject. A session begins with
 * a position; without one only by “Record time only”. `isProvisional`: the person's email is not confirmed.
 * `audience` is chosen at the beginning; `setAudience(audience)` follows its setting.
 */
export function makeTrackStart({ onStart, isProvisional, audience = "private" }) {
  return new TrackStart(onStart, isProvisional, isProvisional ? "private" : audience);
}

/** The form before a session. */
class TrackStart {
  element;

  #onStart;
  #ending = new AbortController();
  #search = new FirstFix();
  #audience;
  /** Whether the person has chosen the audience of this session. */
  #isAudienceChosen = false;
  /** `form`: it is filled in; `waiting`: Start was pressed, and waits for a position; `beginning`: the session is being stored. */
  #phase = "form";
  #problem = h("p", { class: "problem", id: "start-problem", role: "alert" });
  #submit = h("button", { class: "button primary big wide", id: "start", type: "submit" }, icon("play", { filled: true }), "Start");
  #readyText = h("span", {});
  #ready = h("p", { class: "muted small gps-ready", id: "gps-ready", hidden: true }, icon("target"), this.#readyText);
  #gate = new StartGate({
    again: () => this.#search.search(), start: () => this.#begin(), startWithout: () => this.#begin({ isTimeOnly: true }),
    cancel: () => this.#cancel(),
  });

  constructor(onStart, isProvisional, audience) {
    this.#onStart = onStart;
    this.element = this.#form(isProvisional, audience);
    const { signal } = this.#ending;
    this.#search.addEventListener("change", () => this.#draw(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.#phase !== "waiting") this.#search.stop();
    }, { signal });
    this.#searchAhead();
  }

  destroy() {
    this.#ending.abort();
    this.#search.stop();
  }

  /** Shows another default audience, unless the person has chosen one for this session, or has pressed Start. */
  setAudience(audience) {
    if (this.#isAudienceChosen || this.#phase !== "form") return;
    const choice = this.#audience.querySelector(`[value=${audience}]`);
    if (!choice.disabled) choice.checked = true;
  }

  #form(isProvisional, audience) {
    const lastActivity = localStorage.getItem(choiceKey) === "cycle" ? "cycle" : "run";
    const title = h("input", {
      class: "input", id: "title", name: "title", maxlength: titleLengthMax, placeholder: titleDefault, autocomplete: "off",
    });
    const submitted = (event) => {
      event.preventDefault();
      this.#submitted();
    };
    this.#audience = audienceChoices({
      name: "audience", value: audience, isProvisional, onChange: () => { this.#isAudienceChosen = true; },
    });
    return h("form", { class: "card stack", id: "start-form", onsubmit: submitted },
      h("fieldset", { class: "choices two" }, h("legend", { class: "legend" }, "Activity"),
        ...["run", "cycle"].map((value) => h("label", { class: "choice" },
          h("input", { type: "radio", name: "activity", value, checked: value === lastActivity }), icon(value),
          h("span", {}, activityNames[value])))),
      h("div", { class: "field" }, h("label", { for: "title" }, "Title ", h("span", { class: "muted" }, "(optional)")), title),
      this.#audience, this.#problem, this.#gate.element, this.#submit, this.#ready);
  }

  /** Where the browser need not ask, the position is there before Start is pressed. */
  async #searchAhead() {
    const isAllowed = await isLocationAllowed();
    if (isAllowed && !this.#ending.signal.aborted && document.visibilityState === "visible") this.#search.search();
  }

  #submitted() {
    if (this.#phase === "beginning") return;
    this.#phase = "waiting";
    this.#problem.textContent = "";
    // An old position is no place to start from.
    if (this.#search.state === "found" && !this.#search.isReady()) this.#search.stop();
    this.#search.search();
    this.#draw();
  }

  async #begin({ isTimeOnly = false } = {}) {
    if (this.#phase === "beginning") return;
    this.#phase = "beginning";
    this.#submit.disabled = true;
    const data = new FormData(this.element);
    const [activity, title, audience] = ["activity", "title", "audience"].map((name) => String(data.get(name)));
    localStorage.setItem(choiceKey, activity);
    const fix = isTimeOnly ? null : this.#search.fix;
    try {
      await this.#onStart({ activity, title: title.trim() || titleDefault, audience, isTimeOnly, fix });
      this.#search.stop();
      this.#phase = "form";
      this.#submit.disabled = false;
    } catch {
      this.#problem.textContent = "Couldn't store the session on this device. Free some space or leave private browsing, then try again.";
      this.#phase = "form";
      this.#submit.disabled = false;
      this.#showForm();
    }
  }

  #cancel() {
    if (this.#phase === "waiting") this.#phase = "form";
    this.#showForm();
  }

  #showForm() {
    this.#draw();
    this.#submit.focus();
  }

  #draw() {
    const isWaiting = this.#phase === "waiting";
    if (isWaiting && this.#search.isReady()) return this.#begin();
    const { state, fix } = this.#search;
    this.#ready.hidden = isWaiting || !["found", "rough"].includes(state);
    if (!this.#ready.hidden) setText(this.#readyText, `Location found, ±${Math.round(fix.accuracy)} m`);
    this.#submit.hidden = isWaiting;
    this.#gate.draw(isWaiting ? this.#search : null);
    return undefined;
  }
}

/**
 * The three audiences as radio buttons, each with its one line. `isProvisional`: the person's email is not confirmed, and only `private`
 * can be chosen.
 */
export function audienceChoices({ name, value, isProvisional = false, onChange = (_value) => {} }) {
  return h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Who can see it"),
    ...audiences.map((audience) => h("label", { class: "choice" },
      h("input", {
        type: "radio", name, value: audience.value, checked: audience.value === value, onchange: () => onChange(audience.value),
        disabled: isProvisional && audience.value !== "private",
      }),
      h("span", { class: "grow" }, h("strong", {}, audience.name), h("span", { class: "hint" }, audience.explanation)))),
    isProvisional ? h("p", { class: "hint", id: `${name}-confirm` }, h("a", { class: "link", href: "/confirm" }, "Confirm your email"),
      " to show sessions to others. You can still share this one by link.") : null);
}
