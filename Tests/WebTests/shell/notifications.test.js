import assert from "node:assert/strict";
import { test } from "node:test";
import { followNotifications } from "../../../Sources/WebApp/shell/notifications.js";
import { missingPage, pages } from "../../../Sources/WebApp/shell/pages.js";
import { Router } from "../../../Sources/WebApp/shell/router.js";

test("a tapped notification opens a page of the app, and nothing else", () => {
  const serviceWorker = new EventTarget();
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
  globalThis.location = /** @type {any} */ ({ origin: "https://campus.example" });
  const opened = [];
  const router = new Router(pages, missingPage);
  router.go = (path) => { opened.push(path); };
  followNotifications(router);
  const send = (data) => serviceWorker.dispatchEvent(new MessageEvent("message", { data }));
  for (const path of ["/chats/7", "/events/3?from=reminder", "/nothing", "//elsewhere.example/x"]) send({ type: "open", path });
  send({ type: "pushChanged" });
  assert.deepEqual(opened, ["/chats/7", "/events/3?from=reminder"]);
});
