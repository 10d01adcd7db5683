// Alerts for news of an event.

import { announce, toast } from "../kit/dom.js";
import { alertKind, alertSettings, isNotificationAllowed, notify } from "../kit/notifications.js";
import { newsText } from "./words.js";

const toastSeconds = 10;

/** Starts to show what others do with events. */
export function startEventAlerts({ events, tracker, net, router }) {
  events.addEventListener("news", ({ detail: { event, news } }) => {
    const key = `event-${event.id}`;
    const path = `/events/${event.id}`;
    const isHere = location.pathname === path;
    const isPageVisible = document.visibilityState === "visible";
    const kind = alertKind({
      // The page of the event shows its changes itself.
      isInView: news === "changed" && isHere, isPageVisible, isRecording: tracker.record?.state === "running",
      isAllowed: isNotificationAllowed(),
    });
    if (kind === null) return;
    const hidesText = kind === "notification" && alertSettings().hidesText;
    const text = newsText({ event, news, hidesText, now: net.clock.now() });
    if (!text) return;
    if (kind === "notification") {
      notify({ ...text, tag: key, path, open: (to) => router.go(to) });
      if (isPageVisible) announce(text.body);
    } else {
      const action = isHere ? null : { label: "Open", run: () => router.go(path) };
      toast(text.body, { key, seconds: toastSeconds, action });
    }
  });
}
