import assert from "node:assert/strict";
import { test } from "node:test";
import { Outline } from "../../../Sources/WebApp/admin/outline.js";

const square = [[50.935, 6.925], [50.935, 6.93], [50.938, 6.93], [50.938, 6.925]];

test("an outline is drawn corner by corner, and closed", () => {
  const outline = new Outline();
  assert.equal(outline.note, "Tap the map at each corner.");
  outline.add(square[0]);
  outline.add(square[1]);
  assert.equal(outline.note, "2 of at least 3 corners.");
  assert.ok(!outline.canClose);
  outline.add(square[2]);
  outline.close();
  assert.ok(outline.isClosed && outline.isChanged);
  assert.equal(outline.problem, null);
  assert.match(outline.note, /^3 corners, /);
});

test("each step is undone, and without steps nothing is changed", () => {
  const outline = new Outline(square);
  assert.ok(outline.isClosed && !outline.isChanged && !outline.canUndo);
  outline.move(0, [50.934, 6.925]);
  outline.clear();
  assert.ok(outline.undo());
  assert.deepEqual(outline.points[0], [50.934, 6.925]);
  assert.ok(outline.isClosed && outline.isChanged);
  assert.ok(outline.undo());
  assert.deepEqual(outline.points, square);
  assert.ok(!outline.isChanged);
  assert.ok(!outline.undo());
});

test("corners from a text are closed from three on", () => {
  const outline = new Outline();
  outline.replace(square.slice(0, 2));
  assert.ok(!outline.isClosed);
  outline.replace(square);
  assert.ok(outline.isClosed);
});
