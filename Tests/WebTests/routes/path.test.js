import assert from "node:assert/strict";
import { test } from "node:test";
import { RoutePath } from "../../../Sources/WebApp/routes/path.js";
import { hasArrived, progressAt, shownLeg } from "../../../Sources/WebApp/routes/progress.js";
import { crowdPieces, levelChanges, piecesOf } from "../../../Sources/WebApp/routes/routeline.js";
import { at, exampleRoute } from "./fakes.js";

const isNear = (value, wanted, within = 0.5) => assert.ok(Math.abs(value - wanted) <= within, `${value}, not ${wanted}`);

test("a position is measured along and away from the line", () => {
  const path = new RoutePath(exampleRoute().points);
  isNear(path.length, 150);
  const { along, away, index } = path.nearest(at(40, 7));
  isNear(along, 40);
  isNear(away, 7);
  assert.equal(index, 0);
  isNear(path.at(110).lon / at(0, 1).lon, 10, 0.1);
  assert.equal(path.at(140).level, "2");
  assert.equal(path.at(50).level, null);
});

test("where the line passes a place twice, the part that follows on counts; the level decides between floors", () => {
  const path = new RoutePath([at(0), at(100), at(100, 1), at(0, 1)]);
  isNear(path.nearest(at(50, 0.5), 45).along, 50, 1);
  isNear(path.nearest(at(50, 0.5), 150).along, 151, 1);
  const floors = new RoutePath([at(0, 0, "0"), at(50, 0, "0"), at(50, 0, "1"), at(0, 0, "1")]);
  isNear(floors.nearest({ ...at(20), level: "1" }).along, 80);
  isNear(floors.nearest({ ...at(20), level: "0" }).along, 20);
  assert.ok(floors.nearest({ ...at(20), level: "3" }).away >= 60);
});

test("an empty or a single point is a line without length", () => {
  assert.equal(new RoutePath([]).length, 0);
  isNear(new RoutePath([at(0)]).nearest(at(3, 4)).away, 5);
  assert.ok(new RoutePath([]).nearest(at(1)).away > 0);
});

test("the progress has the leg, what is left, and the time of the rest", () => {
  const route = exampleRoute();
  const path = new RoutePath(route.points);
  const start = progressAt(route, path, 0);
  assert.equal(start.leg, 0);
  isNear(start.metres, 150);
  isNear(start.seconds, 155);
  const half = progressAt(route, path, 50);
  isNear(half.toNext, 50);
  isNear(half.seconds, 75 / 2 + 80);
  assert.equal(progressAt(route, path, 110).leg, 1);
  assert.equal(progressAt(route, path, 135).leg, 3);
  assert.equal(progressAt(route, path, 9_999).leg, 3);
});

test("a lift has no length: it is the leg while the person is at it, and nothing is announced before they left it", () => {
  const route = exampleRoute();
  const path = new RoutePath(route.points);
  const atLift = progressAt(route, path, 120, 2);
  assert.equal(atLift.leg, 2);
  assert.equal(shownLeg(route, atLift), 2);
  const before = progressAt(route, path, 110, 1);
  assert.equal(shownLeg(route, before), 2, "near the lift, the lift is the instruction");
  assert.equal(shownLeg(route, progressAt(route, path, 10, 0)), 0);
  assert.equal(shownLeg(route, progressAt(route, path, 90, 0)), 1);
});

test("a person has arrived at the end of the last leg alone; a vague position does not arrive early", () => {
  const route = exampleRoute();
  const path = new RoutePath(route.points);
  assert.ok(hasArrived(route, progressAt(route, path, 140), 5));
  assert.ok(!hasArrived(route, progressAt(route, path, 122), 90));
  assert.ok(!hasArrived(route, progressAt(route, path, 118), 5));
});

test("the line is drawn in pieces: uncertain ones dashed, those of other levels faint", () => {
  const route = exampleRoute({ uncertain: [[0, 1]], crowd: [{ first: 0, last: 1, people: 40 }, { first: 2, last: 2, people: 9 }] });
  const pieces = piecesOf(route, "2");
  assert.deepEqual(pieces.map(({ isUncertain, isHere, points }) => [isUncertain, isHere, points.length]),
    [[true, true, 2], [false, false, 2], [false, true, 3]]);
  assert.deepEqual(piecesOf(route).map(({ isHere }) => isHere), [true, true]);
  assert.deepEqual(crowdPieces(route).map(({ people, points }) => [people, points.length]), [[40, 2]]);
  assert.deepEqual(levelChanges(route).map(({ kind, level }) => [kind, level]), [["lift", "2"]]);
  assert.deepEqual(piecesOf({ points: [] }), []);
});
