// The spectator map. This module has what is shown first: the panel with everyone in view, and the map. What stands on the map comes after
// that (stage.js), because over a slow network it takes longer.

import { h } from "../kit/dom.js";
import { nextTask } from "../map/nexttask.js";
import { firstView, viewPadding } from "./firstview.js";
import { MapFrame } from "./frame.js";
import { mapProblem } from "./mapproblem.js";
import { chosenRunner, keepChosenRunner, keptMap } from "./memory.js";
import { MapPanel } from "./panel.js";
import { SeenArea, boxOf } from "./seenarea.js";

/** Text need not change more often than it can be read. */
const panelEveryMilliseconds = 400;

/** Shows `/map`; the query may have `follow` (a session), `share` or `saved` (a place). */
export function show(root, { query }, app) {
  const page = new LiveMap(app, query);
  root.append(page.element);
  page.start();
  return () => page.close();
}

/** The page with the live map. */
class LiveMap {
  element = h("div", { class: "stage" });

  #app; #query;
  #ending = new AbortController();
  #isClosed = false;
  #mapElement = h("div", { class: "map", id: "map" });
  #seen = new SeenArea();
  #panel; #frame;
  /** The map, once it has been loaded. */
  #view = null;
  /** What stands on the map, once it has been loaded. */
  #stage = null;
  /** The session whose row was chosen before, also before a reload that loads the features: see shell/featurestart.js. */
  #chosen = chosenRunner();
  /** False when the map could not be loaded. */
  #hasMap = true;
  /** Whether the list has been drawn with all runners in view. */
  #isListed = false;
  #watch = null;
  #ticker = 0;
  #panelTimer = 0;

  constructor(app, query) {
    this.#app = app;
    this.#query = query;
    this.#panel = new MapPanel(app, {
      seen: this.#seen, followed: () => (this.#stage ? this.#stage.followed : this.#chosen), clusters: () => this.#stage?.clusters ?? [],
      centre: () => this.#stage.centre, onZoom: (cluster) => this.#stage.zoomTo(cluster), onSelect: (session) => this.#select(session),
    });
    const { sheet } = this.#panel;
    this.#frame = new MapFrame({ stage: this.element, mapElement: this.#mapElement, sheet: sheet.element });
    this.element.append(this.#mapElement, sheet.element);
  }

  /** Begins to watch, once the page is in the document. */
  start() {
    const { net, roster } = this.#app;
    const { signal } = this.#ending;
    this.#watch = roster.watch();
    roster.addEventListener("change", () => this.#changed(), { signal });
    net.addEventListener("state", () => this.#drawState(), { signal });
    this.#ticker = setInterval(() => this.#tick(), 1000);
    this.#loadMap();
    this.#drawState();
  }

  close() {
    this.#isClosed = true;
    this.#ending.abort();
    clearTimeout(this.#panelTimer);
    clearInterval(this.#ticker);
    this.#stage?.close();
    this.#view?.destroy();
    this.#view = null;
    this.#watch.close();
    keepChosenRunner(null);
  }

  // MARK: the map

  /** The map comes first, and then what stands on it. */
  async #loadMap() {
    const options = { label: "Live campus map", padding: () => this.#frame.padding() };
    const drawing = import("../map/mapview.js")
      .then(({ makeBareMap }) => (this.#isClosed ? null : makeBareMap(this.#mapElement, this.#app, options)));
    this.#app.campusMap().catch(() => {});
    try {
      const view = await drawing;
      await nextTask();
      this.#attach(view);
    } catch {
      this.#doWithout();
    }
    try {
      await this.#addStage();
    } catch {
      this.#mapElement.append(mapProblem("Couldn't load all of the map."));
    }
  }

  /** Adds what stands on the map, which features of the app need as well. */
  async #addStage() {
    const shapes = this.#view?.complete().catch(() => this.#doWithout());
    const [{ MapStage }] = await Promise.all([import("./stage.js"), this.#app.features(), shapes]);
    await nextTask();
    if (this.#isClosed) return;
    this.#stage = new MapStage(this.#app, this.#query, {
      element: this.element, mapElement: this.#mapElement, frame: this.#frame, panel: this.#panel, seen: this.#seen,
      view: this.#view, look: (isSettled) => this.#look(isSettled),
    });
    if (this.#chosen !== null) this.#stage.select(this.#chosen);
    keepChosenRunner(null);
    this.#drawPanel();
  }

  #attach(view) {
    if (this.#isClosed) return view?.destroy();
    this.#view = view;
    const kept = this.#query?.size > 0 ? null : keptMap();
    if (kept && !kept.isWhole) view.map.setView([kept.lat, kept.lon], kept.zoom, { animate: false });
    view.map.on("move", () => this.#look(false));
    view.map.on("moveend", () => this.#look(true));
    if (view.bounds) this.#look(true);
    return undefined;
  }

  /** Asks for what the map shows, and some of what is around it: what a finger drags in is there immediately. */
  #look(isSettled) {
    const bounds = this.#seen.read(this.#view);
    this.#watch.look(boxOf(bounds.pad(viewPadding)), this.#view.map.getZoom(), isSettled);
    this.#schedulePanel();
  }

  #doWithout() {
    if (this.#isClosed) return;
    this.#view?.destroy();
    this.#view = null;
    this.#seen.box = null;
    this.#hasMap = false;
    this.#mapElement.append(mapProblem("Couldn't load the map. The list still works."));
    this.#lookAhead();
  }

  /** Asks for what the map will show, so that the list does not wait for it: mostly the whole campus. */
  #lookAhead() {
    const bounds = (this.#app.net.campus ?? this.#app.lastCampus())?.bounds;
    const isElsewhere = this.#hasMap && (this.#query?.size > 0 || keptMap()?.isWhole === false);
    if (!bounds || isElsewhere || this.#seen.box !== null) return;
    const { offsetWidth: width, offsetHeight: height } = this.#mapElement;
    const { box, zoom } = firstView(bounds, { width, height }, this.#frame.padding());
    this.#watch.look(box, zoom);
  }

  #select(session) {
    if (this.#stage) return this.#stage.select(session);
    this.#chosen = session;
    keepChosenRunner(session);
    return this.#panel.drawRunners();
  }

  // MARK: drawing

  /** The first runners are listed immediately, later changes after a moment. */
  #changed() {
    if (this.#isListed || !this.#app.roster.isKnown) this.#schedulePanel();
    else this.#drawPanel();
  }

  #schedulePanel() {
    this.#panelTimer ||= setTimeout(() => this.#drawPanel(), panelEveryMilliseconds);
  }

  #drawPanel() {
    clearTimeout(this.#panelTimer);
    this.#panelTimer = 0;
    this.#isListed ||= this.#app.roster.isKnown;
    this.#stage?.draw();
    this.#panel.draw();
  }

  /** Without a connection the last data stay, and look it; the badge shows their age. */
  #drawState() {
    const { net } = this.#app;
    this.element.classList.toggle("is-stale", net.state !== "live" && (net.wasLive || this.#app.roster.keptAt !== null));
    this.#lookAhead();
    this.#drawPanel();
  }

  #tick() {
    this.#panel.drawLists();
    this.#stage?.tick();
  }
}
