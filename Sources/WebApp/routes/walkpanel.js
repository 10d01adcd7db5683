// The panel of a walk: the instruction, the figures, what changed, and the directions.

import { h, keepFocus, setText } from "../kit/dom.js";
import { distanceText, sentence, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { directionsList, legIcon } from "./directions.js";
import { isVertical, shownLeg } from "./progress.js";
import { arrivedText, legText, levelText, levelWords, minutesText, positionText, troubleText, whenText } from "./words.js";

/** Less is left of a leg without a distance. */
const leftMetresMin = 10;
const offlineText = "You're offline. Your route stays, but changes on the way aren't known.";

/** `head`, `body` and `foot` are for a sheet. The callbacks are those of the buttons. */
export class WalkPanel {
  head; body; foot;

  #when = h("p", { class: "walk-when muted", id: "walk-when" });
  #sign = h("span", { class: "walk-sign", "aria-hidden": "true" });
  /** Only a new instruction is read aloud, not each metre. */
  #instruction = h("p", { class: "walk-instruction", id: "walk-instruction", role: "status" });
  #title = h("h1", { class: "walk-title", tabindex: "-1" }, "Your walk");
  #news = h("div", { class: "notice warn", id: "walk-news", role: "status", hidden: true });
  #offline = h("p", { class: "notice", id: "walk-offline", role: "status", hidden: true }, icon("offline"), h("span", {}, offlineText));
  #figures = h("dl", { class: "walk-figures" });
  #position = h("span", { class: "muted small grow", id: "walk-position" });
  #useDevice; #where; #onLevel;
  #list = h("div", {});
  #message = h("div", { class: "stack", id: "walk-message" });
  #next; #back; #steps; #end; #callbacks;
  #drawn = null;
  #seen = null;

  constructor(callbacks) {
    this.#callbacks = callbacks;
    const button = (id, label, run, iconName, className = "") => (
      h("button", { class: `button ${className}`, type: "button", id, onclick: run }, iconName && icon(iconName), h("span", {}, label)));
    this.#back = button("walk-back", "Back", callbacks.back, "back");
    const next = () => (this.#across === null ? callbacks.next() : callbacks.setLevel(this.#across));
    this.#next = button("walk-next", "Next", next, "arrow", "primary");
    this.#end = button("walk-end", "End walk", callbacks.end, null, "danger");
    this.#useDevice = h("button", { class: "button small-button", type: "button", id: "walk-device", hidden: true,
      onclick: () => callbacks.useDevice() }, icon("here"), "Use my location");
    this.#onLevel = h("button", { class: "button", type: "button", id: "walk-level", hidden: true,
      onclick: () => callbacks.setLevel(this.#seen) });
    this.#where = h("div", { class: "row walk-where" }, this.#position, this.#useDevice);
    this.#steps = h("div", { class: "walk-steps" }, this.#back, this.#next);
    this.foot = h("div", { class: "route-foot" }, this.#onLevel, this.#steps);
    this.head = h("div", { class: "sheet-head walk-head" }, this.#sign,
      h("div", { class: "grow" }, this.#title, this.#when, this.#instruction));
    this.body = h("div", { class: "stack walk-body" },
      this.#message, this.#news, this.#offline, this.#figures, this.#where, this.#list,
      h("div", { class: "row" }, this.#end));
  }

  /** There is no walk. */
  drawNone() {
    this.#hideWalk();
    this.#end.hidden = true;
    this.#message.replaceChildren(h("p", {}, "You're not on a walk."),
      h("a", { class: "button primary", href: "/route" }, icon("route"), "Find a route"));
  }

  /** Shows what changed; it is read aloud. */
  showNews(text, isGood = false) {
    this.#news.hidden = false;
    this.#news.classList.toggle("good", isGood);
    this.#news.classList.toggle("warn", !isGood);
    const dismiss = h("button", { class: "icon-button", type: "button", "aria-label": "Dismiss",
      onclick: () => keepFocus(this.body, () => { this.#news.hidden = true; }, () => this.#next) }, icon("close"));
    this.#news.replaceChildren(icon("info"), h("span", { class: "grow" }, text), dismiss);
  }

  /** Draws the walk. `trouble` is why there is no position, or null; `isWaiting`: for the first position; `seenLevel`: on the map. */
  draw(walk, { trouble, isLive, isWaiting, seenLevel = null }) {
    setText(this.#title, walk.name ? `To ${walk.name}` : "Your walk");
    this.#offline.hidden = isLive || walk.state !== "walking";
    const isWalking = walk.state === "walking";
    const key = [walk.state, isWalking ? "" : walk.problem, isWaiting, trouble?.code].join(" ");
    if (key !== this.#drawn) {
      this.#drawn = key;
      keepFocus(this.body, () => this.#drawMessage(walk, { trouble, isWaiting }));
    }
    for (const part of [this.#figures, this.#steps, this.#where, this.#list]) part.hidden = !isWalking;
    const mayBeThere = seenLevel !== null && walk.canBeOn(seenLevel);
    this.#seen = seenLevel;
    if (mayBeThere) setText(this.#onLevel, `I'm on ${levelWords(seenLevel)}`);
    if (this.#onLevel.hidden === mayBeThere) keepFocus(this.#onLevel, () => { this.#onLevel.hidden = !mayBeThere; }, () => this.#next);
    this.#end.hidden = ["arrived", "starting"].includes(walk.state);
    if (isWalking) this.#drawWalk(walk, trouble);
    else this.#hideWalk();
  }

  #hideWalk() {
    for (const part of [this.#figures, this.#steps, this.#where, this.#list, this.#onLevel]) part.hidden = true;
    this.#sign.replaceChildren();
    setText(this.#when, "");
    setText(this.#instruction, "");
    this.#news.hidden = true;
    this.#listKey = null;
  }

  #drawMessage({ state, problem, name, isTransient }, { trouble, isWaiting }) {
    const again = h("button", { class: "button", type: "button", id: "walk-again", onclick: () => this.#callbacks.again() }, "Try again");
    const other = h("button", { class: "button primary", type: "button", id: "walk-other", onclick: () => this.#callbacks.chooseStart() },
      "Choose another way");
    const warning = (text) => (
      h("div", { class: "notice warn", role: "alert", id: "walk-problem" }, icon("warning"), h("p", {}, sentence(text))));
    const contents = {
      arrived: () => [
        h("p", { class: "notice good", id: "walk-arrived", role: "status" }, icon("finished"), h("strong", {}, arrivedText(name))),
        h("div", { class: "row" }, h("a", { class: "button primary", href: "/map" }, "Done"))],
      noRoute: () => [warning(problem), h("div", { class: "row" }, other, again)],
      failed: () => [isTransient ? h("p", { role: "status" }, sentence(problem)) : warning(problem), h("div", { class: "row" }, again)],
      starting: () => (isWaiting && trouble
        ? [warning(trouble.text), h("div", { class: "row" }, h("button", { class: "button primary", type: "button", id: "walk-start",
          onclick: () => this.#callbacks.chooseStart() }, "Choose a start"), again)]
        : [h("p", { role: "status" }, isWaiting ? "Finding your location…" : "Finding a route…")]),
    };
    this.#message.replaceChildren(...(contents[state]?.() ?? []));
    this.#message.hidden = this.#message.childElementCount === 0;
  }

  #listKey = null;
  /** The level behind the lift or stairs beside the person, or null. */
  #across = null;

  #drawWalk(walk, trouble) {
    const { route, progress } = walk;
    const index = shownLeg(route, progress);
    const leg = route.legs[index];
    const isNext = index !== progress.leg;
    setText(this.#when, whenText({ isNext, metres: progress.toNext, isVertical: isVertical(leg) }));
    this.#drawInstruction(route, index, leg);
    this.#drawFigures(progress);
    const isBeside = isVertical(leg) && progress.toNext < leftMetresMin && walk.canBeOn(leg.toLevel);
    this.#across = isNext && isBeside ? leg.toLevel : null;
    setText(this.#next.querySelector("span"), this.#across !== null || isVertical(route.legs[progress.leg])
      ? `I'm on ${levelWords(leg.toLevel)}`
      : progress.leg === route.legs.length - 1 ? "I'm there" : "Next");
    this.#back.disabled = progress.leg === 0;
    keepFocus(this.#where, () => { this.#useDevice.hidden = !walk.hasOtherFix; }, () => this.#next);
    const { source, isOld } = walk;
    const exact = { source, isOld, accuracy: walk.fix?.accuracy ?? 0 };
    const level = walk.level === null ? "" : ` ${levelText(walk.level)}.`;
    setText(this.#position, trouble && source !== "hand" ? troubleText(trouble) : `${positionText(exact)}${level}`);
    this.#drawList(walk);
  }

  #drawList({ route, progress, name }) {
    const key = `${route.legs.length} ${progress.leg} ${name} ${route.seconds}`;
    if (key !== this.#listKey) {
      this.#listKey = key;
      this.#list.replaceChildren(directionsList(route, { current: progress.leg, destination: name }));
    }
    // The rest of the current leg, as above the instruction.
    const metres = this.#list.querySelector("[aria-current] .leg-metres");
    if (metres?.textContent && progress.toNext >= leftMetresMin) setText(metres, distanceText(progress.toNext));
  }

  #drawInstruction(route, index, leg) {
    const text = legText(leg);
    if (this.#instruction.textContent === text) return;
    setText(this.#instruction, text);
    this.#sign.replaceChildren(icon(legIcon(leg)));
  }

  #drawFigures({ seconds, metres }) {
    const arrival = timeText(Date.now() + seconds * 1_000);
    const figures = [["Arrival", arrival], ["Time left", minutesText(seconds)], ["Distance", distanceText(metres)]];
    if (this.#figures.childElementCount === 0) {
      this.#figures.append(...figures.map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", { class: "number" }, value))));
    }
    for (const [index, dd] of [...this.#figures.querySelectorAll("dd")].entries()) setText(dd, figures[index][1]);
  }
}
