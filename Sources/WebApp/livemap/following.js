// Following a runner on the live map: the card in the panel, and the map that moves along until somebody moves it by hand.

import { announce, h } from "../kit/dom.js";
import { stateNames } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { mayAnimate } from "../map/animation.js";
import { narrow } from "../map/narrow.js";
import { makeFollowCard } from "./followcard.js";

const zoomMin = 16;
/** Nearer to the middle than this, the map stays. */
const slackPixels = 14;

/** The followed session, or nobody: the map moves along, or is paused where it was moved to. */
export class Following {
  /** The place of the card. */
  element = h("div", { class: "card-place" });
  /** The button that goes on after a pause. */
  button = h("button", {
    class: "button map-recentre", type: "button", id: "recentre", hidden: true, onclick: () => this.resume(),
  }, icon("target"), "Re-centre");

  #app; #stage; #mapElement; #sheet; #frame; #onChange;
  #view = null;
  #layer = null;
  #card = null;
  #session = null;
  #isPaused = false;

  /** `sheet` is the panel, `frame` the free part of the map in `stage`; `onChange()` is called for another session. */
  constructor(app, { stage, mapElement, sheet, frame, onChange }) {
    this.#app = app;
    this.#stage = stage;
    this.#mapElement = mapElement;
    this.#sheet = sheet;
    this.#frame = frame;
    this.#onChange = onChange;
  }

  /** The followed session, or null. */
  get session() { return this.#session; }

  /** Whether the map stays where it was moved to. */
  get isPaused() { return this.#isPaused; }

  /** The followed session if it goes on, else null. */
  get liveSession() { return this.#card?.isLive ? this.#session : null; }

  /** Gives it the map and its layer of runners; a session may have been chosen in the list before. */
  attach(view, layer) {
    this.#view = view;
    this.#layer = layer;
    if (this.#session === null) return;
    layer.followed = this.#session;
    this.#showCard({ isReturn: false });
    this.#approach();
  }

  /**
   * Follows `session`, or nobody with null. `isReturn`: as before the page was left; the map stays where it was then, and a session that
   * is gone is not mentioned.
   */
  follow(session, { isReturn = false } = {}) {
    if (session === this.#session) return;
    const before = this.#session;
    if (before !== null) this.#app.roster.unpin(before);
    this.#session = session;
    this.#isPaused = false;
    this.#stage.classList.toggle("is-following", session !== null);
    if (this.#layer) this.#layer.followed = session;
    this.#layer?.redraw();
    this.#showCard({ isReturn });
    if (session !== null) this.#began({ isReturn });
    else this.#ended(before);
    this.#onChange();
    this.#drawButton();
  }

  /**
   * Stops moving the map. The stage calls it when the map is moved otherwise: by a drag or an arrow key, to the whole campus, to
   * a crowd, to a person, to the own position or pin; and when it comes back to a map that was paused.
   */
  pause() {
    if (this.#session === null || this.#isPaused) return;
    this.#isPaused = true;
    this.#drawButton();
  }

  /** Moves the map along again. */
  resume() {
    this.#isPaused = false;
    this.#centre();
    this.#drawButton();
  }

  /** Once a second: the map moves on. */
  moveOn() {
    if (this.#session !== null && !this.#isPaused) this.#centre();
  }

  /** Draws the card with the times as they are now. */
  update() {
    this.#card?.update();
  }

  /** Keeps the followed runner on a map that shows others as counts. */
  pin() {
    const { roster } = this.#app;
    if (this.#card?.isLive && this.#card.latest.runner) roster.pin(this.#card.latest.runner);
    else if (this.#card) roster.unpin(this.#session);
    this.#layer?.invalidate();
  }

  /** Announces the state of a runner that has changed, if it is followed. */
  announceState({ session, name, state }) {
    if (session === this.#session) announce(`${name}: ${stateNames[state] ?? state}.`);
  }

  restyle() {
    this.#card?.restyle();
  }

  close() {
    this.#card?.close();
  }

  #began({ isReturn }) {
    this.#sheet.body.scrollTop = 0;
    if (isReturn) return;
    if (narrow.matches) this.#sheet.set("half");
    announce(`Following ${this.#card.name}.`);
    this.#approach();
  }

  #ended(before) {
    announce("Stopped following.");
    /** @type {HTMLElement | null} */
    const row = document.querySelector(`.runner-row[data-session="${before}"]`);
    if (document.activeElement === document.body) row?.focus({ preventScroll: true });
  }

  /** Shows the card of the followed session, also without a map. */
  #showCard({ isReturn }) {
    this.#card?.close();
    this.#card = null;
    this.element.replaceChildren();
    const session = this.#session;
    if (session === null) return;
    this.#card = makeFollowCard({
      app: this.#app, view: this.#view, session, runner: () => this.#app.roster.entries.get(session)?.runner ?? null,
      onStop: () => this.follow(null),
      onGone: () => { if (isReturn && this.#card?.latest.session === null) this.follow(null); },
    });
    this.element.append(this.#card.element);
  }

  #drawButton() {
    const hadFocus = document.activeElement === this.button;
    this.button.hidden = this.#session === null || !this.#isPaused;
    if (this.button.hidden && hadFocus) this.#mapElement.focus({ preventScroll: true });
  }

  /** Zooms in to the runner when the map is farther away. */
  #approach() {
    if (this.#view && this.#view.map.getZoom() < zoomMin) this.#centre(zoomMin, false);
  }

  #centre(wantedZoom = null, animate = mayAnimate()) {
    const entry = this.#app.roster.entries.get(this.#session);
    const position = entry?.glide.at(performance.now()) ?? this.#card?.latest.runner;
    if (!position || !this.#view) return;
    const { map } = this.#view;
    const zoom = wantedZoom ?? map.getZoom();
    const target = map.project([position.lat, position.lon], zoom).subtract(this.#frame.offset());
    const distance = zoom === map.getZoom() ? target.distanceTo(map.project(map.getCenter(), zoom)) : Infinity;
    if (distance < slackPixels) return;
    // Linear and as long as the pause between two calls: the map glides instead of stepping.
    map.setView(map.unproject(target, zoom), zoom, { animate, pan: { animate, duration: 1, easeLinearity: 1, noMoveStart: true } });
  }
}
