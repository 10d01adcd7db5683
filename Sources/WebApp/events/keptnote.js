// The line above contents that come from the device's copy.

import { h, setText } from "../kit/dom.js";
import { ago, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

const hour = 3_600_000;

/** `You're offline. Last updated at 14:32, 3 min ago.` Both times are those of the device, in ms. */
export function keptText(at, now = Date.now()) {
  const isToday = dayText(at) === dayText(now);
  const age = Math.max(0, now - at);
  const day = isToday ? "" : `on ${dayText(at)} `;
  return `You're offline. Last updated ${day}at ${timeText(at)}${age < 24 * hour ? `, ${ago(age / 1000)}` : ""}.`;
}

/** `{element, draw(at)}`: hidden while `at` is null. */
export function makeKeptNote(id) {
  const text = h("span", {});
  const element = h("p", { class: "notice small", id, hidden: true }, icon("offline"), text);
  return { element, draw(at) {
    element.hidden = at === null;
    if (at !== null) setText(text, keptText(at));
  } };
}
