// One session of the history: its route, its figures, splits, why points did not count, who may see it, its title and its end. After a
// stop it is the finish page: with what was saved and how far the month's goal is.

import { h, setText } from "../kit/dom.js";
import { activityNames, averageSpeed, count, hms, km, numericDate, reasonSentence, speed, time24 } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeMapView } from "../map/mapview.js";
import { RouteLine } from "../map/routeline.js";
import { token } from "../kit/theme.js";
import { speedParts } from "../kit/units.js";
import { makeGoalCard } from "./goalcard.js";
import { drawHiddenParts, hiddenNote } from "./hiddenroute.js";
import { loading } from "../kit/loading.js";
import { makeSessionEdit } from "../tracking/sessionedit.js";
import { makeShareControls } from "../tracking/sharecontrols.js";
import { splitsCard } from "./splits.js";

export function show(root, { id, query }, app) {
  const { net, router, tracker } = app;
  const isFinish = query?.has("finished") ?? false;
  if (!net.account) {
    router.go(`/login?next=/history/${encodeURIComponent(id)}`, { replace: true });
    return undefined;
  }
  let view = null;
  let goal = null;
  let closed = false;
  /** Whether what is shown is an error that may pass. */
  let mayPass = false;
  const heading = h("h1", { tabindex: "-1" }, "Session");
  const subtitle = loading(net);
  const editing = h("div", {});
  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack session-page" },
    isFinish
      ? h("p", { class: "notice good", id: "saved-note" }, icon("finished"), h("strong", {}, "Session successfully saved"))
      : h("p", {}, h("a", { href: "/history", class: "back" }, "← History")),
    h("div", { class: "session-head" }, h("div", { class: "grow" }, heading, subtitle), editing), place));

  async function load() {
    try {
      const result = await net.request("tracking.session", { session: Number(id) });
      if (closed) return;
      mayPass = false;
      draw(result);
    } catch (error) {
      if (closed) return;
      mayPass = error.isTransient;
      setText(subtitle, "");
      place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
        error.isTransient ? h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") : h("a", { class: "button", href: "/history" }, "To the history"));
    }
  }

  function draw({ session, route, notCounted, hidden, splits }) {
    view?.destroy();
    goal?.close();
    view = goal = null;
    const ended = session.endedAt ?? session.startedAt;
    const isOwn = session.owner.id === net.account?.id;
    drawTitle(session);
    setText(subtitle, `${activityNames[session.activity] ?? session.activity} · ${numericDate(ended)} · ended ${time24(ended)}`);
    const mapElement = h("div", { class: "map" });
    const hasRoute = session.points > 0;
    if (isFinish) goal = makeGoalCard(app, { isWhole: false });
    // What is being typed stays.
    if (isOwn && !editing.firstChild) {
      editing.append(makeSessionEdit({ net, session, onRenamed: (renamed) => { if (!closed) drawTitle(renamed); }, onDeleted: leave }));
    }
    place.replaceChildren(
      figures(session),
      hasRoute
        ? h("div", { class: "route-map" }, mapElement)
        : h("p", { class: "notice", id: "time-only" }, icon("clock"), h("span", {}, "Recorded without a map: the time only.")),
      hiddenNote(hidden), splitsCard(splits, session.activity), goal?.element ?? "",
      isFinish ? whatNext() : "",
      details(session), ...reasons(notCounted), isOwn ? makeShareControls({ net, session: session.id, audience: session.audience }) : "");
    if (hasRoute) drawRoute(mapElement, route, hidden);
  }

  /** To the history, unless the reader went elsewhere meanwhile. */
  function leave() {
    if (!closed) router.go("/history", { replace: true });
  }

  function drawTitle({ title }) {
    setText(heading, title);
    document.title = app.titled(title);
  }

  async function drawRoute(mapElement, route, hidden) {
    try {
      const made = await makeMapView(mapElement, app, { label: "Map of the route" });
      if (closed) return made.destroy();
      view = made;
    } catch (error) {
      mapElement.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message));
      return undefined;
    }
    const { L, map } = view;
    const colours = () => ({ colour: token("--accent"), halo: token("--map-ring") });
    const line = new RouteLine(L, map, colours());
    line.set(route);
    drawHiddenParts(view, hidden);
    const ends = [[line.start, "Start"], [line.end, "End"]].filter(([at]) => at).map(([at, name]) =>
      L.circleMarker(at, { radius: 7, weight: 3, color: token("--map-ring"), fillColor: token(name === "Start" ? "--good" : "--bad"), fillOpacity: 1 }).bindTooltip(name, { direction: name === "Start" ? "top" : "bottom", permanent: true, className: "end-label", offset: [0, name === "Start" ? -8 : 8] }).addTo(map));
    if (line.bounds.isValid()) map.fitBounds(line.bounds, { padding: [36, 36], maxZoom: 18, animate: false });
    view.whenThemeChanges(() => {
      line.setColours(colours());
      for (const end of ends) end.setStyle({ color: token("--map-ring") });
    });
    return undefined;
  }

  const returned = () => { if (mayPass && net.state === "live") load(); };
  // Points of it may have been uploaded meanwhile.
  tracker.addEventListener("history", load);
  net.addEventListener("state", returned);
  load();
  return () => {
    closed = true;
    tracker.removeEventListener("history", load);
    net.removeEventListener("state", returned);
    goal?.close();
    view?.destroy();
  };
}

function whatNext() {
  return h("div", { class: "row finish-actions" },
    h("a", { class: "button primary big", href: "/history", id: "finish-done" }, icon("history"), "See your history"),
    h("a", { class: "button big", href: "/track" }, icon("track"), "Track another"));
}

function figure(name, key, value) {
  return h("div", {}, h("dt", {}, name), h("dd", { class: "number", dataset: { figure: key } }, value));
}

function averageOf(session) {
  return session.averageSpeed ?? averageSpeed(session.distance, session.elapsed);
}

function figures(session) {
  const time = figure("Total time", "time", hms(session.elapsed));
  if (session.points === 0) return h("dl", { class: "figures card", id: "session-figures" }, time);
  const { label, value, unit } = speedParts(averageOf(session), session.activity);
  return h("dl", { class: "figures card", id: "session-figures" }, figure("Distance", "distance", `${km(session.distance)} km`), time,
    h("div", {}, h("dt", {}, `Avg ${label.toLowerCase()}`),
      h("dd", { class: "number", dataset: { figure: "rate" } }, value, h("span", { class: "unit" }, ` ${unit}`))));
}

/** A time of the day the page names already; another day with its date. */
function momentOf(time, named) {
  return numericDate(time) === numericDate(named ?? time) ? time24(time) : `${numericDate(time)} ${time24(time)}`;
}

/** What U-5 wants in its units, whatever the reader chose for the rest. */
function details(session) {
  const hasRoute = session.points > 0;
  return h("dl", { class: "card facts", id: "session-details" },
    ...[["Started", "started", momentOf(session.startedAt, session.endedAt)],
      ["Ended", "ended", session.endedAt ? time24(session.endedAt) : "Not yet"],
      ...(hasRoute ? [["Moving time", "moving", hms(session.moving)], ["Average speed", "speed", `${speed(averageOf(session))} m/s`]] : [])]
      .map(([name, key, value]) => figure(name, key, value)));
}

function reasons(notCounted) {
  const entries = Object.entries(notCounted ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return [];
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  return [h("details", { class: "card", id: "not-counted" }, h("summary", {}, `${count(total, "point")} did not count for the distance`),
    h("ul", { class: "reason-list" }, ...entries.map(([reason, number]) => h("li", { dataset: { reason } }, h("span", { class: "number" }, number.toLocaleString("en")), h("span", {}, reasonSentence(reason))))))];
}
