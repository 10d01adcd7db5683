import assert from "node:assert/strict";
import { test } from "node:test";
import "../navigator.js";
import {
  filterParams, foldAmenities, foundText, hintOf, levelName, pathOf, readId, routeTo, savedOf, walkText,
} from "../../../Sources/WebApp/places/destinations.js";
import { addressOf, filterOf } from "../../../Sources/WebApp/places/searchfilter.js";
import { groupMarks } from "../../../Sources/WebApp/places/markgroups.js";
import { webAddress } from "../../../Sources/WebApp/places/words.js";

test("an id is read, and one that is none is not asked for", () => {
  assert.deepEqual(readId("place/56"), { kind: "place", number: 56 });
  for (const wrong of ["place/0", "place/-1", "place/1x", "person/1", "place/", "place/99999999999999999", "place/1/2"]) {
    assert.equal(readId(wrong), null, wrong);
  }
  assert.equal(pathOf({ id: "room/3" }), "/place/room/3");
  assert.equal(routeTo({ id: "room/3" }), "/route?to=room%2F3");
});

test("the line below a name has what it is, its code, building, level and distance", () => {
  assert.equal(hintOf({ kind: "room", name: "Reading room", code: "5508.02.801", building: "Main Library", level: "2", metres: 341 }),
    "Room · 5508.02.801 · Main Library · Level 2 · 340 m");
  assert.equal(hintOf({ kind: "place", class: "cafe", name: "Oak Café", level: "0", alternative: "The Oak" }),
    "Café · Ground floor · also “The Oak”");
  assert.equal(hintOf({ kind: "room", class: "lecture_hall", name: "5508.01", code: "5508.01" }), "Lecture hall");
  assert.equal(levelName("-1"), "Level −1");
  assert.equal(walkText(12), "1 min");
  assert.equal(walkText(290), "5 min");
});

test("of amenities that are everywhere a list has the nearest of each kind, with the number of the others", () => {
  const place = (id, name) => ({ id: `place/${id}`, kind: "place", name, class: name });
  const folded = foldAmenities([place(1, "toilets"), place(2, "cafe"), place(3, "toilets"), place(4, "cafe"), place(5, "toilets"),
    place(6, "parking")]);
  assert.deepEqual(folded.map(({ id, others }) => [id, others]),
    [["place/1", 2], ["place/2", undefined], ["place/4", undefined], ["place/6", undefined]]);
});

test("marks that overlap are drawn as one, and a mark stands alone when the map is closer", () => {
  const points = [[0, 0], [10, 0], [100, 0], [12, 8]].map(([x, y]) => ({ x, y }));
  assert.deepEqual(groupMarks(points, 24), [[0, 1, 3], [2]]);
  assert.deepEqual(groupMarks(points.map(({ x, y }) => ({ x: x * 4, y: y * 4 })), 24), [[0], [1], [2], [3]]);
});

test("filters become parameters, and an address keeps them", () => {
  assert.deepEqual(filterParams({}), {});
  assert.deepEqual(filterParams({ kind: "class:cafe", isOpen: true, isStepFree: true, zone: "7" }),
    { class: "cafe", openNow: true, stepFree: true, zone: 7 });
  assert.deepEqual(filterParams({ kind: "room" }), { kinds: ["room"] });
  const filter = { kind: "class:cafe", isOpen: true, isStepFree: false, zone: "7" };
  assert.deepEqual(filterOf(new URL(addressOf("a & b", filter), "https://x").searchParams), filter);
  assert.equal(addressOf("", { kind: "", isOpen: false, isStepFree: false, zone: "" }), "/search");
  assert.equal(filterOf(new URLSearchParams("zone=drop")).zone, "");
});

test("a search gives the number of results, or why there are none", () => {
  const text = (more) => foundText({ found: 0, text: "xyz", isFiltered: false, problem: null, ...more });
  assert.equal(text({}), "No places match “xyz”.");
  assert.equal(text({ isFiltered: true }), "No places match “xyz” with these filters.");
  assert.equal(text({ found: 1 }), "1 result");
  assert.equal(text({ problem: "You're offline." }), "You're offline.");
  assert.equal(text({ found: 2, problem: "You're offline." }), "You're offline. These are from the campus map.");
});

test("a place is saved when its number or its name and position are", () => {
  const place = { id: "place/5", name: "Oak Café", lat: 51.5, lon: 8 };
  const other = { id: 1, name: "Meeting oak", lat: 51.5, lon: 8 };
  assert.equal(savedOf([other], place), null);
  assert.equal(savedOf([other, { id: 2, name: "My café", place: 5, lat: 0, lon: 0 }], place).id, 2);
  const near = { id: 3, name: "Hall", lat: 51.500001, lon: 8 };
  assert.equal(savedOf([other, near], { id: "building/5", name: "Hall", lat: 51.5, lon: 8 }).id, 3);
});

test("a website is a link of the web alone", () => {
  assert.equal(webAddress("example.org/menu").href, "https://example.org/menu");
  for (const wrong of ["javascript:alert(1)", "data:text/html,x", "", undefined, "http://", "unioncoffee", "https://unioncoffee", "example.", ".org"]) {
    assert.equal(webAddress(wrong), null, String(wrong));
  }
});
