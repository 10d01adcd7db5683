// The spectator map: the campus, everyone in view, and the list beside it.

import { announce, h, setText } from "../kit/dom.js";
import { count, stateNames } from "../kit/format.js";
import { icon, markIcon } from "../kit/icons.js";
import { keepMap, keptMap } from "./memory.js";
import { makeMapView, mayAnimate } from "../map/mapview.js";
import { narrow } from "../map/narrow.js";
import { makeRunnerLayer } from "../map/runnerlayer.js";
import { fromUnit, toUnit } from "../client/mercator.js";
import { isInBox, wholeCampus } from "../client/viewport.js";
import { makeClusterList } from "./clusterlist.js";
import { makeFollowCard } from "./followcard.js";
import { makeHeatmap } from "../heatmap/heatmap.js";
import { makeMapPlaces } from "./savedplaces.js";
import { makeMapMe } from "./me.js";
import { makeMapPeople } from "./people.js";
import { makeMapTools, mapButton } from "../map/tools.js";
import { makeRunnerList } from "./runnerlist.js";
import { makeSheet } from "../kit/sheet.js";

const followZoomMin = 16;
const followSlackPixels = 14;
const wholeSlackZoom = 0.5;
const panelEveryMilliseconds = 400;
/** The part of the map that is looked at beyond each of its edges: as far as the canvas reaches. */
const viewPadding = 0.2;
/** The column of buttons at the map's right edge. */
const toolsPixels = 72;
/** What labels on the map stay off. */
const coverings = ".map-tools > .map-button, .map-others, .leaflet-control-zoom, .leaflet-control-attribution, .map-legend, .heat-legend, .map-note, .map-recentre, .sheet";

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
  const list = makeRunnerList({ roster, net, onSelect: (session) => (session === followed ? resume() : follow(session)), followed: () => followed, isSeen, seesCampus });
  const crowds = makeClusterList({
    clusters: () => layer?.clusters().filter(({ lat, lon }) => isSeen({ lat, lon })) ?? [],
    middle: () => { const { lat, lng } = view.map.getCenter(); return toUnit(lat, lng); },
    onSelect: (cluster) => zoomTo(cluster),
    onFocusLost: () => header.querySelector("h1").focus({ preventScroll: true }),
  });
  const offset = () => visibleOffset();
  const meetPeople = () => makeMapPeople(app, { offset, onMove: pause, obstacles });
  let people = meetPeople();
  const opener = (button) => tools.opener(button);
  let stopBefore = null;
  const me = makeMapMe(app, { offset, opener, onMove: pause, onPinning: (isPinning) => {
    // The map that is to be tapped is bare: the panel and what is to be done share its lower edge.
    if (isPinning) stopBefore = sheet.stop;
    sheet.set(isPinning ? "peek" : stopBefore ?? sheet.stop);
    // The whole campus stays in the middle of what the panel leaves, also when the panel has come to rest.
    fitWhole();
    isFitDue = narrow.matches;
  } });
  let isFitDue = false;
  const fitWhole = () => { if (whole.isShown) view?.fitCampus(); };
  sheet.element.addEventListener("transitionend", ({ target, propertyName }) => {
    if (!isFitDue || target !== sheet.element || propertyName !== "height") return;
    isFitDue = false;
    fitWhole();
  });
  const peoplePlace = h("div", {}, people.element ?? "");
  sheet.body.append(cardPlace, peoplePlace, crowds.element, list.element);
  if (app.config?.demo) header.append(h("span", { class: "tag", title: "The runners are samples, not people." }, "Demo"));
  const mapElement = h("div", { class: "map", id: "map" });
  const fit = mapButton({ id: "fit", label: "Show the whole campus", iconName: "fit", onclick: () => { pause(); view?.fitCampus(); } });
  const heat = makeHeatmap({ net, opener });
  const places = makeMapPlaces({ app, wanted: Number(query?.get("saved")) || null });
  const tools = makeMapTools({ first: [me.locate], others: [fit, heat.button, places.button, me.pin] });
  const recentreButton = h("button", { class: "button map-recentre", type: "button", id: "recentre", hidden: true, onclick: () => resume() }, icon("target"), "Re-centre");
  const stage = h("div", { class: "stage" }, mapElement, tools.element, legend(), heat.legend, recentreButton, me.note, sheet.element);
  root.append(stage);

  /** Who looks is another one now, or is known at last. */
  function meet() {
    people.close();
    people = meetPeople();
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
    layer = makeRunnerLayer(view.L, { roster, clock: net.clock, names: view.campusLayer.names, obstacles: () => obstacles().concat(people.boxes()), onSelectCluster: zoomTo, onSelect: (session) => { if (!me.isPinning && (session !== null || followed === null)) follow(session); } });
    layer.addTo(view.map);
    view.whenThemeChanges(() => {
      layer.restyle();
      card?.restyle();
      list.update();
    });
    view.map.on("move", () => look(false));
    view.map.on("moveend", () => {
      look(true);
      if (view.map.getSize().x === whole.width) whole.isShown = showsWhole();
    });
    view.map.on("resize", turned);
    view.map.on("dragstart", () => { isDragged = true; });
    view.map.on("dragend", () => { isDragged = false; });
    // Moving the map by hand means looking elsewhere: following goes on in the panel, and in the view when it is asked for.
    view.map.on("dragstart", pause);
    mapElement.addEventListener("keydown", ({ key }) => { if (key.startsWith("Arrow")) pause(); });
    app.shownRunners = () => layer.shown();
    app.shownPeople = () => people.shown();
    app.shownMe = () => me.shown();
    me.attach(view);
    people.attach(view);
    app.drawing = () => layer.cost;
    app.heat = () => ({ cells: heat.cells, ...heat.cost });
    app.shownClusters = () => layer.clusters();
    whole.width = view.map.getSize().x;
    app.shownLabels = () => layer.labels();
    app.shownNames = () => view.campusLayer.names.shown();
    const wanted = Number(query?.get("follow"));
    if (followed !== null) {
      // Chosen in the list before the map was there.
      layer.followed = followed;
      showCard({ isReturn: false });
      if (view.map.getZoom() < followZoomMin) centre(followZoomMin, false);
      look(true);
    } else if (query?.size > 0) look(true);
    else goOn();
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
  /** Whether the map shows the whole campus and not more, on a map of that width in pixels. */
  const whole = { isShown: true, width: 0 };

  /** Shows what the page showed when it was left. */
  function goOn() {
    const kept = keptMap();
    if (!kept) return look(true);
    sheet.set(kept.sheet);
    if (!kept.isWhole) view.map.setView([kept.lat, kept.lon], kept.zoom, { animate: false });
    look(true);
    if (kept.session !== null) follow(kept.session, { isReturn: true });
    if (kept.isPaused) pause();
    return undefined;
  }

  function keep() {
    if (!view) return;
    const { lat, lng } = view.map.getCenter();
    keepMap({ isWhole: whole.isShown, session: card?.isLive ? followed : null, isPaused: !recentre, lat, lon: lng, zoom: view.map.getZoom(), sheet: me.isPinning ? stopBefore : sheet.stop });
  }

  function showsWhole() {
    if (followed !== null || !view.bounds || !seesCampus()) return false;
    const { paddingTopLeft, paddingBottomRight } = fitPadding();
    return Math.abs(view.map.getZoom() - view.map.getBoundsZoom(view.bounds, false, view.L.point(paddingTopLeft).add(paddingBottomRight))) < wholeSlackZoom;
  }

  /** A screen that is turned shows the whole campus again if it did before. */
  function turned() {
    const { x } = view.map.getSize();
    if (x === whole.width) return;
    whole.width = x;
    if (whole.isShown) view.fitCampus();
  }

  /** The map no longer moves with the one who is followed. */
  function pause() {
    if (followed === null || !recentre) return;
    recentre = false;
    drawRecentre();
  }

  function resume() {
    recentre = true;
    centre();
    drawRecentre();
  }

  function drawRecentre() {
    const hadFocus = document.activeElement === recentreButton;
    recentreButton.hidden = followed === null || recentre;
    if (recentreButton.hidden && hadFocus) mapElement.focus({ preventScroll: true });
  }

  /** The parts of the map that its controls cover, in its own pixels. */
  function obstacles() {
    const corner = mapElement.getBoundingClientRect();
    return [...stage.querySelectorAll(coverings)].map((element) => element.getBoundingClientRect()).filter(({ width }) => width > 0)
      .map(({ left, top, right, bottom }) => ({ left: left - corner.left, top: top - corner.top, right: right - corner.left, bottom: bottom - corner.top }));
  }

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
      ? { paddingTopLeft: [12, 12], paddingBottomRight: [toolsPixels, Math.min(height, innerHeight * 0.5) + 8] }
      : { paddingTopLeft: [sheet.element.offsetWidth + 32, 24], paddingBottomRight: [toolsPixels, 24] };
  }

  /** The middle of the part of the map that the panel does not cover, relative to the map's own middle. */
  function visibleOffset() {
    const { paddingTopLeft, paddingBottomRight } = fitPadding();
    return [(paddingTopLeft[0] - paddingBottomRight[0]) / 2, (paddingTopLeft[1] - paddingBottomRight[1]) / 2];
  }

  /** `isReturn`: as before the page was left; where the map was then is not changed, and one that is gone is not spoken of. */
  function follow(session, { isReturn = false } = {}) {
    if (session === followed) return;
    if (followed !== null) roster.unpin(followed);
    const before = followed;
    followed = session;
    recentre = true;
    stage.classList.toggle("is-following", session !== null);
    if (layer) layer.followed = session;
    layer?.redraw();
    showCard({ isReturn });
    if (session !== null) {
      sheet.body.scrollTop = 0;
      if (narrow.matches && !isReturn) sheet.set("half");
      if (!isReturn) announce(`Following ${card.element.querySelector("h2").textContent}.`);
      if (!isReturn && view && view.map.getZoom() < followZoomMin) centre(followZoomMin, false);
    } else if (before !== null) {
      announce("Stopped following.");
      const row = document.querySelector(`.runner-row[data-session="${before}"]`);
      if (document.activeElement === document.body) row?.focus({ preventScroll: true });
    }
    list.update();
    drawRecentre();
  }

  /** The card of who is followed, also without a map. */
  function showCard({ isReturn }) {
    card?.close();
    card = null;
    cardPlace.replaceChildren();
    if (followed === null) return;
    const session = followed;
    card = makeFollowCard({
      app, view, session, runner: () => roster.entries.get(session)?.runner ?? null, onStop: () => follow(null),
      onGone: () => { if (isReturn && card?.latest.session === null) follow(null); },
    });
    cardPlace.append(card.element);
  }

  /** To a crowd, so that its part of the map is what is seen, and at least a zoom closer: some steps on its runners come one by one. */
  function zoomTo({ unitX, unitY, box: [south, west, north, east] }) {
    const { map, L } = view;
    const { paddingTopLeft, paddingBottomRight } = fitPadding();
    const fitting = map.getBoundsZoom([[south, west], [north, east]], false, L.point(paddingTopLeft).add(paddingBottomRight));
    const zoom = Math.min(map.getMaxZoom(), Math.max(map.getZoom() + 1, fitting));
    const { lat, lon } = fromUnit(unitX, unitY);
    pause();
    map.setView(map.unproject(map.project([lat, lon], zoom).subtract(visibleOffset()), zoom), zoom, { animate: mayAnimate() });
    announce("Zoomed in.");
  }

  function centre(wantedZoom = null, animate = mayAnimate()) {
    const entry = roster.entries.get(followed);
    const position = entry?.glide.at(performance.now()) ?? card?.latest.runner;
    if (!position || !view) return;
    const { map } = view;
    const zoom = wantedZoom ?? map.getZoom();
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
  addEventListener("pagehide", keep);
  return () => {
    keep();
    closed = true;
    removeEventListener("pagehide", keep);
    tools.destroy();
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
    app.shownRunners = app.shownPeople = app.shownLabels = app.shownNames = () => [];
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
  return h("details", { class: "map-legend", id: "legend" }, h("summary", {}, icon("info"), "Legend"),
    h("ul", {}, ...states.map((state) => h("li", {}, h("span", { class: "runner-mark", dataset: { state }, "aria-hidden": "true" }, markIcon(state)), h("span", {}, h("strong", {}, stateNames[state]), meanings[state]))),
      h("li", {}, h("span", { class: "runner-mark many", "aria-hidden": "true" }), h("span", {}, h("strong", {}, "Many runners"), ": small points, rings where there is no news; zoom in for more")),
      h("li", {}, h("span", { class: "cluster-mark", "aria-hidden": "true" }, "99"), h("span", {}, h("strong", {}, "A number"), ": so many runners there; click to zoom in")),
      h("li", {}, h("span", { class: "person-face", "aria-hidden": "true" }, "A"), h("span", {}, h("strong", {}, "Letters"), ": a person who wants you to see where they are; the circle is how exactly that is known, dashed for a whole building or part of campus"))));
}
