// One finished session: its route, its figures, why points did not count, and who may see it.

import { h, setText } from "../dom.js";
import { activityNames, averageSpeed, count, date, hms, km, reasonSentence, speed, time24 } from "../format.js";
import { icon } from "../icons.js";
import { makeMapView } from "../mapview.js";
import { RouteLine } from "../routeline.js";
import { token } from "../theme.js";
import { loading } from "./loading.js";
import { drawHiddenParts, hiddenNote } from "./hiddenroute.js";
import { makeShareControls } from "./sharecontrols.js";

export function show(root, { id }, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go(`/login?next=/history/${encodeURIComponent(id)}`, { replace: true });
    return undefined;
  }
  let view = null;
  let closed = false;
  const heading = h("h1", { tabindex: "-1" }, "Session");
  const subtitle = loading(net);
  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack" }, h("p", {}, h("a", { href: "/history", class: "back" }, "← History")), h("div", {}, heading, subtitle), place));

  async function load() {
    try {
      const { session, route, notCounted, hidden } = await net.request("tracking.session", { session: Number(id) });
      if (!closed) draw(session, route, notCounted, hidden);
    } catch (error) {
      setText(subtitle, "");
      place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
        error.isTransient ? h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") : h("a", { class: "button", href: "/history" }, "To the history"));
    }
  }

  function draw(session, route, notCounted, hidden) {
    const ended = session.endedAt ?? session.startedAt;
    setText(heading, session.title);
    document.title = `${session.title} · Campanile`;
    setText(subtitle, `${activityNames[session.activity] ?? session.activity} · ${date(ended)} · ended ${time24(ended)}`);
    const mapElement = h("div", { class: "map" });
    const figure = (name, key, value) => h("div", {}, h("dt", {}, name), h("dd", { class: "number", dataset: { figure: key } }, value));
    place.replaceChildren(
      h("dl", { class: "figures card", id: "session-figures" }, figure("Distance", "distance", `${km(session.distance)} km`), figure("Total time", "time", hms(session.elapsed)),
        figure("Average", "speed", `${speed(session.averageSpeed ?? averageSpeed(session.distance, session.elapsed))} m/s`)),
      h("div", { class: "route-map" }, mapElement), hiddenNote(hidden), ...reasons(notCounted),
      session.owner.id === net.account?.id ? makeShareControls({ net, session: session.id, audience: session.audience }) : "");
    drawRoute(mapElement, route, hidden);
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

  load();
  return () => {
    closed = true;
    view?.destroy();
  };
}

function reasons(notCounted) {
  const entries = Object.entries(notCounted ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return [];
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  return [h("details", { class: "card", id: "not-counted" }, h("summary", {}, `${count(total, "point")} did not count for the distance`),
    h("ul", { class: "reason-list" }, ...entries.map(([reason, number]) => h("li", { dataset: { reason } }, h("span", { class: "number" }, number.toLocaleString("en")), h("span", {}, reasonSentence(reason))))))];
}
