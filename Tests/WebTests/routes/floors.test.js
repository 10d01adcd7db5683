import assert from "node:assert/strict";
import { test } from "node:test";
import { buildingsOf } from "../../../Sources/WebApp/routes/buildings.js";
import { Floors } from "../../../Sources/WebApp/routes/floors.js";
import { FakeNet, at, exampleRoute } from "./fakes.js";

/** A building between two corners, in metres. */
function building(id, from, to) {
  const [a, b] = [at(...from), at(...to)];
  const ring = [[a.lon, a.lat], [b.lon, a.lat], [b.lon, b.lat], [a.lon, b.lat], [a.lon, a.lat]];
  return { properties: { kind: "building", ...(id && { id }) }, geometry: { type: "Polygon", coordinates: [ring] } };
}

const features = [
  building(12, [99, 5], [140, 40]), building(13, [20, -5], [60, 5]), building(undefined, [0, -1], [300, 300]),
  { properties: { kind: "way", id: 12 }, geometry: { type: "LineString", coordinates: [[0, 0], [1, 1]] } },
];

test("the buildings of a route are those that it enters or ends in, not those that it passes", () => {
  assert.deepEqual(buildingsOf(exampleRoute(), features), [12]);
  assert.deepEqual(buildingsOf({ points: [at(0), at(40)] }, features), [13]);
  assert.deepEqual(buildingsOf({ points: [] }, features), []);
});

test("plans are loaded once for each building; levels are those of the plans and of the route, the highest first", async () => {
  const net = new FakeNet();
  const room = { id: "room/34", kind: "room", name: "Reading room", lines: [] };
  net.replies["places.floors"] = { floors: [{ level: "-1", rooms: [], doors: [] }, { level: "2", rooms: [room], doors: [{ lat: 0, lon: 0 }] }] };
  const floors = new Floors({ net, campusMap: async () => ({ features }) });
  await floors.load(exampleRoute());
  await floors.load(exampleRoute());
  assert.deepEqual(net.methods("places.floors").map(({ params }) => params), [{ building: 12 }]);
  assert.deepEqual(floors.levels, ["2", "0", "-1"]);
  assert.equal(floors.firstLevel, "0");
  assert.deepEqual(floors.plan("2").rooms, [room]);
  assert.deepEqual(floors.plan("7"), { rooms: [], doors: [] });
});

test("without a network the kept plans stay, and a plan that cannot be loaded leaves the levels of the route", async () => {
  const net = new FakeNet();
  net.state = "offline";
  const kept = [{ building: 12, floors: [{ level: "1", rooms: [], doors: [] }] }];
  const floors = new Floors({ net, campusMap: () => Promise.reject(new Error("offline")) }, kept);
  await floors.load(exampleRoute());
  assert.deepEqual(floors.levels, ["2", "1", "0"]);
  const empty = new Floors({ net, campusMap: async () => ({ features }) });
  await empty.load(exampleRoute());
  assert.deepEqual(empty.levels, ["2", "0"]);
});
