import assert from "node:assert/strict";
import { test } from "node:test";

Object.assign(globalThis, { addEventListener() {} });
const { emptyWords } = await import("../../../Sources/WebApp/livemap/emptywords.js");

const net = { state: "live", wasLive: true, nextAttemptAt: null, account: null };
const roster = { problem: null, isKnown: true };
const title = (changes) => emptyWords({ roster, net, isFiltered: false, hasCampus: true, ...changes })[0];

test("runners are being found until they are known, also during the first attempt to connect", () => {
  const unknown = { problem: null, isKnown: false };
  const first = { wasLive: false, nextAttemptAt: null };
  for (const state of [{ state: "live" }, { state: "closed", ...first }, { state: "reconnecting", ...first }]) {
    assert.equal(title({ roster: unknown, net: { ...net, ...state } }), "Finding runners…", JSON.stringify(state));
  }
  const lost = { wasLive: true, nextAttemptAt: 7 };
  const second = { wasLive: false, nextAttemptAt: 7 };
  for (const state of [{ state: "offline", ...first }, { state: "reconnecting", ...lost }, { state: "reconnecting", ...second }]) {
    assert.equal(title({ roster: unknown, net: { ...net, ...state } }), "You're offline", JSON.stringify(state));
  }
});

test("an empty list says why it is empty", () => {
  assert.equal(title({ roster: { problem: { message: "Try again." }, isKnown: false } }), "Couldn't load runners");
  assert.equal(title({ isFiltered: true }), "No matches in view");
  assert.equal(title({ hasCampus: false }), "Nobody in view");
  assert.equal(title({}), "Nobody is running right now");
});
