import assert from "node:assert/strict";
import { test } from "node:test";
import { isShortSearch, searchExcerpt } from "../../../Sources/WebApp/chat/searchtext.js";

const text = (parts) => parts.map((part) => part.text).join("");
const matches = (parts) => parts.filter(({ isMatch }) => isMatch).map((part) => part.text);

test("a single ASCII character is too short to search for, one of another script is not", () => {
  assert.deepEqual(["", "a", "ab", "跑", "é"].map(isShortSearch), [true, true, false, false, false]);
});

test("every word that was searched for is marked, in any case, and the text stays whole", () => {
  const parts = searchExcerpt("Run at\n six, RUNNING late?", "run late?");
  assert.deepEqual(matches(parts), ["Run", "RUN", "late?"]);
  assert.equal(text(parts), "Run at six, RUNNING late?");
});

test("characters with a meaning in patterns are ordinary characters", () => {
  assert.deepEqual(matches(searchExcerpt("a+b (c) [d]", "a+b (c)")), ["a+b", "(c)"]);
});

test("a long text begins at a word shortly before its first match, and ends after 180 characters", () => {
  const parts = searchExcerpt(`${"word ".repeat(40)}target ${"more ".repeat(80)}`, "target");
  assert.match(text(parts), /^… word /);
  assert.match(text(parts), /…$/);
  assert.deepEqual(matches(parts), ["target"]);
  assert.equal(text(parts).length, 180 + 3);
  assert.ok(text(parts).indexOf("target") < 60);
});

test("a composed and a decomposed letter are the same", () => {
  assert.deepEqual(matches(searchExcerpt("Caf\u0065\u0301 at six", "caf\u00e9")), ["Caf\u00e9"]);
});
