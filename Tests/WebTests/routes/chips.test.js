import assert from "node:assert/strict";
import { test } from "node:test";
import { placeChips } from "../../../Sources/WebApp/routes/chips.js";

test("a chip stands on the side with more room, and not where another one is", () => {
  const chips = [[100, 100], [110, 105], [300, 100], [110, 140]].map(([x, y]) => ({ point: { x, y }, text: "Lift to level 3" }));
  assert.deepEqual(placeChips(chips.slice(0, 2), 400), ["right", null]);
  assert.deepEqual(placeChips([chips[0], chips[3]], 400), ["right", "right"]);
  assert.deepEqual(placeChips([chips[2]], 400), ["left"]);
});
