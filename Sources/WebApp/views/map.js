// The spectator map: the campus, everyone in view, and the list beside it.

import { announce, h, setText } from "../dom.js";
import { count, stateNames } from "../format.js";
import { icon, markIcon } from "../icons.js";
import { makeMapView, mayAnimate } from "../mapview.js";
import { makeRunnerLayer } from "../runnerlayer.js";
import { fromUnit, toUnit } from "../mercator.js";
import { isInBox, wholeCampus } from "../viewport.js";
import { makeClusterList } from "./clusterlist.js";
import { makeFollowCard } from "./followcard.js";
import { makeHeatmap } from "./heatmap.js";
import { makeMapPlaces } from "./mapplaces.js";
import { makeMapMe } from "./mapme.js";
import { makeMapPeople } from "./mappeople.js";
import { makeRunnerList } from "./runnerlist.js";
import { makeSheet } from "./sheet.js";

const followZoomMin = 16;
const followSlackPixels = 14;
const panelEveryMilliseconds = 400;
/** The part of the map that is looked at beyond each of its edges: as far as the canvas reaches. */
const viewPadding = 0.2;
const narrow = matchMedia("(max-width: 760px)");

export function show(root, { query }, app) {
  const { net, roster } = app;
  let view = null;
  let layer = null;
  let card = null;
  let followed = null;
  let closed = false;
  /** What the map shows, `[south, west, north, east]`; null while there is none. */
  let seen = null;

  const counter = h("p", { class: "muted small", id: "map-count" }, "");
  const header = h("div", { class: "sheet-head" }, h("div", { class: "grow" }, h("h1", { tabindex: "-1" }, "Live map"), counter));
  const sheet = makeSheet({ label: "Runners", initial: "half", header });
  const cardPlace = h("div", { class: "card-place" });
  const list = makeRunnerList({ roster, net, onSelect: (session) => follow(session === followed ? null : session), followed: () => followed, isSeen, seesCampus });
  const crowds = makeClusterList({
    clusters: () => layer?.clusters().filter(({ lat, lon }) => isSeen({ lat, lon })) ?? [],
    middle: () => { const { lat, lng } = view.map.getCenter(); return toUnit(lat, lng); },
    onSelect: (cluster) => zoomTo(cluster),
    onFocusLost: () => header.querySelector("h1").focus({ preventScroll: true }),
  });
  const offset = () => visibleOffset();
  let people = makeMapPeople(app, { offset });
  const me = makeMapMe(app, { offset });
  const peoplePlace = h("div", {}, people.element ?? "");
  sheet.body.append(cardPlace, peoplePlace, crowds.element, list.element);
  if (app.config?.demo) header.append(h("span", { class: "tag", title: "The runners are samples, not people." }, "Demo"));
  const mapElement = h("div", { class: "map", id: "map" });
  const fit = h("button", { class: "map-button", type: "button", id: "fit", "aria-label": "Show the whole campus", title: "Show the whole campus", onclick: () => { follow(null); view?.fitCampus(); } }, icon("fit"));
  const heat = makeHeatmap({ net });
  const places = makeMapPlaces({ app, wanted: Number(query?.get("saved")) || null });
  const stage = h("div", { class: "stage" }, mapElement, h("div", { class: "map-tools" }, fit, heat.button, places.button, ...me.buttons), legend(), heat.legend, me.note, sheet.element);
  root.append(stage);

  /** Who looks is another one now, or is known at last. */
  function meet() {
    people.close();
    people = makeMapPeople(app, { offset });
    peoplePlace.replaceChildren(people.element ?? "");
    if (!view) return;
    people.attach(view);
    people.look(seen);
    showShare();
  }

  function showShare() {
    const share = Number(query?.get("share"));
    if (share > 0) people.show(share);
  }

  const watch = roster.watch();
  net.addEventListener("account", meet);
  roster.addEventListener("change", changed);
  net.addEventListener("state", drawState);
  roster.addEventListener("state", said);
  addEventListener("keydown", escape);
  const ticker = setInterval(tick, 1000);

  makeMapView(mapElement, app, { label: "Live campus map", padding: fitPadding }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    heat.setView(view);
    places.setView(view);
    layer = makeRunnerLayer(view.L, { roster, clock: net.clock, onSelectCluster: zoomTo, onSelect: (session) => { if (!me.isPinning && (session !== null || followed === null)) follow(session); } });
    layer.addTo(view.map);
    view.whenThemeChanges(() => {
      layer.restyle();
      card?.restyle();
      list.update();
    });
    view.map.on("move", () => look(false));
    view.map.on("moveend", () => look(true));
    view.map.on("dragstart", () => { isDragged = true; });
    view.map.on("dragend", () => { isDragged = false; });
    // Dragging the map by hand means looking elsewhere: following goes on in the list, not in the view.
    view.map.on("dragstart", () => { if (followed !== null) recentre = false; });
    app.shownRunners = () => layer.shown();
    app.shownPeople = () => people.shown();
    app.shownMe = () => me.shown();
    me.attach(view);
    people.attach(view);
    app.drawing = () => layer.cost;
    app.heat = () => ({ cells: heat.cells, ...heat.cost });
    app.shownClusters = () => layer.clusters();
    look(true);
    const wanted = Number(query?.get("follow"));
    if (wanted > 0) follow(wanted);
    showShare();
    return undefined;
  }, (error) => {
    mapElement.append(h("p", { class: "map-problem notice warn", role: "alert" }, icon("warning"), `${error.message} The list still works.`));
    const { box, zoom } = wholeCampus(net.campus ?? app.lastCampus());
    watch.look(box, zoom);
  });

  let recentre = true;
  let isDragged = false;

  /** Tells what the map shows, and some of what is around it: what a finger drags in is there at once. */
  function look(isSettled) {
    const bounds = view.map.getBounds();
    seen = boxOf(bounds);
    watch.look(boxOf(bounds.pad(viewPadding)), view.map.getZoom(), isSettled);
    people.look(seen);
    panelTimer ||= setTimeout(drawPanel, panelEveryMilliseconds);
  }

  function fitPadding() {
    const height = narrow.matches ? sheet.element.offsetHeight : 0;
    return narrow.matches
      ? { paddingTopLeft: [12, 12], paddingBottomRight: [12, Math.min(height, innerHeight * 0.5) + 8] }
      : { paddingTopLeft: [sheet.element.offsetWidth + 32, 24], paddingBottomRight: [24, 24] };
  }

  /** The middle of the part of the map that the panel does not cover, relative to the map's own middle. */
  function visibleOffset() {
    const { paddingTopLeft, paddingBottomRight } = fitPadding();
    return [(paddingTopLeft[0] - paddingBottomRight[0]) / 2, (paddingTopLeft[1] - paddingBottomRight[1]) / 2];
  }

  function follow(session) {
    if (session === followed) return;
    card?.close();
    if (followed !== null) roster.unpin(followed);
    cardPlace.replaceChildren();
    card = null;
    const before = followed;
    followed = session;
    recentre = true;
    stage.classList.toggle("is-following", session !== null);
    if (layer) layer.followed = session;
    layer?.redraw();
    if (session !== null && view) {
      card = makeFollowCard({ app, view, session, runner: () => roster.entries.get(session)?.runner ?? null, onStop: () => follow(null) });
      cardPlace.append(card.element);
      sheet.body.scrollTop = 0;
      if (narrow.matches) sheet.set("half");
      announce(`Following ${card.element.querySelector("h2").textContent}.`);
      if (view.map.getZoom() < followZoomMin) centre(followZoomMin, false);
    } else if (before !== null) {
      announce("Stopped following.");
      const row = document.querySelector(`.runner-row[data-session="${before}"]`);
      if (document.activeElement === document.body) row?.focus({ preventScroll: true });
    }
    list.update();
  }

  /** To a crowd, so that its part of the map is what is seen, and at least a zoom closer: some steps on its runners come one by one. */
  function zoomTo({ unitX, unitY, box: [south, west, north, east] }) {
    const { map, L } = view;
    const { paddingTopLeft, paddingBottomRight } = fitPadding();
    const fitting = map.getBoundsZoom([[south, west], [north, east]], false, L.point(paddingTopLeft).add(paddingBottomRight));
    const zoom = Math.min(map.getMaxZoom(), Math.max(map.getZoom() + 1, fitting));
    const { lat, lon } = fromUnit(unitX, unitY);
    recentre = false;
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(visibleOffset()), zoom), zoom, { animate: mayAnimate() });
    announce("Zoomed in.");
  }

  function centre(zoom = view.map.getZoom(), animate = mayAnimate()) {
    const entry = roster.entries.get(followed);
    const position = entry?.glide.at(performance.now()) ?? card?.latest.runner;
    if (!position || !view) return;
    const { map } = view;
    const [dx, dy] = visibleOffset();
    const target = map.project([position.lat, position.lon], zoom).subtract([dx, dy]);
    const off = zoom === map.getZoom() ? target.distanceTo(map.project(map.getCenter(), zoom)) : Infinity;
    if (off < followSlackPixels) return;
    // Linear and as long as the pause between two calls: the map glides instead of stepping.
    map.setView(map.unproject(target, zoom), zoom, { animate, pan: { animate, duration: 1, easeLinearity: 1, noMoveStart: true } });
  }

  let panelTimer = 0;

  /** The map follows at once; the panel is text and need not change more often than one can read. */
  function changed() {
    layer?.invalidate();
    panelTimer ||= setTimeout(drawPanel, panelEveryMilliseconds);
  }

  function drawPanel() {
    clearTimeout(panelTimer);
    panelTimer = 0;
    const out = roster.countOut(isSeen);
    if (card?.isLive && card.latest.runner) roster.pin(card.latest.runner);
    else if (card) roster.unpin(followed);
    setText(counter, roster.isKnown ? `${count(out, "runner")} in view${net.state === "live" ? "" : " when last heard"}` : "");
    // Nobody reads it meanwhile, and the finger comes first.
    if (!isDragged) drawList();
    card?.update();
  }

  function drawList() {
    list.update(crowds.update());
  }

  function isSeen(runner) {
    return seen === null || isInBox(runner, seen);
  }

  /** Whether the view has the whole campus in it: then nobody in view is nobody at all. */
  function seesCampus() {
    return seen === null || !view.bounds || view.map.getBounds().contains(view.bounds);
  }

  /** Without a connection the last data stay, and look it; the badge tells their age. */
  function drawState() {
    stage.classList.toggle("is-stale", net.state !== "live" && net.wasLive);
    drawPanel();
  }

  function tick() {
    if (!isDragged) drawList();
    card?.update();
    // Ages in the labels of offline runners.
    layer?.invalidate();
    if (followed !== null && recentre) centre();
  }

  function said({ detail: { runner } }) {
    if (runner.session === followed) announce(`${runner.name}: ${stateNames[runner.state] ?? runner.state}.`);
  }

  function escape(event) {
    if (event.key === "Escape" && followed !== null && !document.querySelector("dialog[open]")) follow(null);
  }

  drawState();
  return () => {
    closed = true;
    clearTimeout(panelTimer);
    clearInterval(ticker);
    removeEventListener("keydown", escape);
    roster.removeEventListener("change", changed);
    roster.removeEventListener("state", said);
    net.removeEventListener("state", drawState);
    card?.close();
    heat.close();
    places.close();
    watch.close();
    net.removeEventListener("account", meet);
    people.close();
    me.close();
    view?.destroy();
    app.shownRunners = app.shownPeople = () => [];
    app.shownMe = () => null;
    app.drawing = () => ({});
    app.heat = () => ({});
    app.shownClusters = () => [];
  };
}

function boxOf(bounds) {
  return [bounds.getSouth(), bounds.getWest(), bounds.getNorth(), bounds.getEast()];
}

function legend() {
  const states = ["moving", "stationary", "paused", "offline", "finished"];
  const meanings = { moving: ", the nose points ahead", stationary: "", paused: " by the runner", offline: ": no news, this is the last known place", finished: "" };
  return h("details", { class: "map-legend", id: "legend" }, h("summary", {}, "What the marks mean"),
    h("ul", {}, ...states.map((state) => h("li", {}, h("span", { class: "runner-mark", dataset: { state }, "aria-hidden": "true" }, markIcon(state)), h("span", {}, h("strong", {}, stateNames[state]), meanings[state]))),
      h("li", {}, h("span", { class: "runner-mark many", "aria-hidden": "true" }), h("span", {}, h("strong", {}, "Many runners"), ": small points, rings where there is no news; zoom in for more")),
      h("li", {}, h("span", { class: "cluster-mark", "aria-hidden": "true" }, "99"), h("span", {}, h("strong", {}, "A number"), ": so many runners there; click to zoom in")),
      h("li", {}, h("span", { class: "person-face", "aria-hidden": "true" }, "A"), h("span", {}, h("strong", {}, "Letters"), ": a person who wants you to see where they are; the circle is how exactly that is known, dashed for a whole building or part of campus"))));
}
