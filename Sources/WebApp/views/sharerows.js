// Rows of the sharing page: a share of mine, one of somebody else's, a question, one that is over.

import { h } from "../dom.js";
import { ago } from "../format.js";
import { icon } from "../icons.js";
import { listTime } from "../chat/times.js";
import { audienceName, endText, endsText, questionText, rungName, untilText, watchingText } from "../sharing/words.js";

const marks = { person: "account", group: "group", campus: "map", link: "link" };
const small = (label, id, run, name, kind = "") => h("button", { class: `button small-button ${kind}`, type: "button", dataset: { action: id }, "aria-label": name, onclick: run }, label);

/** One of mine that works. */
export function mineRow(share, { now, isStopping, stop, change, who }) {
  const name = audienceName(share);
  const tied = share.session ? `, ${untilText(share.expiresAt, now)} at the latest` : "";
  return h("li", { class: "row-item share-row", dataset: { share: share.id } }, icon(marks[share.audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name), h("p", { class: "muted small" }, `${sentence(rungName(share.precision))} · ${endsText(share, now)}${tied}`),
      h("p", { class: "small share-watching" }, icon("eye"), isStopping ? "Stopping…" : sentence(watchingText(share.watching)))),
    h("div", { class: "row share-actions" }, small("Who looked", "who", who, `Who looked: ${name}`), isStopping ? null : small("Change", "change", change, `Change what you share with ${name}`),
      isStopping ? null : small("Stop", "stop", stop, `Stop sharing with ${name}`, "danger")));
}

/** One of somebody else's. */
export function withMeRow(share, { now, isHidden, hide }) {
  const { person: { name }, audience } = share;
  return h("li", { class: "row-item share-row", dataset: { share: share.id } }, icon(marks[audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name), h("p", { class: "muted small" }, `${sentence(rungName(share.precision))} · ${untilText(share.expiresAt, now)}${audience === "group" ? " · with a group of yours" : ""}`),
      isHidden ? h("p", { class: "small" }, "Hidden on your map, on this device.") : null),
    h("div", { class: "row share-actions" }, h("a", { class: "button small-button", href: `/map?share=${share.id}`, "aria-label": `Show ${name} on the map` }, "On the map"),
      small(isHidden ? "Show again" : "Hide", "hide", () => hide(!isHidden), isHidden ? `Show ${name} again` : `Hide ${name}`)));
}

/** A question to me, or one of mine. */
export function questionRow(request, { now, isToMe = false, answer = null, read = null }) {
  const other = isToMe ? request.from : request.to;
  const seconds = (now - Date.parse(request.at)) / 1000;
  const left = Math.max(0, Math.ceil((Date.parse(request.expiresAt) - now) / 60_000));
  const isWaiting = ["open", "answered"].includes(request.state);
  return h("li", { class: "row-item share-row", dataset: { question: request.id, state: request.state } }, icon("question"),
    h("div", { class: "grow" }, h("strong", {}, isToMe ? `${other.name} asks where you are` : other.name),
      h("p", { class: "muted small" }, [isToMe ? `Asked ${ago(seconds)}` : `${questionText(request)}, asked ${ago(seconds)}`, isWaiting ? `${left} min left` : null].filter(Boolean).join(" · "))),
    isToMe ? h("div", { class: "row share-actions" }, small("Answer…", "answer", answer, `Answer ${other.name}`, "primary"))
      : request.state === "answered" ? h("div", { class: "row share-actions" }, small("Read once", "read", read, `Read the answer of ${other.name}, once`, "primary")) : null);
}

/** One of mine that is over. */
export function pastRow(share, { who }) {
  const name = audienceName(share);
  const ended = share.endedAt ?? share.expiresAt;
  return h("li", { class: "row-item share-row", dataset: { share: share.id } }, icon(marks[share.audience] ?? "share"),
    h("div", { class: "grow" }, h("strong", {}, name), h("p", { class: "muted small" }, `${sentence(rungName(share.precision))} · ${listTime(share.startedAt)} to ${listTime(ended)}: ${endText(share.end)}`)),
    h("div", { class: "row share-actions" }, small("Who looked", "who", who, `Who looked: ${name}`)));
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
