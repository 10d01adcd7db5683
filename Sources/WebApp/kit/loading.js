// The line in the place of content that is loading.

import { h, setText } from "./dom.js";

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
