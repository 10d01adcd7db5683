// What the live map shows on and around the map: the map itself, its controls, the followed runner, and people.

import { announce, h } from "../kit/dom.js";
import { keepMap, keptMap } from "./memory.js";
import { mayAnimate } from "../map/animation.js";
import { narrow } from "../map/narrow.js";
import { nextTask } from "../map/nexttask.js";
import { makeRunnerLayer } from "../map/runnerlayer.js";
import { fromUnit } from "../client/mercator.js";
import { Following } from "./following.js";
import { makeHeatmap } from "../heatmap/heatmap.js";
import { mapLegend } from "./legend.js";
import { makeMapPlaces } from "./savedplaces.js";
import { makeMapMe } from "./me.js";
import { makeMapPeople } from "./people.js";
import { loadStyles } from "../kit/styles.js";
import { makeMapTools, mapButton } from "../map/tools.js";
import { WholeCampus } from "./wholecampus.js";

/** What stands on the live map and around it. `app` has its features. */
export class MapStage {
  #app; #query; #mapElement; #frame; #panel; #seen; #asks;
  #ending = new AbortController();
  /** Null where the map could not be loaded. */
  #view;
  #layer = null;
  #following; #whole; #me; #people; #heat; #places; #tools;
  #peoplePlace = h("div", {});
  /** The panel's height before a pin is set, or null. */
  #stopBefore = null;
  #stopInspection = () => {};
  /** The place that was tapped, with the first tap. */
  #tapped = null;

  /**
   * `element` is the page's, `mapElement` and the `panel` are in it; `frame` is the part that they leave free, `seen` the visible part of
   * the map `view`, which may be null. `look(isSettled)` asks for the runners in what the map shows.
   */
  constructor(app, query, { element, mapElement, frame, panel, seen, view, look }) {
    this.#app = app;
    this.#query = query;
    this.#mapElement = mapElement;
    this.#frame = frame;
    this.#panel = panel;
    this.#seen = seen;
    this.#view = view;
    this.#asks = look;
    const { sheet } = panel;
    this.#following = new Following(app, { stage: element, mapElement, sheet, frame, onChange: () => panel.drawRunners() });
    this.#whole = new WholeCampus({ frame, mayShow: () => this.#following.session === null && seen.hasCampus });
    this.#people = this.#makePeople();
    this.#addControls();
    this.#peoplePlace.append(this.#people.element ?? "");
    panel.fill(this.#following.element, this.#peoplePlace);
    if (view) mapElement.after(this.#tools.element, mapLegend(), this.#heat.legend, this.#following.button, this.#me.note);
    this.#start();
  }

  #start() {
    const { net, roster } = this.#app;
    const { signal } = this.#ending;
    net.addEventListener("account", () => this.#meetPeople(), { signal });
    roster.addEventListener("change", () => this.#layer?.invalidate(), { signal });
    roster.addEventListener("state", ({ detail: { runner } }) => this.#following.announceState(runner), { signal });
    addEventListener("keydown", (event) => this.#escape(event), { signal });
    if (this.#view) nextTask().then(() => { if (!signal.aborted) this.#attach(this.#view); });
    addEventListener("pagehide", () => this.#keep(), { signal });
  }

  /** The followed session, or null. */
  get followed() { return this.#following.session; }

  /** The crowds on the map. */
  get clusters() { return this.#layer?.clusters() ?? []; }

  /** The middle of the map. */
  get centre() { return this.#view.map.getCenter(); }

  /** Follows the session of a row that was chosen, or moves to it again. */
  select(session) {
    if (session === this.followed) this.#following.resume();
    else this.#following.follow(session);
  }

  /** Draws the followed runner after a change. */
  draw() {
    this.#following.pin();
    this.#following.update();
  }

  /** Once a second. */
  tick() {
    this.#following.update();
    // Ages in the labels of offline runners.
    this.#layer?.invalidate();
    this.#following.moveOn();
  }

  close() {
    this.#keep();
    this.#ending.abort();
    this.#tools.destroy();
    for (const part of [this.#following, this.#heat, this.#places, this.#people, this.#me]) part.close();
    this.#stopInspection();
  }

  // MARK: parts

  #makePeople() {
    return makeMapPeople(this.#app, {
      offset: () => this.#frame.offset(), onMove: () => this.#following.pause(), obstacles: () => this.#frame.obstacles(),
    });
  }

  /** The controls that stand on the map. */
  #addControls() {
    const opener = (button) => this.#tools.opener(button);
    this.#me = makeMapMe(this.#app, {
      offset: () => this.#frame.offset(), opener, onMove: () => this.#following.pause(),
      onPinning: (isPinning) => this.#setPinning(isPinning),
    });
    this.#panel.sheet.element.addEventListener("transitionend", ({ target, propertyName }) => {
      if (target === this.#panel.sheet.element && propertyName === "height") this.#whole.rested();
    });
    const fit = mapButton({ id: "fit", label: "Show whole campus", iconName: "fit", onclick: () => {
      this.#following.pause();
      this.#whole.show();
    } });
    this.#heat = makeHeatmap({ net: this.#app.net, opener });
    this.#places = makeMapPlaces({ app: this.#app, wanted: Number(this.#query?.get("saved")) || null });
    const directions = mapButton({ id: "to-route", href: "/route", label: "Directions", iconName: "arrow" });
    const others = [fit, directions, this.#heat.button, this.#places.button, this.#me.pin];
    this.#tools = makeMapTools({ first: [this.#me.locate], others });
  }

  /** A map that waits for a tap is bare: the panel and the note about the pin share its lower edge. */
  #setPinning(isPinning) {
    const { sheet } = this.#panel;
    if (isPinning) this.#stopBefore = sheet.stop;
    sheet.set(isPinning ? "peek" : this.#stopBefore ?? sheet.stop);
    // The whole campus stays in the middle of what the panel leaves, also when the panel has come to rest.
    this.#whole.refit({ isMoving: narrow.matches });
  }

  /** The account changed, or is known at last: other people share with it. */
  #meetPeople() {
    this.#people.close();
    this.#people = this.#makePeople();
    this.#peoplePlace.replaceChildren(this.#people.element ?? "");
    if (!this.#view) return;
    this.#people.attach(this.#view);
    this.#people.look(this.#seen.box);
    this.#showShare();
  }

  // MARK: the map

  #attach(view) {
    this.#heat.setView(view);
    this.#places.setView(view);
    this.#layer = this.#makeLayer(view);
    view.whenThemeChanges(() => {
      this.#layer.restyle();
      this.#following.restyle();
      this.#panel.drawRunners();
    });
    this.#listen(view.map);
    this.#me.attach(view);
    this.#people.attach(view);
    this.#addClosures(view);
    this.#whole.attach(view);
    if (view.bounds) this.#whole.moved();
    this.#stopInspection = this.#app.inspection.register({
      runners: () => this.#layer.shown(), clusters: () => this.#layer.clusters(), labels: () => this.#layer.labels(),
      people: () => this.#people.shown(), names: () => view.campusLayer.names.shown(), me: () => this.#me.shown(),
      drawing: () => this.#layer.cost, heat: () => ({ cells: this.#heat.cells, ...this.#heat.cost }),
    });
    this.#following.attach(view, this.#layer);
    if (this.#following.session !== null || this.#query?.size > 0) this.#look(true);
    else this.#goOn();
    const wanted = Number(this.#query?.get("follow"));
    // A runner that was chosen in the list before the map was there counts more.
    if (wanted > 0 && this.#following.session === null) this.#following.follow(wanted);
    this.#showShare();
  }

  /** What is out of order or closed comes after all else. */
  async #addClosures(view) {
    try {
      const [{ makeClosureMarks }] = await Promise.all([import("../routes/closuremarks.js"), loadStyles("/app/routes/routes.css")]);
      if (this.#ending.signal.aborted) return;
      const marks = makeClosureMarks(view, this.#app);
      this.#ending.signal.addEventListener("abort", () => marks.close());
    } catch {
      // The map is complete without them.
    }
  }

  #makeLayer(view) {
    const { roster, net } = this.#app;
    const layer = makeRunnerLayer(view.L, {
      roster, clock: net.clock, names: view.campusLayer.names,
      obstacles: () => this.#frame.obstacles().concat(this.#people.boxes()),
      onSelectCluster: (cluster) => this.zoomTo(cluster),
      onSelect: (session, where) => {
        if (this.#me.isPinning) return;
        if (session === null) this.#tapGround(where);
        else this.#following.follow(session);
      },
    });
    return layer.addTo(view.map);
  }

  /** Shows the place or building there, whose code is loaded with the first tap. */
  async #tapGround(where) {
    const { signal } = this.#ending;
    try {
      const { PlaceTap } = await import("./placetap.js");
      if (signal.aborted) return;
      if (!this.#tapped) {
        this.#tapped = new PlaceTap(this.#app, this.#view);
        this.#panel.sheet.body.prepend(this.#tapped.element);
      }
      if (!(await this.#tapped.show(where)) || signal.aborted) return;
      const { body, stop } = this.#panel.sheet;
      if (stop === "peek") this.#panel.sheet.set("half");
      body.scrollTop = 0;
    } catch {
      // The search finds it too.
    }
  }

  #listen(map) {
    map.on("move", () => this.#people.look(this.#seen.box));
    map.on("moveend", () => this.#whole.moved());
    // A map that is moved by hand stays there: following goes on in the panel, and on the map when it is asked for.
    map.on("dragstart", () => {
      this.#panel.isMapDragged = true;
      this.#following.pause();
    });
    map.on("dragend", () => { this.#panel.isMapDragged = false; });
    this.#mapElement.addEventListener("keydown", ({ key }) => { if (key.startsWith("Arrow")) this.#following.pause(); });
  }

  #look(isSettled) {
    this.#asks(isSettled);
    this.#people.look(this.#seen.box);
  }

  #showShare() {
    const share = Number(this.#query?.get("share"));
    if (share > 0) this.#people.show(share);
  }

  /** Zooms in on a crowd at least one step, so that it fills the free part of the map: some steps on its runners come one by one. */
  zoomTo({ unitX, unitY, box: [south, west, north, east] }) {
    const { map } = this.#view;
    const fitting = this.#frame.zoomFor(this.#view, [[south, west], [north, east]]);
    const zoom = Math.min(map.getMaxZoom(), Math.max(map.getZoom() + 1, fitting));
    const { lat, lon } = fromUnit(unitX, unitY);
    this.#following.pause();
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(this.#frame.offset()), zoom), zoom, { animate: mayAnimate() });
    announce("Zoomed in.");
  }

  // MARK: leaving and coming back

  /** Shows what the page showed when it was left. */
  #goOn() {
    const kept = keptMap();
    if (!kept) return this.#look(true);
    this.#panel.sheet.set(kept.sheet);
    if (!kept.isWhole) this.#view.map.setView([kept.lat, kept.lon], kept.zoom, { animate: false });
    this.#look(true);
    if (kept.session !== null) this.#following.follow(kept.session, { isReturn: true });
    if (kept.isPaused) this.#following.pause();
    return undefined;
  }

  #keep() {
    if (!this.#view) return;
    const { map } = this.#view;
    const { lat, lng } = map.getCenter();
    keepMap({
      isWhole: this.#whole.isShown, session: this.#following.liveSession, isPaused: this.#following.isPaused, lat, lon: lng,
      zoom: map.getZoom(), sheet: this.#me.isPinning ? this.#stopBefore : this.#panel.sheet.stop,
    });
  }

  #escape(event) {
    if (event.key === "Escape" && this.#following.session !== null && !document.querySelector("dialog[open]")) {
      this.#following.follow(null);
    }
  }
}
