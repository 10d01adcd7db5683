// Alerts for news of an event: as with messages, nothing pops up while a session is recorded (U-7).

import { alertFor } from "../chat/alerts.js";
import { alertSettings, isNotificationAllowed, notify } from "../kit/notifications.js";
import { announce, toast } from "../kit/dom.js";
import { newsText } from "./words.js";

/** From now on what others do with events is told. */
export function startEventAlerts({ events, tracker, net, router }) {
  events.addEventListener("news", ({ detail: { event, news } }) => {
    const key = `event-${event.id}`;
    const path = `/events/${event.id}`;
    // The event's page itself says what is another.
    const shown = news === "changed" && location.pathname === path ? key : null;
    const kind = alertFor({ conversation: { id: key }, shown, isPageVisible: document.visibilityState === "visible", isRecording: tracker.record?.state === "running", isAllowed: isNotificationAllowed() });
    if (kind === null) return;
    const text = newsText({ event, news, hidesText: kind === "notification" && alertSettings().hidesText, now: net.clock.now() });
    if (!text) return;
    if (kind === "notification") {
      notify({ ...text, tag: key, path, open: (to) => router.go(to) });
      if (document.visibilityState === "visible") announce(text.body);
    } else toast(text.body, { key, seconds: 10, action: location.pathname === path ? null : { label: "Open", run: () => router.go(path) } });
  });
}
