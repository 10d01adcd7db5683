import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages } from "../../../Sources/WebApp/shell/pages.js";
import { reachedFrom } from "../tree.js";

globalThis.addEventListener ??= () => {};
const { busyPages, isDue } = await import("../../../Sources/WebApp/tutorial/start.js");

const settings = (value, known = true) => ({ isKnown: () => known, value: () => value });
const given = { account: { id: 7 }, settings: settings("new"), page: { name: "home" }, isBusy: false };

test("the tutorial opens by itself for an account that has not seen it, once the server has said so", () => {
  assert.ok(isDue(given));
  assert.ok(!isDue({ ...given, account: null }));
  assert.ok(!isDue({ ...given, settings: settings("seen") }));
  assert.ok(!isDue({ ...given, settings: settings("new", false) }));
});

test("it does not interrupt a registration, a dialog or a recording", () => {
  assert.ok(!isDue({ ...given, isBusy: true }));
  assert.ok(!isDue({ ...given, page: null }));
  for (const name of busyPages) {
    assert.ok(!isDue({ ...given, page: { name } }));
    assert.ok(name === "missing" || pages.some((page) => page.name === name), name);
  }
});

test("what it shows is loaded when it opens", () => {
  const reached = reachedFrom("shell/features.js");
  assert.ok(reached.has("tutorial/start.js") && reached.has("help/button.js"));
  assert.deepEqual([...reached].filter((path) => /^(tutorial|help)\//.test(path)).sort(), ["help/button.js", "tutorial/start.js"]);
});
