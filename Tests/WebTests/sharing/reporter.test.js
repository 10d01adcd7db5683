import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeStorage } from "../connection/fakedatabase.js";
import { WriteQueue } from "../../../Sources/WebApp/connection/writequeue.js";
import { Clock, Network, Storage, settle } from "../connection/fakequeue.js";

globalThis.addEventListener ??= /** @type {any} */ (() => {});
globalThis.localStorage = /** @type {any} */ (new FakeStorage());
globalThis.document ??= /** @type {any} */ (Object.assign(new EventTarget(), { visibilityState: "visible" }));
const { Reporter } = await import("../../../Sources/WebApp/sharing/reporter.js");

test("after a reconnect a setting that waits to be turned off is off, and is read again once it is sent", async () => {
  const net = /** @type {any} */ (new Network());
  net.clock = { now: () => Date.now() };
  net.writes = new WriteQueue(net, { storage: new Storage(), locks: null, scheduler: new Clock() });
  let stored = { visits: true, heatmap: true };
  let isAway = true;
  net.request = async (method, params) => {
    if (method === "privacy.settings") return stored;
    if (method === "privacy.saveSettings") {
      if (isAway) throw Object.assign(new Error("Not now."), { isTransient: true });
      stored = { ...stored, ...params };
      return stored;
    }
    return {};
  };
  const sharing = Object.assign(new EventTarget(), { working: [], shares: [], isLoaded: true, isStopping: () => false });
  const tracker = Object.assign(new EventTarget(), { record: null, isKnown: true, hasSession: false });
  net.state = "offline";
  const reporter = new Reporter(net, sharing, tracker);
  await net.writes.write("privacy.saveSettings", { visits: false });
  await net.writes.write("privacy.saveSettings", { heatmap: true });
  const seen = [];
  reporter.addEventListener("settings", () => seen.push(reporter.settings));
  net.become("reconnecting");
  net.state = "live";
  net.dispatchEvent(new Event("state"));
  await settle();
  assert.ok(seen.some((settings) => settings?.visits === false && settings.heatmap === false));
  assert.ok(!seen.some((settings) => settings?.visits || settings?.heatmap));
  isAway = false;
  net.become("live");
  await settle();
  assert.deepEqual(reporter.settings, { visits: false, heatmap: true });
});
