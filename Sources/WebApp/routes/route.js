// The page of directions: start, destination and preferences, the routes to choose from, and the chosen one on the map and in words.

import "./icons.js";
import { announce, h, refocus, setText } from "../kit/dom.js";
import { sentence, timeText } from "../kit/format.js";
import { positionNow } from "../kit/geolocation.js";
import { icon } from "../kit/icons.js";
import { Loader } from "../kit/loader.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { makeSheet } from "../kit/sheet.js";
import { loadStyles } from "../kit/styles.js";
import { mapButton } from "../map/tools.js";
import { alternativesList } from "./alternatives.js";
import { directionsList } from "./directions.js";
import { openEndPicker } from "./endpicker.js";
import { addressOf, endsOf, wireEnd } from "./ends.js";
import { Floors } from "./floors.js";
import { makeLevelSwitch } from "./levelswitch.js";
import { KeptWalk } from "./keptwalk.js";
import { nameNow, nameOf, noteName, notePeople } from "./names.js";
import { RoutePath } from "./path.js";
import { MapPick } from "./mappick.js";
import { keepPreferences, keptPreferences, preferencesText, wirePreferences } from "./preferences.js";
import { openPreferences } from "./preferencesdialog.js";
import { RouteMap } from "./routemap.js";
import { crowdSentence, entrySentence, levelText, minutesText, uncertainSentence } from "./words.js";

await loadStyles("/app/routes/routes.css");

/** Shows `/route`; the query has `to` and perhaps `from`. */
export function show(root, { query }, app) {
  const page = new RoutePage(app, endsOf(query));
  root.append(page.element);
  page.start();
  return () => page.close();
}

class RoutePage {
  element;

  #app; #net; #from; #to; #map; #sheet; #levels; #floors; #pick; #loader;
  #preferences = keptPreferences();
  #routes = [];
  #selected = 0;
  #level = null;
  #isClosed = false;
  #stopFollowing = () => {};
  #stopInspection;
  /** Whether the connection will bring the routes. */
  #isWanting = false;
  #fromButton = this.#endButton("from", "Start");
  #toButton = this.#endButton("to", "Destination");
  #options = h("button", { class: "button small-button", type: "button", id: "route-options", onclick: () => this.#openOptions() });
  #status = h("p", { class: "muted", role: "status", id: "route-status" });
  #result = h("div", { class: "stack", id: "route-result" });
  /** What is wrong, above everything else. */
  #problem = h("div", { class: "stack", id: "route-failure" });
  #foot = h("div", { class: "route-foot" });
  #going = h("div", { id: "walk-going" });

  constructor(app, { from, to }) {
    this.#app = app;
    this.#net = app.net;
    this.#from = from;
    this.#to = to;
    const swap = h("button", { class: "icon-button", type: "button", id: "route-swap", "aria-label": "Swap start and destination",
      onclick: () => this.#swap() }, icon("swap"));
    const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, "Directions")));
    this.#sheet = makeSheet({ label: "Directions", initial: to ? "half" : "full", header });
    this.#sheet.body.classList.add("route-body");
    this.#sheet.body.append(
      this.#problem, this.#going,
      h("div", { class: "route-ends" }, h("div", { class: "grow stack tight" }, this.#fromButton, this.#toButton), swap),
      h("div", { class: "row" }, this.#options), this.#status, this.#result);
    this.#sheet.element.append(this.#foot);
    this.#map = new RouteMap(app, {
      label: "Map of the route", sheet: () => this.#sheet.element, tapped: (where) => this.#pick.tapped(where),
    });
    this.#pick = new MapPick({ middle: () => this.#map.middle, changed: (isPicking) => this.#picking(isPicking) });
    this.#floors = new Floors(app);
    this.#levels = makeLevelSwitch({ label: "Level", changed: (level) => this.#showLevel(level) });
    const fit = mapButton({ id: "route-fit", label: "Show the whole route", iconName: "fit", onclick: () => this.#map.fit() });
    this.element = h("div", { class: "stage route-stage" },
      this.#map.element, h("div", { class: "map-tools" }, fit), this.#levels.element, this.#pick.element, this.#sheet.element);
    this.#loader = new Loader({
      fetch: () => this.#find(), loading: () => this.#drawLoading(), loaded: ({ routes }) => this.#found(routes),
      failed: (error) => this.#failed(error),
    });
    this.#stopInspection = app.inspection.register({ route: () => ({ ...this.#map.shown, routes: this.#routes.length }) });
  }

  start() {
    this.#drawEnds();
    this.#drawOptions();
    this.#drawGoing();
    this.#stopFollowing = whenLive(this.#net, () => { if (this.#isWanting) this.#loader.load(); });
    this.#load();
  }

  close() {
    this.#isClosed = true;
    this.#stopFollowing();
    this.#stopInspection();
    this.#loader.close();
    this.#map.close();
  }

  // MARK: ends

  #endButton(side, label) {
    return h("button", { class: "route-end", type: "button", id: `route-${side}`, onclick: () => this.#choose(side) },
      h("span", { class: "muted small" }, label), h("strong", {}));
  }

  async #drawEnds() {
    const draw = () => {
      this.#fromButton.querySelector("strong").textContent = nameNow(this.#from) ?? "Choose a start";
      this.#toButton.querySelector("strong").textContent = nameNow(this.#to) ?? (this.#to ? "Destination" : "Choose a destination");
    };
    notePeople(this.#app.sharing?.withMe ?? [], this.#from, this.#to);
    draw();
    await Promise.all([nameOf(this.#net, this.#from), nameOf(this.#net, this.#to)]);
    if (!this.#isClosed) draw();
  }

  #choose(side) {
    openEndPicker(this.#app, {
      side, chosen: (end, name) => this.#set(side, end, name),
      onMap: () => this.#pick.begin(side === "from" ? "Tap the map where you start." : "Tap the map where you want to go.",
        (point) => this.#set(side, { kind: "point", ...point, level: null }, null)),
    });
  }

  #picking(isPicking) {
    this.#sheet.set(isPicking ? "peek" : "half");
    if (!isPicking) refocus(this.#fromButton);
  }

  #set(side, end, name) {
    noteName(end, name);
    if (side === "from") this.#from = end;
    else this.#to = end;
    this.#changed();
  }

  #swap() {
    if (!this.#to) return;
    [this.#from, this.#to] = [this.#to, this.#from];
    this.#changed();
    announce("Start and destination swapped.");
  }

  #changed() {
    history.replaceState(history.state, "", addressOf("/route", { from: this.#from, to: this.#to }));
    this.#drawEnds();
    this.#load();
  }

  // MARK: preferences

  #openOptions() {
    openPreferences((preferences) => {
      this.#preferences = preferences;
      this.#drawOptions();
      this.#load();
    });
  }

  #drawOptions() {
    const text = preferencesText(this.#preferences);
    this.#options.replaceChildren(icon("settings"), text ? `Preferences: ${text}` : "Preferences");
  }

  /** A walk that goes on: the way back to it. */
  #drawGoing() {
    const kept = new KeptWalk().load(this.#net.account?.id ?? null);
    if (!kept) return;
    const words = kept.name ? `You're walking to ${kept.name}. ` : "You're on a walk. ";
    this.#going.replaceChildren(h("a", { class: "notice good", href: "/walk", id: "go-on" }, icon("walk"),
      h("span", { class: "grow" }, words, h("strong", {}, "Go on"))));
  }

  // MARK: routes

  #load() {
    this.#isWanting = false;
    this.#clear();
    if (this.#to) {
      this.#loader.load();
      return;
    }
    this.#routes = [];
    this.#map.setRoute(null);
    setText(this.#status, "Choose where you want to go.");
  }

  async #find() {
    const needsPosition = [this.#from, this.#to].some(({ kind }) => kind === "me");
    const position = needsPosition ? await positionNow() : null;
    if (position) this.#map.setPlace(position);
    const preferences = wirePreferences(this.#preferences);
    return this.#net.request("routes.find", {
      from: wireEnd(this.#from, position), to: wireEnd(this.#to, position), ...(Object.keys(preferences).length > 0 && { preferences }),
      alternatives: true,
    });
  }

  #clear() {
    for (const part of [this.#problem, this.#result, this.#foot]) part.replaceChildren();
  }

  #drawLoading() {
    this.#clear();
    setText(this.#status, this.#net.state === "offline" ? "You're offline. Directions appear when you're back online."
      : this.#from.kind === "me" ? "Finding your location and a route…" : "Finding a route…");
  }

  #failed(error) {
    this.#isWanting = isOnlyOffline(error, this.#net);
    this.#routes = [];
    this.#map.setRoute(null);
    if (this.#isWanting) {
      setText(this.#status, "You're offline. Directions appear when you're back online.");
      return;
    }
    setText(this.#status, "");
    // Trouble of the browser's geolocation has a text; the server's errors begin small.
    const isPosition = error.text !== undefined;
    const text = isPosition ? positionProblem(error) : sentence(error.message);
    const button = (label, run, className = "") => h("button", { class: `button ${className}`, type: "button", onclick: run }, label);
    const remedy = remedyOf(error, this.#preferences);
    const runs = {
      from: () => button("Choose a start", () => this.#choose("from"), "primary"),
      to: () => button("Choose a destination", () => this.#choose("to"), "primary"),
      steps: () => button("Allow steps", () => this.#allowSteps(), "primary"),
      preferences: () => button("Change preferences", () => this.#openOptions(), "primary"),
    };
    this.#problem.replaceChildren(
      h("div", { class: "notice warn", role: "alert", id: "route-problem" }, icon("warning"), h("p", {}, text)),
      h("div", { class: "row" }, remedy ? runs[remedy]() : null, button("Try again", () => this.#load())));
    this.#sheet.body.scrollTop = 0;
    if (this.#sheet.stop === "peek") this.#sheet.set("half");
  }

  #allowSteps() {
    this.#preferences = { ...this.#preferences, stepFree: false, noStairs: false };
    keepPreferences(this.#preferences);
    this.#drawOptions();
    this.#load();
    refocus(this.#options);
  }

  #found(routes) {
    this.#routes = routes;
    this.#selected = 0;
    setText(this.#status, "");
    announce(`${routes.length === 1 ? "1 route" : `${routes.length} routes`}. The first takes ${minutesText(routes[0].seconds)}.`);
    this.#drawResult();
    this.#map.fit();
  }

  #select(index) {
    this.#selected = index;
    this.#drawResult();
    this.#map.fit();
    this.#result.querySelector("input:checked")?.focus({ preventScroll: true });
  }

  async #drawResult() {
    const route = this.#routes[this.#selected];
    const path = new RoutePath(route.points);
    const name = nameNow(this.#to);
    this.#result.replaceChildren(
      alternativesList(this.#routes, { selected: this.#selected, chosen: (index) => this.#select(index),
        isStepFree: this.#preferences.stepFree }),
      h("ul", { class: "route-notes" },
        h("li", {}, icon("clock"), `You'd arrive at ${timeText(Date.now() + route.seconds * 1_000)}.`),
        ...notesOf(route, path).map(([iconName, text]) => h("li", {}, icon(iconName), text))),
      directionsList(route, { destination: name ?? "Destination" }));
    if (!this.#foot.hasChildNodes()) {
      const href = addressOf("/walk", { from: this.#from, to: this.#to });
      this.#foot.append(h("a", { class: "button primary wide", id: "start-walk", href }, icon("walk"), "Start walking"));
    }
    this.#map.setRoute({ ...route, name }, this.#routes.filter((_, index) => index !== this.#selected));
    this.#floors.use(route);
    this.#drawLevels(this.#floors.firstLevel);
    await this.#floors.load(route);
    if (!this.#isClosed && route === this.#routes[this.#selected]) this.#drawLevels(this.#level ?? this.#floors.firstLevel);
  }

  #drawLevels(level) {
    this.#level = level;
    this.#levels.draw(this.#floors.levels, level);
    this.#map.setLevel(level, this.#floors.plan(level));
  }

  #showLevel(level) {
    this.#drawLevels(level);
    announce(`${levelText(level)}.`);
  }
}

/** What there is to say about a route besides its directions: `[[icon, sentence], …]`. */
function notesOf(route, path) {
  return [["group", crowdSentence(route, path)], ["question", uncertainSentence(route, path)], ["info", entrySentence(route)]]
    .filter(([, text]) => text !== null);
}

/** What helps after a failure: another start (`from`) or destination (`to`), `steps`, other `preferences`, or null. */
function remedyOf({ text, message, data }, { stepFree, noStairs }) {
  if (text !== undefined) return "from";
  if (["from", "to"].includes(data?.field)) return data.field;
  if ((stepFree || noStairs) && /\ballow steps\b/.test(message)) return "steps";
  if (/\bwith these preferences\b/.test(message)) return "preferences";
  if (/\baway from the start\b/.test(message)) return "from";
  return /\b(to the|another) destination\b/.test(message) ? "to" : null;
}

/** Without a position there are other ways to say where one starts. */
function positionProblem({ code, text }) {
  if (code === "unavailable") return "Your location wasn't found. Step outside and try again, or choose a start.";
  return `${text} Or choose a start.`;
}
