// The page behind the link of a share: one person's location, live, without an account.

import { announce, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView, mayAnimate } from "../map/mapview.js";
import { narrow } from "../map/narrow.js";
import { fillFace, makePeopleLayer } from "./peoplelayer.js";
import { runnerColour } from "../map/palette.js";
import { Board } from "./board.js";
import { ageText, placeText, rungName, sourceText, untilText } from "./words.js";
import { currentTheme } from "../kit/theme.js";
import { makeSheet } from "../kit/sheet.js";

const zooms = { exact: 17, building: 17, zone: 15.5 };
const drawMilliseconds = 1_000;
const askAgainMilliseconds = 5_000;

export function show(root, { token }, app) {
  const { net, known } = app;
  const scope = app.pictures.scope();
  // A link's token begins with the share it opens: `42.…`.
  const id = Number(token.split(".")[0]);
  const board = new Board();
  let view = null;
  let layer = null;
  let subscription = null;
  let isClosed = false;
  let isOver = false;
  let isCentred = false;
  let entry = null;

  const mapElement = h("div", { class: "map", id: "map" });
  const heading = h("h1", { tabindex: "-1" }, "Shared location");
  const sub = h("p", { class: "muted small", id: "link-until" }, "Opened by a link. No account needed.");
  const sheet = makeSheet({ label: "Shared location", initial: "half",
    header: h("div", { class: "sheet-head" }, h("div", { class: "grow" }, heading, sub)) });
  const face = h("span", { class: "person-face", "aria-hidden": "true" });
  const place = h("strong", { id: "link-place" });
  const age = h("p", { class: "muted number", id: "link-age" });
  const more = h("p", { class: "muted small", id: "link-more" });
  const seen = h("p", { class: "muted small", id: "link-seen" });
  const centre = h("button", { class: "button", type: "button", id: "link-centre", onclick: () => goThere() }, icon("target"),
    "Show on the map");
  const card = h("div", { class: "stack link-card", hidden: true },
    h("div", { class: "link-who" }, face, h("div", { class: "grow" }, place, age)), more, h("div", { hidden: true }, centre), seen);
  const status = h("p", { class: "muted link-card", id: "link-status", role: "status" }, "Opening…");
  sheet.body.append(status, card);
  root.append(h("div", { class: "stage" }, mapElement, sheet.element));

  if (!Number.isSafeInteger(id) || id < 1) {
    over("This link is not complete. Ask for it again.");
    return () => scope.close();
  }

  makeMapView(mapElement, app, { label: "Map of the shared location", padding: covered }).then((made) => {
    if (isClosed) return made.destroy();
    view = made;
    layer = makePeopleLayer(view.L, view.map, { clock: net.clock, scope, onSelect: () => goThere() });
    app.shownPeople = () => layer.shown();
    view.whenThemeChanges(() => layer.redraw());
    draw();
    return undefined;
  }, (error) => mapElement.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message)));

  function open() {
    subscription = net.subscribe(`share/${id}`, {
      snapshot: (snapshot) => {
        board.snapshot(id, snapshot, net.clock.now());
        draw();
      },
      push: (update) => {
        if (board.push(id, update, net.clock.now())) draw();
        else over("It was stopped, or its time is over.");
      },
      error: (error) => {
        if (error.isTransient) {
          setText(status, `${error.message} It is tried again by itself.`);
          setTimeout(() => { if (!isClosed && !isOver) subscription?.again(); }, askAgainMilliseconds);
        } else over("It was stopped, its time is over, or it was mistyped.");
      },
    }, { share: token });
  }

  function draw() {
    if (isOver) return;
    const wasShown = entry !== null;
    if (board.prune(net.clock.now(), net.state === "live")) entry = null;
    [entry = null] = board.entries();
    const isLive = net.state === "live";
    if (!entry) {
      if (wasShown) return over("Its time is over.");
      if (!isLive) setText(status, "Waiting for the network…");
      return undefined;
    }
    status.hidden = true;
    card.hidden = false;
    entry = { ...entry, person: known.shown(entry.person) };
    const { person, location } = entry;
    if (heading.textContent !== person.name) heading.textContent = person.name;
    setText(sub, `Shared with you ${untilText(entry.expiresAt, Date.now())}: ${rungName(entry.precision)}.`);
    fillFace(face, scope, person);
    const { fill, ink } = runnerColour(person.account, currentTheme());
    face.style.setProperty("--person", fill);
    face.style.setProperty("--person-ink", ink);
    setText(place, placeText(entry));
    const old = ageText(entry, location ? net.clock.age(location.at) : 0);
    setText(age, isLive ? old : `Offline${old ? ` · ${old}` : ""}`);
    setText(more, { hidden: "They are where they show nothing. The link goes on when they are elsewhere.",
      none: "Their device has told nothing lately. It comes here by itself." }[entry.state]
      ?? (location?.source ? `Found ${sourceText(location.source)}.` : ""));
    setText(seen, net.account ? `${person.name} sees that you look, as ${net.account.username}.`
      : `${person.name} sees that somebody with the link looks, without a name.`);
    const isOnMap = Number.isFinite(location?.lat);
    centre.parentElement.hidden = !isOnMap;
    layer?.draw([entry], { isLive });
    if (view && isOnMap && !isCentred) {
      isCentred = true;
      goThere(false);
    }
    return undefined;
  }

  function covered() {
    return narrow.matches ? { paddingTopLeft: [12, 12], paddingBottomRight: [12, sheet.element.offsetHeight + 8] }
      : { paddingTopLeft: [sheet.element.offsetWidth + 32, 24], paddingBottomRight: [24, 24] };
  }

  function goThere(animate = mayAnimate()) {
    if (!view || !Number.isFinite(entry?.location?.lat)) return;
    const { map } = view;
    const { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom] } = covered();
    const zoom = Math.max(animate ? map.getZoom() : 0, zooms[entry.precision] ?? 16);
    map.setView(map.unproject(map.project([entry.location.lat, entry.location.lon], zoom)
      .subtract([(left - right) / 2, (top - bottom) / 2]), zoom), zoom, { animate });
  }

  /** Nothing of it stays on the page. */
  function over(why) {
    isOver = true;
    subscription?.close();
    board.clear();
    layer?.draw([], { isLive: true });
    heading.textContent = "Shared location";
    setText(sub, "");
    sheet.body.replaceChildren(h("div", { class: "notice bad", id: "link-gone", role: "alert" }, icon("warning"), h("div", {}, h("strong", {}, "This link shows nothing any more."), h("p", {}, `${why} Whoever sent it can make another one.`))),
      h("p", { class: "link-out" }, h("a", { class: "button", href: "/map" }, "To the live map")));
    announce("This link shows nothing any more.");
    return undefined;
  }

  net.addEventListener("state", draw);
  known.addEventListener("change", draw);
  const ticker = setInterval(draw, drawMilliseconds);
  open();
  return () => {
    isClosed = true;
    clearInterval(ticker);
    net.removeEventListener("state", draw);
    known.removeEventListener("change", draw);
    scope.close();
    subscription?.close();
    view?.destroy();
    app.shownPeople = () => [];
  };
}
