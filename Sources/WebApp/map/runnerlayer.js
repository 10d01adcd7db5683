// All runners on one canvas: trails, dots, names; drawn each frame while anything moves, with hit-testing.

import { makeCanvasLayer } from "./canvaslayer.js";
import { clusterAt, drawClusters, gather } from "./clusters.js";
import { ago } from "../kit/format.js";
import { placeLabels } from "./labels.js";
import { fromUnit, unitMetres } from "../client/mercator.js";
import { runnerColour } from "./palette.js";
import { dotRadius, drawDot, drawPoints } from "./runnerglyphs.js";
import { currentTheme, token } from "../kit/theme.js";

// The part of the map that the canvas reaches beyond it on each side.
const padding = 0.2;
const labelEveryMilliseconds = 180;
/** Of all trails together: with many runners each one's is shorter. */
const trailPointsDrawnMax = 6_000;
/** With more in view, or closer together, shapes would only cover each other: plain points until one zooms in. */
const shapesInViewMax = 400;
const crowdMin = 30;
const crowdCellPixels = 40;
/** Runners in a square of that size where there is anybody: more make a crowd, and less end it. */
const crowdDensity = { begins: 2.4, ends: 1.8 };
const hitPixels = 22;
const frameShareMax = 0.4;
/** Between two frames a dot moves at most half a pixel: more frames than that would only cost battery. */
const pixelsBetweenFramesMax = 0.5;
const frameMillisecondsMax = 125;
/** Faster than riders are. */
const metresPerSecondMax = 10;

/**
 * Makes the layer over a roster. `onSelect(session or null)` for clicks, `onSelectCluster(cluster)` for those on a crowd. `layer.followed` is drawn above the rest with its name.
 * `layer.shown()` tells what was drawn where. Labels stay off `obstacles()`, boxes in the map's pixels, and before the `names` of the campus.
 */
export function makeRunnerLayer(L, { roster, clock, onSelect = () => {}, onSelectCluster = () => {}, obstacles = () => [], names = null }) {
  let drawn = [];
  let labels = new Map();
  let labelledAt = 0;
  let hovered = null;
  let clusters = [];
  let hoveredCluster = null;
  let frameRequest = 0;
  let notBefore = 0;
  let paintCost = 0;
  let crowded = false;
  let dirty = true;
  let style = readStyle();
  const widths = new Map();

  const layer = makeCanvasLayer(L, { padding, pane: "markerPane", className: "runner-layer", paint });
  layer.followed = null;

  function paint(context, frame) {
    const started = performance.now();
    drawn = collect(frame, started);
    const { theme } = style;
    const isLabelTime = started - labelledAt > labelEveryMilliseconds;
    if (isLabelTime) crowded = isCrowd(drawn, crowded);
    const trailPoints = Math.floor(trailPointsDrawnMax / Math.max(1, drawn.length));
    const trails = crowded ? drawn.filter(isEmphasised) : drawn;
    for (const item of trails) drawTrail(context, frame, item, started, isEmphasised(item) ? Infinity : trailPoints);
    if (crowded) drawPoints(context, drawn, style);
    for (const item of crowded ? drawn.filter(isEmphasised) : drawn) {
      drawDot(context, item.x, item.y, {
        state: item.runner.state, heading: item.runner.heading, colour: runnerColour(item.session, theme), ring: style.ring, emphasis: item.session === layer.followed,
      });
    }
    if (isLabelTime) {
      labelledAt = started;
      label(context, frame);
    }
    drawLabels(context);
    clusters = drawClusters(context, frame, gather(roster, frame.scale), style, hoveredCluster);
    dirty = false;
    // On a slow machine fewer frames are better than a page that does not answer: drawing gets a share of the time.
    const cost = performance.now() - started;
    layer.cost.frames += 1;
    layer.cost.milliseconds += cost;
    paintCost += (cost - paintCost) * 0.2;
    notBefore = started + Math.max(paintCost / frameShareMax, pauseAt(frame.scale));
  }

  /** Milliseconds in which nobody moves far enough to be seen; map movements need no frames, the canvas goes along with them. */
  function pauseAt(scale) {
    if (drawn.length === 0) return 0;
    const metresPerPixel = unitMetres(drawn[0].runner.lat) / scale;
    let rate = 1;
    for (const { runner } of drawn) if (runner.rate > rate) rate = runner.rate;
    // A little less than so many frames of the screen, so that it is not one more.
    return Math.min(frameMillisecondsMax, (pixelsBetweenFramesMax * metresPerPixel * 1000) / (metresPerSecondMax * rate)) - 4;
  }

  /** Places the labels; names of the campus make room for them and for what covers the map. */
  function label(context, frame) {
    const shown = crowded ? drawn.filter(isEmphasised) : drawn;
    const items = shown.map((item) => ({ ...item, ...labelOf(context, item), priority: item.session === layer.followed ? 2 : item.session === hovered ? 1 : 0 }));
    const { x, y } = layer._map.containerPointToLayerPoint([0, 0]).subtract(layer.drawn.corner);
    const size = layer._map.getSize();
    const blocked = obstacles().map(({ left, top, right, bottom }) => ({ left: left + x, top: top + y, right: right + x, bottom: bottom + y }));
    const nameBoxes = names?.boxes(frame) ?? [];
    labels = placeLabels(items, labels, { ...frame, visible: { left: x, top: y, right: x + size.x, bottom: y + size.y }, blocked, names: nameBoxes });
    if (!names) return;
    const taken = blocked.concat(items.filter(({ session }) => labels.has(session)).map((item) => labelBox(item, labels.get(item.session))));
    names.makeRoom(frame, taken, shown.map(({ x: left, y: top }) => ({ left: left - dotRadius, top: top - dotRadius, right: left + dotRadius, bottom: top + dotRadius })));
  }

  function isEmphasised(item) {
    return item.session === layer.followed || item.session === hovered;
  }

  function collect({ scale, left, top, width, height }, now) {
    const items = [];
    const point = { x: 0, y: 0 };
    for (const [session, entry] of roster.entries) {
      entry.glide.place(now, point);
      const x = point.x * scale - left;
      const y = point.y * scale - top;
      if (x < -40 || y < -40 || x > width + 40 || y > height + 40) continue;
      items.push({ session, entry, runner: entry.runner, x, y, unitX: point.x, unitY: point.y });
    }
    // Points cover so little of each other that their order does not matter.
    if (crowded) return items;
    return items.sort((a, b) => isEmphasised(a) - isEmphasised(b) || a.y - b.y);
  }

  function drawTrail(context, { scale, left, top }, item, now, pointsMax) {
    const { trail, glide } = item.entry;
    const last = trail.length - 1;
    const first = Math.max(0, last - pointsMax);
    if (last < 1) return;
    context.strokeStyle = runnerColour(item.session, style.theme).fill;
    context.lineWidth = item.session === layer.followed ? 5 : 3.5;
    context.lineJoin = context.lineCap = "round";
    const moves = glide.isMoving(now);
    // Older thirds are fainter: the trail says which way without an arrow.
    const parts = 3;
    for (let part = 0; part < parts; part += 1) {
      const from = first + Math.floor(((last - first) * part) / parts);
      const to = first + Math.floor(((last - first) * (part + 1)) / parts);
      context.globalAlpha = 0.2 + part * 0.2;
      context.beginPath();
      for (let index = from; index <= to; index += 1) {
        const isTip = index === last && moves;
        const x = isTip ? item.x : trail.x(index) * scale - left;
        const y = isTip ? item.y : trail.y(index) * scale - top;
        if (index === from) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  function labelOf(context, { session, runner }) {
    let text = runner.name;
    if (runner.state === "offline") text += ` · ${ago(clock.age(runner.at))}`;
    const key = `${session} ${text.length} ${runner.name}`;
    if (!widths.has(key)) {
      context.font = labelFont;
      if (widths.size > 4000) widths.clear();
      widths.set(key, context.measureText(text).width + 16);
    }
    return { text, width: widths.get(key), height: 21, radius: dotRadius };
  }

  function drawLabels(context) {
    const { pill, ink, theme } = style;
    context.font = labelFont;
    context.textAlign = "left";
    context.textBaseline = "middle";
    for (const item of drawn) {
      const label = labels.get(item.session);
      if (!label) continue;
      const x = item.x + label.dx;
      const y = item.y + label.dy;
      context.beginPath();
      roundedBox(context, x, y, label.width, label.height, 7);
      context.globalAlpha = 0.93;
      context.fillStyle = pill;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = runnerColour(item.session, theme).fill;
      context.lineWidth = isEmphasised(item) ? 2.5 : 1.25;
      context.stroke();
      context.fillStyle = ink;
      context.fillText(label.text, x + 8, y + label.height / 2 + 0.5);
    }
  }

  function tick(now) {
    frameRequest = requestAnimationFrame(tick);
    if (layer.isZooming || now < notBefore) return;
    if (!dirty) {
      let moves = false;
      for (const entry of roster.entries.values()) if (entry.glide.isMoving(now)) { moves = true; break; }
      // One more frame after the last movement ends, and labels with an age in them, come by `dirty`.
      if (!moves) return;
      dirty = true;
    }
    layer.redraw();
    for (const entry of roster.entries.values()) if (entry.glide.isMoving(performance.now())) { dirty = true; break; }
  }

  function hit(point) {
    const offset = layer._map.containerPointToLayerPoint(point).subtract(layer.drawn.corner);
    let best = null;
    let bestDistance = hitPixels;
    for (const item of drawn) {
      const label = labels.get(item.session);
      const inLabel = label && offset.x >= item.x + label.dx && offset.x <= item.x + label.dx + label.width
        && offset.y >= item.y + label.dy && offset.y <= item.y + label.dy + label.height;
      const distance = inLabel ? 1 : Math.hypot(item.x - offset.x, item.y - offset.y);
      if (distance < bestDistance || (distance === bestDistance && item.session === layer.followed)) [best, bestDistance] = [item, distance];
    }
    return best;
  }

  function hitCluster(point) {
    return clusterAt(clusters, layer._map.containerPointToLayerPoint(point).subtract(layer.drawn.corner));
  }

  function click({ containerPoint }) {
    const cluster = hitCluster(containerPoint);
    if (cluster) onSelectCluster(cluster);
    else onSelect(hit(containerPoint)?.session ?? null);
  }

  layer.invalidate = () => { dirty = true; };
  /** How often it was drawn, and how long that took, in ms: for measurements. */
  layer.cost = { frames: 0, milliseconds: 0 };
  layer.restyle = () => {
    style = readStyle();
    dirty = true;
  };
  layer.on("add", () => {
    const map = layer._map;
    map.on("zoomanim zoomstart", () => { layer.isZooming = true; });
    map.on("zoomend", () => { layer.isZooming = false; dirty = true; labelledAt = 0; });
    map.on("click", click);
    map.on("mousemove", (event) => {
      const cluster = hitCluster(event.containerPoint)?.key ?? null;
      const found = cluster === null ? hit(event.containerPoint)?.session ?? null : null;
      if (found === hovered && cluster === hoveredCluster) return;
      hovered = found;
      hoveredCluster = cluster;
      dirty = true;
      labelledAt = notBefore = 0;
      map.getContainer().classList.toggle("over-runner", found !== null || cluster !== null);
    });
    frameRequest = requestAnimationFrame(tick);
  });
  layer.on("remove", () => cancelAnimationFrame(frameRequest));

  /** What is drawn: `{session, name, state, lat, lon, x, y}`, with x and y in CSS pixels of the window. */
  layer.shown = () => {
    if (!layer.canvas) return [];
    const box = layer.canvas.getBoundingClientRect();
    return drawn.map(({ session, runner, x, y, unitX, unitY }) => (
      { session, name: runner.name, state: runner.state, ...fromUnit(unitX, unitY), x: box.left + x, y: box.top + y }));
  };
  /** The labels, `{session, text, left, top, right, bottom}`, in CSS pixels of the window. */
  layer.labels = () => {
    if (!layer.canvas) return [];
    const corner = layer.canvas.getBoundingClientRect();
    return drawn.filter(({ session }) => labels.has(session)).map((item) => {
      const { left, top, right, bottom } = labelBox(item, labels.get(item.session));
      return { session: item.session, text: labels.get(item.session).text, left: left + corner.left, top: top + corner.top, right: right + corner.left, bottom: bottom + corner.top };
    });
  };
  /** Crowds that are drawn as numbers, `{key, count, lat, lon, box, unitX, unitY, x, y}`, with x and y in CSS pixels of the window. */
  layer.clusters = () => {
    if (!layer.canvas) return [];
    const corner = layer.canvas.getBoundingClientRect();
    return clusters.map(({ x, y, ...cluster }) => ({ ...cluster, ...fromUnit(cluster.unitX, cluster.unitY), x: corner.left + x, y: corner.top + y }));
  };
  return layer;
}

function labelBox({ x, y }, { dx, dy, width, height }) {
  return { left: x + dx, top: y + dy, right: x + dx + width, bottom: y + dy + height };
}

function isCrowd(items, wasCrowd) {
  if (items.length < crowdMin || items.length > shapesInViewMax) return items.length >= crowdMin;
  const cells = new Set(items.map(({ x, y }) => Math.floor(x / crowdCellPixels) * 10_007 + Math.floor(y / crowdCellPixels)));
  return items.length / cells.size > (wasCrowd ? crowdDensity.ends : crowdDensity.begins);
}

function readStyle() {
  return { theme: currentTheme(), ring: token("--map-ring"), crowd: token("--accent"), crowdInk: token("--on-accent"), pill: token("--surface"), ink: token("--ink") };
}

const labelFont = "600 12px system-ui, sans-serif";

function roundedBox(context, x, y, width, height, radius) {
  context.moveTo(x + radius, y);
  context.arcTo(x + width, y, x + width, y + height, radius);
  context.arcTo(x + width, y + height, x, y + height, radius);
  context.arcTo(x, y + height, x, y, radius);
  context.arcTo(x, y, x + width, y, radius);
  context.closePath();
}
