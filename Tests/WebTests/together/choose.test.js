import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

Object.assign(globalThis, { addEventListener: () => {} });
const { loadOnline } = await import("../../../Sources/WebApp/together/choose.js");

class Network extends EventTarget {
  state = "offline";

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
    return pause(5);
  }
}

function opened() {
  const net = new Network();
  const end = new AbortController();
  const failures = [];
  let loads = 0;
  loadOnline(net, async () => {
    loads += 1;
    if (net.state !== "live") throw Object.assign(new Error("You're offline."), { isTransient: true });
  }, (error) => failures.push(error.message), end.signal);
  return { net, end, failures, loads: () => loads };
}

test("what a field lists is loaded once the connection is back, and once only", async () => {
  const { net, failures, loads } = opened();
  await pause(5);
  await net.become("live");
  await net.become("offline");
  await net.become("live");
  assert.deepEqual([loads(), failures], [2, []]);
});

test("nothing is loaded for a page that was closed", async () => {
  const { net, end, loads } = opened();
  await pause(5);
  end.abort();
  await net.become("live");
  assert.equal(loads(), 1);
});
