// The client of this page: its address, what the browser stores, and what the browser reports of network and visibility.

import { takeEarlySocket } from "./early.js";
import { platformName } from "./platform.js";
import { plainMessage } from "./plainwords.js";
import { WebClient } from "./webclient.js";

/** Makes the client. It connects with `connect()`. */
export function browserClient() {
  const isVisible = () => document.visibilityState === "visible";
  const isOnline = () => navigator.onLine !== false;
  const client = new WebClient(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
    client: { name: "campanile-web", version: "1", platform: platformName(navigator.userAgent) }, storage: localStorage,
    makeSocket: (url, subprotocol) => takeEarlySocket(url) ?? new WebSocket(url, subprotocol),
    network: { isOnline, isVisible }, isOnline,
    messageOf: ({ code, message, data }) => plainMessage(code, message, data?.field),
  });
  addEventListener("online", () => client.retryNow());
  addEventListener("offline", () => client.checkNow());
  document.addEventListener("visibilitychange", () => {
    if (!isVisible()) return;
    if (client.isReady) client.checkNow();
    else client.retryNow();
  });
  return client;
}
