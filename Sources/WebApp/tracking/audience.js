// The watchers of a session, on the page that records it.

import { makeWatchers } from "./watchers.js";

/**
 * Shows the watchers of the runner's session: `{element, update(session), destroy()}`. Subscribes only while the page is visible: the
 * topic sends the whole route, which a phone in a pocket does not need.
 */
export function watchAudience({ net, known }) {
  const watchers = makeWatchers({ isOpen: true, nameOf: (username) => known.nameOf(username) });
  let subscription = null;
  let watched = null;
  let presence = null;

  function update(session) {
    const wanted = document.visibilityState === "visible" ? session : null;
    if (wanted !== watched) {
      subscription?.close();
      watched = wanted;
      presence = subscription = null;
      if (wanted !== null) {
        subscription = net.subscribe(`session/${wanted}`, { snapshot: take, push: take });
      }
    }
    watchers.show(net.state === "live" ? presence : null, { isOwner: true });
  }

  function take(data) {
    if (data.presence) presence = data.presence;
    if (data.type === "ended" || data.type === "closed") presence = null;
    update(watched);
  }

  const changed = () => { if (document.visibilityState === "hidden") update(null); };
  document.addEventListener("visibilitychange", changed);
  return {
    element: watchers.element, update,
    destroy() {
      document.removeEventListener("visibilitychange", changed);
      subscription?.close();
    },
  };
}
