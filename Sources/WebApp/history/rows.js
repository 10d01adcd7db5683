// The rows of the history, and the message without any.

import { emptyState, h } from "../kit/dom.js";
import { activityNames, hms, km, monthFirst, time24 } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { waitingText } from "../kit/saved.js";

/** A finished session that the server has. With `isWaiting`, its title waits to be sent. */
export function sessionRow(session, { isWaiting = false } = {}) {
  const ended = session.endedAt ?? session.startedAt;
  return h("li", {}, h("a", { class: "history-row", href: `/history/${session.id}`, dataset: { session: session.id } },
    h("span", { class: "history-icon" }, icon(session.activity)),
    h("span", { class: "history-what" }, h("strong", {}, session.title),
      h("span", { class: "muted small" }, `${activityNames[session.activity] ?? session.activity} · `,
        h("span", { class: "number" }, `${monthFirst(ended)}, ${time24(ended)}`)),
      isWaiting ? h("span", { class: "muted small waiting-words" }, icon("waiting"), waitingText) : null),
    figures(session)));
}

/** A finished session that only this device has. */
export function waitingRow(session) {
  return h("li", {}, h("div", { class: "history-row", dataset: { waiting: session.clientId } },
    h("span", { class: "history-icon" }, icon(session.activity)),
    h("span", { class: "history-what" }, h("strong", {}, session.title),
      h("span", { class: "muted small waiting-words" }, icon("waiting"), "On this device, not uploaded yet")), figures(session)));
}

/** The message of an empty history. */
export function noSessions() {
  return emptyState({
    id: "history-empty", iconElement: icon("history"), title: "No sessions yet", text: "Your runs and rides appear here.",
    action: h("a", { class: "button primary", href: "/track" }, "Track a run"),
  });
}

/** Distance and time; a session without positions has no distance. */
function figures({ points, distance, elapsed }) {
  const [first, second] = points > 0 ? [`${km(distance)} km`, hms(elapsed)] : [hms(elapsed), "Time only"];
  return h("span", { class: "history-figures number" }, h("strong", {}, first), h("span", { class: "muted small" }, second));
}
