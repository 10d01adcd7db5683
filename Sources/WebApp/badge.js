// The connection badge: live, reconnecting or offline, and how old the positions on screen are.

import { announce, setText } from "./dom.js";
import { ago } from "./format.js";

const quietBeforeAgeSeconds = 10;
const words = { live: "Live", reconnecting: "Reconnecting", offline: "Offline" };

/** Keeps `badge` and `<html data-connection>` true to `net`, each second and at each change. */
export function startBadge(net, roster, badge) {
  const label = badge.querySelector(".badge-text");
  let announced = null;

  function text() {
    const age = roster.heardAt > 0 && roster.entries.size > 0 ? (Date.now() - roster.heardAt) / 1000 : null;
    const old = age !== null && age > quietBeforeAgeSeconds ? ` · data ${ago(age)}` : "";
    if (net.state === "live") return words.live;
    if (net.state === "offline") return words.offline + (net.gaveUp ? " · reload to try again" : old);
    if (!net.wasLive && net.nextAttemptAt === null) return "Connecting…";
    const seconds = net.nextAttemptAt === null ? 0 : Math.ceil((net.nextAttemptAt - Date.now()) / 1000);
    return seconds > 0 ? `${words.reconnecting} in ${seconds} s${old}` : `${words.reconnecting}…${old}`;
  }

  function draw() {
    document.documentElement.dataset.connection = net.state;
    badge.dataset.state = net.state;
    setText(label, text());
  }

  function changed() {
    draw();
    if (net.state === announced) return;
    // The first connection is no news; losing it and getting it back is.
    if (announced !== null && (net.wasLive || net.state === "offline")) announce(net.state === "live" ? "Connected, live again." : `${words[net.state]}. The map shows the last known positions.`);
    announced = net.state === "reconnecting" && announced === null ? null : net.state;
  }

  net.addEventListener("state", changed);
  setInterval(draw, 1000);
  draw();
}
