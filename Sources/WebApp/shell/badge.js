// The connection badge: live, reconnecting, or offline since when.

import { announce, h } from "../kit/dom.js";
import { connectionText } from "../kit/livestate.js";

const words = { reconnecting: "Reconnecting", offline: "Offline" };

/** Keeps `badge` and `<html data-connection>` true to `net`, each second and at each change. */
export function startBadge(net, badge) {
  const label = badge.querySelector(".badge-text");
  let announced = null;

  function draw() {
    // Before the first attempt it is about to connect.
    const shown = net.state === "closed" ? "reconnecting" : net.state;
    document.documentElement.dataset.connection = shown;
    badge.dataset.state = shown;
    const text = connectionText(net);
    if (label.textContent === text) return;
    // Where there is no room, the word between goes first, then the time.
    const [state, since] = text.split(" since ");
    label.replaceChildren(state, ...(since ? [h("span", { class: "badge-since" }, " since"),
      h("span", { class: "badge-time" }, ` ${since}`)] : []));
  }

  function changed() {
    draw();
    if (net.state === announced) return;
    // The first connection is no news; losing it and getting it back is.
    if (announced !== null && (net.wasLive || net.state === "offline")) {
      announce(net.state === "live" ? "Back online." : `${words[net.state]}. The map shows last known locations.`);
    }
    announced = net.state === "reconnecting" && announced === null ? null : net.state;
  }

  net.addEventListener("state", changed);
  setInterval(draw, 1000);
  draw();
}
