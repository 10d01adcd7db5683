// All runners on one canvas: trails, dots, names; drawn each frame while anything moves, with hit-testing.

import { makeCanvasLayer } from "./canvaslayer.js";
import { clusterAt, drawClusters, gather } from "./clusters.js";
import { fromUnit, unitMetres } from "../client/mercator.js";
import { runnerColour } from "./palette.js";
import { drawDot, drawPoints } from "./runnerglyphs.js";
import { RunnerLabels } from "./runnerlabels.js";
import { drawTrail } from "./runnertrail.js";
import { currentTheme, token } from "../kit/theme.js";

/** The part of the map that the canvas reaches beyond it on each side. */
const padding = 0.2;
const labelEveryMilliseconds = 180;
/** Points of all trails together: with many runners each trail is shorter. */
const trailPointsDrawnMax = 6_000;
/** With more in view, or closer together, shapes would only cover each other: plain points until the map is zoomed in. */
const shapesInViewMax = 400;
const crowdMin = 30;
const crowdCellPixels = 40;
/** Runners in a square of that size where there is anybody: more make a crowd, and less end it. */
const crowdDensity = { begins: 2.4, ends: 1.8 };
const hitPixels = 22;
/** So far beyond the canvas's edge a runner's dot or trail may still reach it. */
const reachPixels = 40;
const frameShareMax = 0.4;
/** Between two frames a dot moves at most half a pixel: more frames than that would only cost battery. */
const pixelsBetweenFramesMax = 0.5;
const frameMillisecondsMax = 125;
/** Faster than riders are. */
const metresPerSecondMax = 10;

/**
 * Makes the layer over a roster. `onSelect(session or null, where)` for clicks, `onSelectCluster(cluster)` for those on a crowd. Labels
 * stay off `obstacles()`, boxes in the map's pixels, and before the `names` of the campus.
 */
export function makeRunnerLayer(L, { roster, clock, onSelect = () => {}, onSelectCluster = () => {}, obstacles = () => [], names = null }) {
  return new RunnerLayer(L, { roster, onSelect, onSelectCluster, labels: new RunnerLabels({ clock, obstacles, names }) });
}

/** Runners on a map. */
class RunnerLayer {
  /** The session drawn above the rest with its name, or null. */
  followed = null;
  /** Number of frames drawn and their total duration in ms, for measurements. */
  cost = { frames: 0, milliseconds: 0 };

  #roster; #labels; #onSelect; #onSelectCluster;
  #layer;
  #map = null;
  /** `{session, entry, runner, x, y, unitX, unitY}` of each runner in the last frame, the top one last. */
  #drawn = [];
  #clusters = [];
  /** Options of `drawTrail`, one object for all trails of all frames. */
  #trail = { now: 0, theme: "light", pointsMax: 0, isFollowed: false };
  #hovered = null;
  #hoveredCluster = null;
  #isCrowded = false;
  #style = readStyle();
  #isDirty = true;
  #isZooming = false;
  #isAdded = false;
  #labelledAt = 0;
  #notBefore = 0;
  #paintCost = 0;
  /** What waits for the next frame: a request of a frame, or the timer before it. Both 0 while nothing changes. */
  #frameRequest = 0;
  #frameTimer = 0;

  constructor(L, { roster, labels, onSelect, onSelectCluster }) {
    this.#roster = roster;
    this.#labels = labels;
    this.#onSelect = onSelect;
    this.#onSelectCluster = onSelectCluster;
    this.#layer = makeCanvasLayer(L, {
      padding, pane: "markerPane", className: "runner-layer", paint: (context, frame) => this.#paint(context, frame),
    });
    this.#layer.on("add", () => this.#added());
    this.#layer.on("remove", () => this.#removed());
  }

  addTo(map) {
    this.#map = map;
    this.#layer.addTo(map);
    return this;
  }

  /** Draws now. */
  redraw() {
    this.#layer.redraw();
  }

  /** Draws with the next frame, as something changed that does not move. */
  invalidate() {
    this.#isDirty = true;
    this.#schedule();
  }

  /** Takes the colours of the current theme. */
  restyle() {
    this.#style = readStyle();
    this.invalidate();
  }

  // MARK: frames

  #added() {
    this.#map.on(this.#mapEvents);
    this.#isAdded = true;
    this.#schedule();
  }

  #removed() {
    this.#map.off(this.#mapEvents);
    this.#isAdded = false;
    this.#unschedule();
  }

  /** Asks for a frame as soon as one may be drawn: a page that asks for each frame keeps a phone's processor awake. */
  #schedule() {
    if (!this.#isAdded || this.#frameRequest !== 0 || this.#frameTimer !== 0) return;
    const wait = this.#notBefore - performance.now();
    if (wait <= 0) this.#frameRequest = requestAnimationFrame(this.#tick);
    else this.#frameTimer = setTimeout(this.#requestFrame, wait);
  }

  #requestFrame = () => {
    this.#frameTimer = 0;
    this.#frameRequest = requestAnimationFrame(this.#tick);
  };

  #unschedule() {
    cancelAnimationFrame(this.#frameRequest);
    clearTimeout(this.#frameTimer);
    this.#frameRequest = this.#frameTimer = 0;
  }

  #mapEvents = {
    zoomanim: () => { this.#isZooming = true; },
    zoomstart: () => { this.#isZooming = true; },
    zoomend: () => {
      this.#isZooming = false;
      this.#labelledAt = 0;
      this.invalidate();
    },
    click: ({ containerPoint, latlng }) => this.#click(containerPoint, latlng),
    mousemove: ({ containerPoint }) => this.#hover(containerPoint),
  };

  #tick = (now) => {
    this.#frameRequest = 0;
    // The end of the zoom asks for a frame.
    if (this.#isZooming) return;
    if (!this.#isDirty && !this.#moves(now)) return;
    this.#layer.redraw();
    // One more frame after the last movement ends; new movements, and labels with an age in them, come by `invalidate`.
    if (this.#moves(performance.now())) this.invalidate();
  };

  /** Whether any runner's dot moves at `now`. */
  #moves(now) {
    for (const entry of this.#roster.entries.values()) if (entry.glide.isMoving(now)) return true;
    return false;
  }

  #paint(context, frame) {
    const started = performance.now();
    this.#drawn = this.#collect(frame, started);
    const drawn = this.#drawn;
    const isLabelTime = started - this.#labelledAt > labelEveryMilliseconds;
    if (isLabelTime) this.#isCrowded = isCrowd(drawn, this.#isCrowded);
    this.#drawRunners(context, frame, started);
    if (isLabelTime) {
      this.#labelledAt = started;
      this.#labels.place(context, frame, this.#isCrowded ? drawn.filter(this.#isEmphasised) : drawn, {
        map: this.#layer._map, corner: this.#layer.drawn.corner, priorityOf: this.#priorityOf,
      });
    }
    this.#labels.draw(context, drawn, this.#style, this.#isEmphasised);
    this.#clusters = drawClusters(context, frame, gather(this.#roster, frame.scale), this.#style, this.#hoveredCluster);
    this.#isDirty = false;
    // On a slow machine fewer frames are better than a page that does not answer: drawing gets a share of the time.
    const cost = performance.now() - started;
    this.cost.frames += 1;
    this.cost.milliseconds += cost;
    this.#paintCost += (cost - this.#paintCost) * 0.2;
    this.#notBefore = started + Math.max(this.#paintCost / frameShareMax, this.#pauseAt(frame.scale));
  }

  /** Milliseconds in which nobody moves far enough to be seen; map movements need no frames, the canvas goes along with them. */
  #pauseAt(scale) {
    const drawn = this.#drawn;
    if (drawn.length === 0) return 0;
    const metresPerPixel = unitMetres(drawn[0].runner.lat) / scale;
    let rate = 1;
    for (const { runner } of drawn) if (runner.rate > rate) rate = runner.rate;
    // A little less than so many frames of the screen, so that it is not one more.
    return Math.min(frameMillisecondsMax, (pixelsBetweenFramesMax * metresPerPixel * 1000) / (metresPerSecondMax * rate)) - 4;
  }

  #collect({ scale, left, top, width, height }, now) {
    const items = [];
    const point = { x: 0, y: 0 };
    for (const [session, entry] of this.#roster.entries) {
      entry.glide.place(now, point);
      const x = point.x * scale - left;
      const y = point.y * scale - top;
      if (x < -reachPixels || y < -reachPixels || x > width + reachPixels || y > height + reachPixels) continue;
      items.push({ session, entry, runner: entry.runner, x, y, unitX: point.x, unitY: point.y });
    }
    // Points cover so little of each other that their order does not matter.
    if (this.#isCrowded) return items;
    return items.sort(this.#byLayer);
  }

  /** Draws trails and dots; of a crowd plain points, and only those emphasised as usual. */
  #drawRunners(context, frame, now) {
    const drawn = this.#drawn;
    const isCrowded = this.#isCrowded;
    const { theme, ring } = this.#style;
    const trailPoints = Math.floor(trailPointsDrawnMax / Math.max(1, drawn.length));
    const shapes = isCrowded ? drawn.filter(this.#isEmphasised) : drawn;
    const trail = this.#trail;
    trail.now = now;
    trail.theme = theme;
    for (const item of shapes) {
      trail.pointsMax = this.#isEmphasised(item) ? Infinity : trailPoints;
      trail.isFollowed = item.session === this.followed;
      drawTrail(context, frame, item, trail);
    }
    if (isCrowded) drawPoints(context, drawn, this.#style);
    for (const item of shapes) {
      const { state, heading } = item.runner;
      const emphasis = item.session === this.followed;
      drawDot(context, item.x, item.y, { state, heading, colour: runnerColour(item.session, theme), ring, emphasis });
    }
  }

  #isEmphasised = ({ session }) => session === this.followed || session === this.#hovered;

  /** Items from below: those emphasised above the others, and among them those farther south. */
  #byLayer = (a, b) => Number(this.#isEmphasised(a)) - Number(this.#isEmphasised(b)) || a.y - b.y;

  #priorityOf = ({ session }) => (session === this.followed ? 2 : session === this.#hovered ? 1 : 0);

  // MARK: the pointer

  /** A point of the map in the canvas's pixels. */
  #onCanvas(point) {
    return this.#layer._map.containerPointToLayerPoint(point).subtract(this.#layer.drawn.corner);
  }

  /** The runner whose label or dot is at a point of the map, the nearest one; null without one. */
  #hit(point) {
    const offset = this.#onCanvas(point);
    let best = null;
    let bestDistance = hitPixels;
    for (const item of this.#drawn) {
      const distance = this.#labels.covers(item, offset) ? 1 : Math.hypot(item.x - offset.x, item.y - offset.y);
      if (distance < bestDistance || (distance === bestDistance && item.session === this.followed)) [best, bestDistance] = [item, distance];
    }
    return best;
  }

  #hitCluster(point) {
    return clusterAt(this.#clusters, this.#onCanvas(point));
  }

  #click(point, where) {
    const cluster = this.#hitCluster(point);
    if (cluster) this.#onSelectCluster(cluster);
    else this.#onSelect(this.#hit(point)?.session ?? null, where);
  }

  #hover(point) {
    const cluster = this.#hitCluster(point)?.key ?? null;
    const session = cluster === null ? this.#hit(point)?.session ?? null : null;
    if (session === this.#hovered && cluster === this.#hoveredCluster) return;
    this.#hovered = session;
    this.#hoveredCluster = cluster;
    this.#labelledAt = this.#notBefore = 0;
    this.#unschedule();
    this.invalidate();
    this.#map.getContainer().classList.toggle("over-runner", session !== null || cluster !== null);
  }

  // MARK: readings

  /** The runners drawn: `{session, name, state, lat, lon, x, y}`, with x and y in CSS pixels of the window. */
  shown() {
    if (!this.#layer.canvas) return [];
    const box = this.#layer.canvas.getBoundingClientRect();
    return this.#drawn.map(({ session, runner, x, y, unitX, unitY }) => (
      { session, name: runner.name, state: runner.state, ...fromUnit(unitX, unitY), x: box.left + x, y: box.top + y }));
  }

  /** The labels, `{session, text, left, top, right, bottom}`, in CSS pixels of the window. */
  labels() {
    if (!this.#layer.canvas) return [];
    const corner = this.#layer.canvas.getBoundingClientRect();
    return this.#drawn.filter(({ session }) => this.#labels.textOf(session) !== undefined).map((item) => {
      const { left, top, right, bottom } = this.#labels.boxOf(item);
      return {
        session: item.session, text: this.#labels.textOf(item.session),
        left: left + corner.left, top: top + corner.top, right: right + corner.left, bottom: bottom + corner.top,
      };
    });
  }

  /** Crowds that are drawn as numbers, `{key, count, lat, lon, box, unitX, unitY, x, y}`, with x and y in CSS pixels of the window. */
  clusters() {
    if (!this.#layer.canvas) return [];
    const corner = this.#layer.canvas.getBoundingClientRect();
    return this.#clusters.map(({ x, y, ...cluster }) => (
      { ...cluster, ...fromUnit(cluster.unitX, cluster.unitY), x: corner.left + x, y: corner.top + y }));
  }
}

function isCrowd(items, wasCrowd) {
  if (items.length < crowdMin || items.length > shapesInViewMax) return items.length >= crowdMin;
  const cells = new Set(items.map(({ x, y }) => Math.floor(x / crowdCellPixels) * 10_007 + Math.floor(y / crowdCellPixels)));
  return items.length / cells.size > (wasCrowd ? crowdDensity.ends : crowdDensity.begins);
}

function readStyle() {
  return {
    theme: currentTheme(), ring: token("--map-ring"), crowd: token("--accent"), crowdInk: token("--on-accent"), pill: token("--surface"),
    ink: token("--ink"),
  };
}
