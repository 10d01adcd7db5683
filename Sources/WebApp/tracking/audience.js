// The watchers of one's own session, on the page that records it.

import { makeWatchers } from "./watchers.js";

/**
 * Who watches the own session: `{element, update(session), destroy()}`. Asked for only while somebody looks at the page: with it
 * comes the whole route, which a phone in a pocket need not be sent.
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
        subscription = net.subscribe(`session/${wanted}`, { snapshot: heard, push: heard });
      }
    }
    watchers.show(net.state === "live" ? presence : null, { isOwner: true });
  }

  function heard(data) {
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
