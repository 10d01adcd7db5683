// The runner being followed: the whole route on the map, figures in a card, changes of state said aloud.

import { milliseconds } from "../client/clock.js";
import { announce, h, setText } from "../kit/dom.js";
import { activityNames, ago, hms, km, stateNames } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { shownState, stateText } from "../kit/livestate.js";
import { runnerColour } from "../map/palette.js";
import { RouteLine } from "../map/routeline.js";
import { currentTheme, token } from "../kit/theme.js";
import { speedParts } from "../kit/units.js";
import { makeWatchers } from "../tracking/watchers.js";

const activityNouns = { run: "run", cycle: "ride" };

/**
 * Follows `session` on the map view, or without a map when `view` is null. `runner()` is the roster's latest (or null), `onStop()` is
 * called by the button.
 * Result: `{element, update(), restyle(), close()}`.
 */
export function makeFollowCard({ app, view, session, share, runner, onStop, stoppable = true, onGone = () => {} }) {
  let latest = { session: null, runner: null, presence: null, isHidden: false };
  let ended = null;
  let isAnnounced = false;
  let drawnState = null;
  const colours = () => ({ colour: runnerColour(session, currentTheme()).fill, halo: token("--map-ring") });
  const route = view ? new RouteLine(view.L, view.map, colours()) : noRoute;

  const name = h("h2", { id: "follow-name" });
  const title = h("p", { class: "muted small" });
  const state = h("span", { class: "state-chip", id: "follow-state" });
  const figures = Object.fromEntries(["distance", "time", "speed"].map((key) => [key, h("dd", { class: "number", dataset: { figure: key } })]));
  const speedName = h("dt", {});
  const figureList = h("dl", { class: "figures" },
    h("div", {}, h("dt", {}, "Distance"), figures.distance), h("div", {}, h("dt", {}, "Time"), figures.time), h("div", {}, speedName, figures.speed));
  const age = h("p", { class: "muted small", id: "follow-age" });
  const watchers = makeWatchers({ nameOf: (username) => app.known.nameOf(username) });
  const element = h("article", { class: "follow-card", id: "follow-card", "aria-labelledby": "follow-name", dataset: { session } },
    h("div", { class: "follow-head" }, h("div", { class: "grow" }, name, title),
      stoppable ? h("button", { class: "icon-button", type: "button", id: "stop-following", "aria-label": "Stop following", title: "Stop following (Esc)", onclick: onStop }, icon("close")) : null),
    state,
    figureList,
    age, watchers.element);

  const subscription = app.net.subscribe(`session/${session}`, {
    snapshot(data) {
      latest = { ...latest, session: data.session, presence: data.presence ?? null };
      take({ ...data, type: "route" });
      route.set(data.route);
      update();
    },
    push(data) {
      if (data.type === "closed") return gone("This session is no longer shared with you.", data.reason);
      if (data.session) latest.session = data.session;
      if (data.presence) latest.presence = data.presence;
      take(data);
      if (data.type === "session") route.append(data.append, data.startsPiece);
      if (data.type === "route") route.set(data.route);
      if (data.type === "ended") {
        ended = "Finished";
        latest.runner = latest.runner && { ...latest.runner, state: "finished" };
        announce(`${name.textContent} has finished.`);
      }
      return update();
    },
    error(error) {
      if (error.code === 1003 || error.code === 1002) gone(error.message);
    },
  }, { share });

  /** Where the runner is; who is where nothing is shown is nowhere until they are out of it. */
  function take({ type, runner: told, hidden }) {
    if (told) latest.runner = told;
    else if (hidden) latest.runner = null;
    if (told || hidden || type === "session" || type === "route") latest.isHidden = hidden === true && !told;
  }

  function gone(text, reason = null) {
    ended = text;
    route.remove();
    onGone(text, reason);
    update();
  }

  function update() {
    const current = ended || latest.isHidden ? latest.runner : newest(runner(), latest.runner);
    const { session: facts } = latest;
    const isUnseen = isAllHidden(facts);
    const shown = isUnseen || latest.isHidden && !ended ? "hidden" : current?.state ?? (facts?.state === "running" ? "offline" : facts?.state) ?? "offline";
    const owner = nameOf(current, facts);
    setText(name, owner ?? "…");
    const activity = activityNames[current?.activity ?? facts?.activity] ?? "";
    setText(title, [activity, current?.title ?? facts?.title].filter(Boolean).join(" · "));
    const told = shownState(shown, app.net.state === "live");
    const stateKey = `${told} ${shown} ${isUnseen}`;
    if (drawnState !== stateKey) {
      drawnState = stateKey;
      state.dataset.state = told;
      const name = told === "unknown" ? "offline" : shown === "hidden" ? "unseen" : shown in stateNames && shown !== "running" ? shown : "stationary";
      state.replaceChildren(icon(name), shown === "hidden" ? (isUnseen ? "Not shown" : "Not shown now") : stateText(shown, told !== "unknown"));
    }
    setText(figures.distance, `${km(current?.distance ?? facts?.distance)} km`);
    setText(figures.time, hms(current ? app.roster.elapsed(current) : facts?.elapsed));
    const average = speedParts(current?.averageSpeed ?? facts?.averageSpeed, current?.activity ?? facts?.activity);
    setText(speedName, `Avg ${average.label.toLowerCase()}`);
    setText(figures.speed, average.text);
    figureList.hidden = isUnseen;
    setText(age, isUnseen ? `${owner ?? "The owner"} hides this ${activityNouns[facts.activity] ?? "session"}: nothing of it is outside a private place.`
      : ended && ended !== "Finished" ? ended
        : latest.isHidden && !ended ? "In a place where they are not shown. It goes on when they leave it."
          : current ? `Last position ${ago(app.net.clock.age(current.at))}`
            : isTimeOnly(facts) ? "Recorded without a map: the time only." : ended ? "" : "No position yet");
    const isGone = latest.isHidden && !ended;
    if (isGone && !isAnnounced) announce(`${name.textContent} is not shown now.`);
    isAnnounced = isGone;
    drawWatchers(facts);
  }

  /** As the account knows who runs. */
  const nameOf = (current, facts) => {
    const username = current?.username ?? current?.name ?? facts?.owner.username;
    return username === undefined ? undefined : app.known.nameOf(username);
  };

  /** Whoever is not told any more is not shown an old number. */
  function drawWatchers(facts) {
    const { account } = app.net;
    const isOwner = account !== null && facts?.owner.id === account.id;
    watchers.show(ended || app.net.state !== "live" ? null : latest.presence, { isOwner, runner: nameOf(null, facts), account });
  }

  update();
  return {
    element, update, route,
    /** The latest this card knows: `{session, runner, presence}`. */
    get latest() { return latest; },
    /** Whether it goes on: neither finished nor taken away. */
    get isLive() { return ended === null; },
    restyle: () => route.setColours(colours()),
    close() {
      subscription.close();
      route.remove();
    },
  };
}

/** Where there is no map to draw one on. */
const noRoute = { set() {}, append() {}, remove() {}, setColours() {} };

/** Of a finished session others see no point, so its figures are nothing: its owner hides where it went. */
function isAllHidden(facts) {
  return facts?.state === "finished" && facts.points === 0 && !isTimeOnly(facts);
}

/** Recorded without a map: there is a time, and nothing that could be hidden. */
function isTimeOnly(facts) {
  return facts?.points === 0 && facts.elapsed > 0;
}

/** The later of two reports about one runner. */
function newest(a, b) {
  if (!a || !b) return a ?? b ?? null;
  return milliseconds(a.at) >= milliseconds(b.at) || a.state === "finished" ? a : b;
}
