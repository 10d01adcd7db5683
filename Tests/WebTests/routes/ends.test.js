import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, endOf, endsOf, isSameEnd, textOf, wireEnd } from "../../../Sources/WebApp/routes/ends.js";
import { keepPreferences, keptPreferences, preferencesText, switches, wirePreferences } from "../../../Sources/WebApp/routes/preferences.js";
import { FakeStorage } from "./fakes.js";

test("each end of an address is read and written back", () => {
  for (const text of ["me", "room/34", "building/12", "event/5", "person/6", "51.500000,8.000000", "51.500000,8.000000,-1"]) {
    assert.equal(textOf(endOf(text)), text);
  }
});

test("anything else is no end", () => {
  const wrong = ["", "room/0", "room/x", "room/1/2", "91,0", "0,181", "1", "1,2,3,4", "1,2,x", "event/-1", "javascript:1", "1e9,3", "building/99999999999999999"];
  for (const text of wrong) assert.equal(endOf(text), null, text);
  assert.equal(endOf(null), null);
});

test("a request has each end as the protocol wants it", () => {
  assert.deepEqual(wireEnd(endOf("room/34")), { destination: "room/34" });
  assert.deepEqual(wireEnd(endOf("event/5")), { event: 5 });
  assert.deepEqual(wireEnd(endOf("1.5,2.5,2")), { lat: 1.5, lon: 2.5, level: "2" });
  assert.deepEqual(wireEnd(endOf("me"), { lat: 1, lon: 2, accuracy: 5, speed: 1, level: null }), { lat: 1, lon: 2 });
});

test("an address without a start begins at this device's position", () => {
  const { from, to } = endsOf(new URLSearchParams("to=room/34"));
  assert.deepEqual([from.kind, to.id], ["me", "room/34"]);
  assert.equal(addressOf("/walk", { from, to }), "/walk?to=room/34");
  assert.equal(addressOf("/route", { from: to, to: null }), "/route?from=room/34");
  assert.ok(isSameEnd(endOf("room/34"), to) && !isSameEnd(null, to));
});

test("preferences have the words of the requirements, stay on the device, and are sent only where they differ", () => {
  const storage = new FakeStorage();
  assert.deepEqual(switches.map(({ label }) => label), ["Avoid Pedestrian Traffic", "Disability Friendly Route", "No stairs"]);
  assert.deepEqual(wirePreferences(keptPreferences(storage)), {});
  keepPreferences({ avoidCrowds: false, stepFree: true, noStairs: false, speed: "slow" }, storage);
  assert.deepEqual(wirePreferences(keptPreferences(storage)), { stepFree: true, speed: 0.9 });
  assert.equal(preferencesText(keptPreferences(storage)), "step-free, slow pace");
  storage.setItem("campanile.routePreferences", "{broken");
  assert.deepEqual(wirePreferences(keptPreferences(storage)), {});
  storage.setItem("campanile.routePreferences", '{"speed":"sprint","stepFree":"yes"}');
  assert.deepEqual(wirePreferences(keptPreferences(storage)), {});
});
