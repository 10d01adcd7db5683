import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dayText, timeText } from "../../../Sources/WebApp/kit/format.js";

globalThis.addEventListener ??= /** @type {any} */ (() => {});
const { keptText } = await import("../../../Sources/WebApp/kit/loading.js");

test("a kept part says when it was updated, which stays true while it is shown", () => {
  const at = new Date(2026, 4, 4, 7, 12).getTime();
  assert.equal(keptText(at, at + 14_000), `You're offline. Last updated at ${timeText(at)}.`);
  assert.equal(keptText(at, at + 14_000), keptText(at, at + 76_000));
  assert.equal(keptText(at, at + 2 * 86_400_000), `You're offline. Last updated on ${dayText(at)} at ${timeText(at)}.`);
});
