// The state of a runner that may be shown: while the connection is lost, the last known state is not current.

import { stateNames, timeText } from "./format.js";

const lasting = ["offline", "finished", "hidden"];

/** The state to show: `unknown` for one that may have changed while the connection was lost. */
export function shownState(state, isLive) {
  return isLive || lasting.includes(state) ? state : "unknown";
}

/** `Moving`; `Was moving` while the connection is lost. */
export function stateText(state, isLive) {
  const name = stateNames[state] ?? state;
  return shownState(state, isLive) === "unknown" ? `Was ${name.toLowerCase()}` : name;
}

/** The connection in words: `Live`, `Reconnecting`, `Offline since 14:03`. */
export function connectionText(net) {
  if (net.state === "live") return "Live";
  if (net.gaveUp) return "Offline · reload to try again";
  if (net.state === "offline") return net.lastMessageAt > 0 ? `Offline since ${timeText(net.lastMessageAt)}` : "Offline";
  return net.wasLive || net.nextAttemptAt !== null ? "Reconnecting" : "Connecting…";
}
