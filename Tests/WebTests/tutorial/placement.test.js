import assert from "node:assert/strict";
import { test } from "node:test";
import { gapPixels, highlightBox, isInside, placeCard } from "../../../Sources/WebApp/tutorial/placement.js";

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };
const box = (left, top, width, height) => ({ left, top, right: left + width, bottom: top + height });

/** Whether the card lies in the window, and off the target. */
function isClear(view, card, target) {
  const { left, top } = placeCard(card, target, view);
  const isInside = left >= gapPixels && top >= gapPixels && left + card.width <= view.width - gapPixels
    && top + card.height <= view.height - gapPixels;
  const covers = left < target.right && left + card.width > target.left && top < target.bottom && top + card.height > target.top;
  return isInside && !covers;
}

test("the card covers no control, wherever that is on a phone or a desktop", () => {
  for (const view of [phone, desktop]) {
    const card = { width: Math.min(380, view.width - 24), height: 230 };
    for (let left = 0; left <= view.width - 60; left += 30) {
      for (let top = 0; top <= view.height - 44; top += 20) assert.ok(isClear(view, card, box(left, top, 60, 44)), `${left} ${top}`);
    }
    assert.ok(isClear(view, card, box(0, 0, view.width, 300)));
    assert.ok(isClear(view, card, box(0, 400, view.width, view.height - 400)));
  }
  assert.ok(isClear(desktop, { width: 380, height: 230 }, box(16, 76, 392, 708)));
});

test("beside a control that fills the window the card stays inside the window", () => {
  const { left, top } = placeCard({ width: 366, height: 230 }, box(0, 54, 390, 730), phone);
  assert.deepEqual([left, top], [12, 602]);
  assert.equal(placeCard({ width: 366, height: 230 }, box(0, 100, 390, 740), phone).top, gapPixels);
});

test("without a control the card lies in the middle", () => {
  assert.deepEqual(placeCard({ width: 380, height: 200 }, null, desktop), { left: 450, top: 300 });
});

test("the highlight leaves room around the controls and stays in the part of the page they are in", () => {
  const main = box(0, 54, 390, 730);
  assert.deepEqual(highlightBox([box(100, 100, 50, 44)], main), box(92, 92, 66, 60));
  assert.deepEqual(highlightBox([box(20, 200, 300, 44), box(20, 300, 350, 56)], main), { left: 12, top: 192, right: 378, bottom: 364 });
  assert.deepEqual(highlightBox([box(0, 700, 390, 160)], main), { left: 2, top: 692, right: 388, bottom: 782 });
  assert.deepEqual([isInside(box(0, 54, 10, 10), main), isInside(box(0, 50, 10, 10), main)], [true, false]);
});
