// The line in the place of content that is loading, and the one above content that this device kept.

import { h, setText } from "./dom.js";
import { dayText, timeText } from "./format.js";
import { icon } from "./icons.js";

/** Whether the connection is about to be opened, or being opened, for the first time: that is part of loading. */
export function isFirstAttempt(net) {
  return ["closed", "reconnecting"].includes(net.state) && !net.wasLive && net.nextAttemptAt === null;
}

/** The text of the line now. What this device has kept is shown in its place. */
export function loadingText(net) {
  if (net.state === "live" || isFirstAttempt(net)) return "Loading…";
  if (net.state === "reconnecting") return "Waiting for connection…";
  return "You're offline, and this device has no copy of this yet. It appears when you're back online.";
}

/**
 * The line. Its text follows the connection until the line is removed or gets another text.
 * @param {EventTarget & {state: string}} net
 * @param {{class?: string, [attribute: string]: any}} attributes
 */
export function loading(net, { class: className = "muted", ...rest } = {}) {
  const line = h("p", { class: className, role: "status", ...rest }, loadingText(net));
  let said = line.textContent;
  let wasShown = false;
  const follow = () => {
    wasShown ||= line.isConnected;
    if ((wasShown && !line.isConnected) || line.textContent !== said) return net.removeEventListener("state", follow);
    said = loadingText(net);
    return setText(line, said);
  };
  net.addEventListener("state", follow);
  return line;
}

/** `You're offline. Last updated at 14:32.` Both times are those of the device, in ms. An age would be another each minute. */
export function keptText(at, now = Date.now()) {
  const day = dayText(at) === dayText(now) ? "" : `on ${dayText(at)} `;
  return `You're offline. Last updated ${day}at ${timeText(at)}.`;
}

/** The line above contents that this device kept, `{element, draw(at)}`: hidden while `at` is null. */
export function makeKeptNote(id) {
  const text = h("span", {});
  const element = h("p", { class: "notice small kept-note", id, hidden: true }, icon("offline"), text);
  return { element, draw(at) {
    element.hidden = at === null;
    if (at !== null) setText(text, keptText(at));
  } };
}
