import assert from "node:assert/strict";
import { test } from "node:test";
import { NewVersion } from "../../../Sources/WebApp/shell/newversion.js";

/** A page of version `a`, whose `update` resolves when the test says so; `shown` has the notices. */
function page() {
  const net = Object.assign(new EventTarget(), { state: "reconnecting", webApp: /** @type {string | null} */ (null), isOutdated: false });
  const shown = [];
  const updates = [];
  const update = () => new Promise((resolve) => { updates.push(resolve); });
  const version = new NewVersion({ own: "a", net: /** @type {any} */ (net), update, show: (kind) => shown.push(kind) });
  const hello = (webApp, isOutdated = false) => {
    Object.assign(net, { state: "live", webApp, isOutdated });
    net.dispatchEvent(new Event("state"));
  };
  const fetched = async () => {
    for (const resolve of updates.splice(0)) resolve();
    await Promise.resolve();
  };
  return { version, shown, updates, hello, fetched };
}

test("a reply to hello with another version of the app is shown when its files are here, once for each version", async () => {
  const { shown, updates, hello, fetched } = page();
  hello("a");
  hello(null);
  assert.equal(updates.length, 0, "the same version, and a server that names none");
  hello("b");
  assert.deepEqual(shown, []);
  await fetched();
  assert.deepEqual(shown, ["ready"]);
  hello("b");
  await fetched();
  assert.deepEqual(shown, ["ready"], "a person may have closed the notice");
  hello("c");
  await fetched();
  assert.deepEqual(shown, ["ready", "ready"]);
});

test("a changed worker is shown also when the server names no version", async () => {
  const { version, shown, fetched } = page();
  version.found();
  await fetched();
  version.found();
  await fetched();
  assert.deepEqual(shown, ["ready"]);
});

test("a page that the server no longer supports says so at once, once for each time, and offers nothing beside it", async () => {
  const { version, shown, hello, fetched } = page();
  hello("b", true);
  assert.deepEqual(shown, ["outdated"]);
  hello("b", true);
  version.found();
  await fetched();
  assert.deepEqual(shown, ["outdated"]);
});
