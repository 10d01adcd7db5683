import assert from "node:assert/strict";
import { test } from "node:test";
import {
  classesOf, destinationAt, drawnDestinations, nearbyInDrawing, searchDrawing,
} from "../../../Sources/WebApp/places/drawing.js";

const square = (south, west, size) => [
  [west, south], [west + size, south], [west + size, south + size], [west, south + size], [west, south],
];
const feature = (properties, geometry) => ({ type: "Feature", properties, geometry });
const drawn = drawnDestinations({ features: [
  feature({ kind: "building", id: 1, name: "Main Library" },
    { type: "MultiPolygon", coordinates: [[square(0, 0, 0.01), square(0.004, 0.004, 0.002)]] }),
  feature({ kind: "building", id: 2 }, { type: "Polygon", coordinates: [square(1, 1, 0.01)] }),
  feature({ kind: "place", id: 3, class: "cafe", name: "Café Libre" }, { type: "Point", coordinates: [0.009, 0.009] }),
  feature({ kind: "place", id: 4, class: "cafe", name: "Quad Kiosk" }, { type: "Point", coordinates: [0.03, 0.03] }),
  feature({ kind: "place", id: 5, class: "library", name: "Law Library" }, { type: "Point", coordinates: [0.02, 0.02] }),
  feature({ kind: "way", class: "road", name: "Library Road" }, { type: "LineString", coordinates: [[0, 0], [1, 1]] }),
] });

test("named buildings, places and zones of the drawing are destinations", () => {
  assert.deepEqual(drawn.map(({ id }) => id), ["building/1", "place/3", "place/4", "place/5"]);
  assert.deepEqual([drawn[0].lat, drawn[0].lon], [0.005, 0.005]);
});

test("without a network names are found by words, accents and capitals aside, those that begin so first", () => {
  const names = (text, filter) => searchDrawing(drawn, text, filter).map(({ name }) => name);
  assert.deepEqual(names("libr"), ["Café Libre", "Law Library", "Main Library"]);
  assert.deepEqual(names("CAFE"), ["Café Libre"]);
  assert.deepEqual(names("main lib"), ["Main Library"]);
  assert.deepEqual(names("law"), ["Law Library"]);
  assert.deepEqual(names("libr", { kinds: ["building"] }), ["Main Library"]);
  assert.deepEqual(names("libr", { class: "cafe" }), ["Café Libre"]);
});

test("without a network a place stands for the building of its name around it, and for no other", () => {
  const same = (id, degrees) => drawnDestinations({ features: [
    feature({ kind: "building", id: 1, name: "Library" }, { type: "Polygon", coordinates: [square(0, 0, 0.0004)] }),
    feature({ kind: "place", id, class: "library", name: "Library" }, { type: "Point", coordinates: [degrees, degrees] }),
  ] });
  assert.deepEqual(searchDrawing(same(2, 0.0003), "library").map(({ id }) => id), ["place/2"]);
  assert.deepEqual(searchDrawing(same(2, 0.0003), "library", { kinds: ["building"] }).map(({ id }) => id), ["building/1"]);
  assert.equal(searchDrawing(same(2, 0.01), "library").length, 2);
});

test("places nearby are sorted by distance, with the time of a straight way", () => {
  const here = { lat: 0.018, lon: 0.018 };
  const near = nearbyInDrawing(drawn, here);
  assert.deepEqual(near.map(({ id }) => id), ["place/5", "place/3", "place/4"]);
  assert.equal(Math.round(near[0].seconds), Math.round(near[0].metres / 1.34));
  assert.deepEqual(nearbyInDrawing(drawn, here, { class: "cafe" }).map(({ id }) => id), ["place/3", "place/4"]);
  assert.deepEqual(classesOf(drawn), ["cafe", "library"]);
});

test("a tap finds the place under the finger before the building around it, and nothing in a courtyard", () => {
  assert.equal(destinationAt(drawn, { lat: 0.009, lon: 0.0091 }, 20).id, "place/3");
  assert.equal(destinationAt(drawn, { lat: 0.001, lon: 0.001 }, 20).id, "building/1");
  assert.equal(destinationAt(drawn, { lat: 0.005, lon: 0.005 }, 20), null);
  assert.equal(destinationAt(drawn, { lat: 0.5, lon: 0.5 }, 20), null);
});
