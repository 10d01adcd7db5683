// The parts of a session's page that only show facts: figures, details, why points did not count.

import { h } from "../kit/dom.js";
import { averageSpeed, count, hms, km, monthFirst, reasonSentence, speed, time24 } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { speedParts } from "../kit/units.js";

/** Links after the end of a session. */
export function whatNext() {
  return h("div", { class: "row finish-actions" },
    h("a", { class: "button primary big", href: "/history", id: "finish-done" }, icon("history"), "See history"),
    h("a", { class: "button big", href: "/track" }, icon("track"), "Track another"));
}

/** Distance, time and speed in large figures; of a session without positions the time alone. */
export function figures(session) {
  const time = figure("Total time", "time", hms(session.elapsed));
  if (session.points === 0) return h("dl", { class: "figures card", id: "session-figures" }, time);
  const { label, value, unit } = speedParts(averageOf(session), session.activity);
  return h("dl", { class: "figures card", id: "session-figures" }, figure("Distance", "distance", `${km(session.distance)} km`), time,
    h("div", {}, h("dt", {}, `Avg ${label.toLowerCase()}`),
      h("dd", { class: "number", dataset: { figure: "rate" } }, value, h("span", { class: "unit" }, ` ${unit}`))));
}

/** The facts that U-5 requires, in its units: they do not follow the reader's choice of units. */
export function details(session) {
  const ofRoute = session.points > 0
    ? [["Moving time", "moving", hms(session.moving)], ["Average speed", "speed", `${speed(averageOf(session))} m/s`]]
    : [];
  return h("dl", { class: "card facts", id: "session-details" },
    ...[["Started", "started", momentOf(session.startedAt, session.endedAt)],
      ["Ended", "ended", session.endedAt ? time24(session.endedAt) : "Not yet"], ...ofRoute]
      .map(([name, key, value]) => figure(name, key, value)));
}

/** Why points did not count, by the number of points; nothing when all did. */
export function reasons(notCounted) {
  const entries = Object.entries(notCounted ?? {}).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return [];
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  const rows = entries.map(([reason, number]) => h("li", { dataset: { reason } },
    h("span", { class: "number" }, number.toLocaleString("en")), h("span", {}, reasonSentence(reason))));
  return [h("details", { class: "card", id: "not-counted" }, h("summary", {}, `${count(total, "point")} not counted in the distance`),
    h("ul", { class: "reason-list" }, ...rows))];
}

function figure(name, key, value) {
  return h("div", {}, h("dt", {}, name), h("dd", { class: "number", dataset: { figure: key } }, value));
}

function averageOf(session) {
  return session.averageSpeed ?? averageSpeed(session.distance, session.elapsed);
}

/** A time of day on the day that the page names already; on another day with its date. */
function momentOf(time, named) {
  return monthFirst(time) === monthFirst(named ?? time) ? time24(time) : `${monthFirst(time)}, ${time24(time)}`;
}
