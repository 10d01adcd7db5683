// The runner being followed: the whole route on the map, figures in a card, changes of state announced.

import { announce, h, setText } from "../kit/dom.js";
import { activityNames, hms, km } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { shownState, stateText } from "../kit/livestate.js";
import { ageText, isAllHidden, newest, sessionState, stateIcon } from "./followwords.js";
import { runnerColour } from "../map/palette.js";
import { RouteLine } from "../map/routeline.js";
import { currentTheme, token } from "../kit/theme.js";
import { speedParts } from "../kit/units.js";
import { makeWatchers } from "../tracking/watchers.js";

/**
 * Follows `session` on the map view, or without a map when `view` is null; `share` is the token of a link. `runner()` is the roster's
 * latest (or null), `onStop()` is called by the button, `onGone(text, reason)` when the session is no longer shown.
 */
export function makeFollowCard({ app, view, session, share = null, runner, onStop, stoppable = true, onGone = () => {} }) {
  return new FollowCard({ app, view, session, share, runner, onStop, stoppable, onGone });
}

/** The card of a followed session. */
class FollowCard {
  element;
  /** The session's route on the map. */
  route;

  #app; #session; #runner; #onGone;
  #subscription;
  #latest = { session: null, runner: null, presence: null, isHidden: false };
  /** Why it no longer goes on, in words, or null. */
  #ended = null;
  #isHiddenAnnounced = false;
  #drawnState = null;
  #watchers;

  #name = h("h2", { id: "follow-name" });
  #title = h("p", { class: "muted small" });
  #state = h("span", { class: "state-chip", id: "follow-state" });
  #figures = Object.fromEntries(["distance", "time", "speed"].map((key) => [key, h("dd", { class: "number", dataset: { figure: key } })]));
  #speedName = h("dt", {});
  #figureList;
  #age = h("p", { class: "muted small", id: "follow-age" });

  constructor({ app, view, session, share, runner, onStop, stoppable, onGone }) {
    this.#app = app;
    this.#session = session;
    this.#runner = runner;
    this.#onGone = onGone;
    this.route = view ? new RouteLine(view.L, view.map, this.#colours()) : noRoute;
    this.#watchers = makeWatchers({ nameOf: (username) => app.known.nameOf(username) });
    this.#figureList = h("dl", { class: "figures" },
      h("div", {}, h("dt", {}, "Distance"), this.#figures.distance), h("div", {}, h("dt", {}, "Time"), this.#figures.time),
      h("div", {}, this.#speedName, this.#figures.speed));
    const stop = stoppable ? stopButton(onStop) : null;
    this.element = h("article", { class: "follow-card", id: "follow-card", "aria-labelledby": "follow-name", dataset: { session } },
      h("div", { class: "follow-head" }, h("div", { class: "grow" }, this.#name, this.#title), stop),
      this.#state, this.#figureList, this.#age, this.#watchers.element);
    this.#subscription = app.net.subscribe(`session/${session}`, {
      snapshot: (data) => this.#begin(data),
      push: (data) => this.#push(data),
      error: (error) => { if (error.isNotFound || error.isForbidden) this.#gone(error.message); },
    }, { share });
    this.update();
  }

  /** The latest this card knows: `{session, runner, presence, isHidden}`. */
  get latest() { return this.#latest; }

  /** Whether it goes on: neither finished nor taken away. */
  get isLive() { return this.#ended === null; }

  /** The name shown. */
  get name() { return this.#name.textContent; }

  restyle() {
    this.route.setColours(this.#colours());
  }

  close() {
    this.#subscription.close();
    this.route.remove();
  }

  #colours() {
    return { colour: runnerColour(this.#session, currentTheme()).fill, halo: token("--map-ring") };
  }

  // MARK: what the server sends

  #begin(data) {
    this.#latest = { ...this.#latest, session: data.session, presence: data.presence ?? null };
    this.#take({ ...data, type: "route" });
    this.route.set(data.route);
    this.update();
  }

  #push(data) {
    if (data.type === "closed") return this.#gone("This session is no longer shared with you.", data.reason);
    if (data.session) this.#latest.session = data.session;
    if (data.presence) this.#latest.presence = data.presence;
    this.#take(data);
    if (data.type === "session") this.route.append(data.append, data.startsPiece);
    if (data.type === "route") this.route.set(data.route);
    if (data.type === "ended") this.#finish();
    return this.update();
  }

  /** Takes the runner's position. A runner in a place where nothing is shown has none until they leave it. */
  #take({ type, runner, hidden }) {
    if (runner) this.#latest.runner = runner;
    else if (hidden) this.#latest.runner = null;
    if (runner || hidden || type === "session" || type === "route") this.#latest.isHidden = hidden === true && !runner;
  }

  #finish() {
    this.#ended = "Finished";
    this.#latest.runner = this.#latest.runner && { ...this.#latest.runner, state: "finished" };
    announce(`${this.name} has finished.`);
  }

  #gone(text, reason = null) {
    this.#ended = text;
    this.route.remove();
    this.#onGone(text, reason);
    this.update();
  }

  // MARK: drawing

  /** Draws everything, with the times as they are now. */
  update() {
    const { net } = this.#app;
    const latest = this.#latest;
    const facts = latest.session;
    const runner = this.#ended || latest.isHidden ? latest.runner : newest(this.#runner(), latest.runner);
    const isHidden = latest.isHidden && !this.#ended;
    const owner = this.#nameOf(runner, facts);
    setText(this.#name, owner ?? "…");
    const activity = activityNames[runner?.activity ?? facts?.activity] ?? "";
    setText(this.#title, [activity, runner?.title ?? facts?.title].filter(Boolean).join(" · "));
    this.#drawState(sessionState({ runner, facts, isHidden }), isAllHidden(facts));
    this.#drawFigures(runner, facts);
    const age = runner ? net.clock.age(runner.at) : null;
    setText(this.#age, ageText({ runner, facts, isHidden, ended: this.#ended, age, owner }));
    if (isHidden && !this.#isHiddenAnnounced) announce(`${this.name} is hidden right now.`);
    this.#isHiddenAnnounced = isHidden;
    this.#drawWatchers(facts);
  }

  #drawState(state, isUnseen) {
    const isLive = this.#app.net.state === "live";
    const shown = shownState(state, isLive);
    const key = `${shown} ${state} ${isUnseen}`;
    if (this.#drawnState === key) return;
    this.#drawnState = key;
    this.#state.dataset.state = shown;
    const hiddenText = isUnseen ? "Hidden" : "Hidden right now";
    this.#state.replaceChildren(icon(stateIcon(state, shown)), state === "hidden" ? hiddenText : stateText(state, shown !== "unknown"));
  }

  #drawFigures(runner, facts) {
    setText(this.#figures.distance, `${km(runner?.distance ?? facts?.distance)} km`);
    setText(this.#figures.time, hms(runner ? this.#app.roster.elapsed(runner) : facts?.elapsed));
    const average = speedParts(runner?.averageSpeed ?? facts?.averageSpeed, runner?.activity ?? facts?.activity);
    setText(this.#speedName, `Avg ${average.label.toLowerCase()}`);
    setText(this.#figures.speed, average.text);
    this.#figureList.hidden = isAllHidden(facts);
  }

  /** Shows the number of watchers while it is current. */
  #drawWatchers(facts) {
    const { account, state } = this.#app.net;
    const isOwner = account !== null && facts?.owner.id === account.id;
    const presence = this.#ended || state !== "live" ? null : this.#latest.presence;
    this.#watchers.show(presence, { isOwner, runner: this.#nameOf(null, facts), account });
  }

  /** The runner's name as the account knows it, or undefined. */
  #nameOf(runner, facts) {
    const username = runner?.username ?? runner?.name ?? facts?.owner.username;
    return username === undefined ? undefined : this.#app.known.nameOf(username);
  }
}

function stopButton(onStop) {
  return h("button", {
    class: "icon-button", type: "button", id: "stop-following", "aria-label": "Stop following", title: "Stop following (Esc)",
    onclick: onStop,
  }, icon("close"));
}

/** Where there is no map to draw a route on. */
const noRoute = { set() {}, append() {}, remove() {}, setColours() {} };
